package tui

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
)

// silent is the time without a flush after which the screen says so. A JVM flushes every second.
const silent = 5 * time.Second

// headLines are the lines at the top: what runs, and its state, the most important first.
func headLines(title string, s jvmstats.Snapshot, state string, width int) []string {
	return []string{
		whoLine(title, s, state, width),
		cpuLine(s, width),
		heapLine(s, width),
		gcLine(s, width),
		memoryLine(s, width),
		ioLine(s, width),
	}
}

// whoLine is the title, and the state at its right end, which is always shown.
func whoLine(title string, s jvmstats.Snapshot, state string, width int) string {
	state = clip(state, width*2/3)
	// The end of a path says more than its beginning.
	parts := []string{bold.Render(clipLeft(clean(title), max(20, width/3)))}
	j := s.JVM
	if main := mainClass(j); main != "" {
		parts = append(parts, shorten(clean(main), max(16, width/3), 1))
	}
	if pid := strconv.FormatInt(j.PID, 10); j.PID != 0 && !strings.Contains(title, pid) {
		parts = append(parts, "pid "+pid)
	}
	if !j.Start.IsZero() && s.Time.After(j.Start.Time) {
		parts = append(parts, "up "+age(s.Time.Sub(j.Start.Time)))
	}
	if v := javaVersion(j); v != "" {
		parts = append(parts, "Java "+clean(v))
	}
	left := width - lipgloss.Width(state) - 2
	line := strings.Join(parts, "  ")
	for len(parts) > 1 && lipgloss.Width(line) > left {
		parts = parts[:len(parts)-1]
		line = strings.Join(parts, "  ")
	}
	return fit(line, left) + "  " + state
}

// mainClass returns the class or archive that was started, without its module or folder.
func mainClass(j jvmstats.JVM) string {
	main, _, _ := strings.Cut(strings.TrimSpace(j.JavaArguments), " ")
	return main[strings.LastIndexAny(main, `/\`)+1:]
}

// javaVersion returns the first text in parentheses in the JVM's version:
// "OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for linux-amd64 ...".
func javaVersion(j jvmstats.JVM) string {
	_, rest, _ := strings.Cut(j.Version, "(")
	version, _, ok := strings.Cut(rest, ")")
	if !ok {
		return j.Version
	}
	return version
}

// labelled puts the label of a line before it.
func labelled(label, line string) string { return bold.Render(fit(label, 6)) + line }

// unknownLine is a line without numbers.
func unknownLine(label string) string { return labelled(label, faint.Render("not known yet")) }

func cpuLine(s jvmstats.Snapshot, width int) string {
	c := s.CPU
	if c.Time.IsZero() {
		return unknownLine("CPU")
	}
	parts := make([]float64, len(c.History))
	for i, p := range c.History {
		parts[i] = p.JVM
	}
	text := fmt.Sprintf("JVM %s  user %s  system %s  machine %s",
		right(percent(c.JVMUser+c.JVMSystem), 4), right(percent(c.JVMUser), 4), right(percent(c.JVMSystem), 4), right(percent(c.Machine), 4))
	return graphed(labelled("CPU", text), "", parts, width)
}

func heapLine(s jvmstats.Snapshot, width int) string {
	h := s.Heap
	if h.Time.IsZero() {
		return unknownLine("Heap")
	}
	top := cmp.Or(h.Max, h.Committed)
	parts := make([]float64, len(h.History))
	for i, p := range h.History {
		parts[i] = part(p.Used, top)
	}
	text := fmt.Sprintf("%s of %s", bytes(h.Used), bytes(h.Committed))
	if h.Max != 0 {
		text += ", max " + bytes(h.Max)
	}
	return graphed(labelled("Heap", text), bar(part(h.Used, top), 14), parts, width)
}

func part(n, all int64) float64 {
	if all <= 0 {
		return 0
	}
	return float64(n) / float64(all)
}

// graphColumn is the column where graphs begin.
const graphColumn = 62

// graphed puts a bar and a graph after a text, if they fit.
func graphed(text, bar string, parts []float64, width int) string {
	if bar != "" && width >= graphColumn {
		text = fit(text, graphColumn-lipgloss.Width(bar)-2) + "  " + graph.Render(bar)
	}
	if room := min(width-graphColumn-2, 60); room >= 8 {
		text = fit(text, graphColumn) + "  " + graph.Render(strings.TrimLeft(spark(parts, min(room, len(parts))), " "))
	}
	return clip(text, width)
}

func gcLine(s jvmstats.Snapshot, width int) string {
	g := s.GC
	if g.Count == 0 {
		return labelled("GC", faint.Render("no pause yet"))
	}
	ago := "just now"
	if d := s.Time.Sub(g.Time.Time); d >= time.Second {
		ago = age(d) + " ago"
	}
	text := fmt.Sprintf("last %s %s; %s %s, %s (%s)",
		duration(g.Last), ago, recently(s), terminal.CountOf(uint64(g.Recent), "pause"), duration(g.Sum), percent(g.Share))
	if g.Recent > 0 {
		text += ", longest " + duration(g.Longest)
	}
	return clip(labelled("GC", text), width)
}

// memoryLine is the allocation and further numbers.
func memoryLine(s jvmstats.Snapshot, width int) string {
	var parts []string
	add := func(known bool, format string, a ...any) {
		if known {
			parts = append(parts, fmt.Sprintf(format, a...))
		}
	}
	add(s.Alloc.Source != "", "%s", bytesPerSecond(s.Alloc.PerSecond))
	add(!s.Threads.Time.IsZero(), "threads %d, peak %d", s.Threads.Active, s.Threads.Peak)
	add(!s.Metaspace.Time.IsZero(), "metaspace %s", bytes(s.Metaspace.Used))
	add(!s.Exceptions.Time.IsZero(), "thrown %s/s", rate(s.Exceptions.PerSecond))
	if len(parts) == 0 {
		return unknownLine("Alloc")
	}
	if s.Alloc.Source == "" {
		parts = append([]string{"not known yet"}, parts...)
	}
	return clip(labelled("Alloc", strings.Join(parts, "  ")), width)
}

func ioLine(s jvmstats.Snapshot, width int) string {
	o := s.IO
	if o.Time.IsZero() {
		return labelled("I/O", faint.Render("none recorded"))
	}
	text := fmt.Sprintf("files in %s out %s  sockets in %s out %s",
		bytesPerSecond(o.FileRead), bytesPerSecond(o.FileWrite), bytesPerSecond(o.SocketRead), bytesPerSecond(o.SocketWrite))
	return clip(labelled("I/O", text), width)
}

// stateText returns the state of the stream.
func stateText(s jvmstats.Snapshot, paused bool) string {
	switch {
	case paused:
		return warning.Render("PAUSED")
	case s.State == jvmstats.Lost:
		return bad.Render("LOST: " + clean(s.Why))
	case s.State == jvmstats.Ended:
		return warning.Render("ENDED")
	case s.State == jvmstats.Waiting:
		return faint.Render("waiting")
	case isSilent(s):
		return warning.Render("silent for " + age(s.Quiet))
	}
	return good.Render("live")
}
