package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/internal/printable"
)

// peersColumns are the heads of the table of a comparison.
var peersColumns = []string{"work", "peer", "process: peer", "jfrbench", "ratio", "loop: peer", "jfrbench", "ratio", "limit", "events", "n"}

// peersMeaning says what the columns mean.
const peersMeaning = "process is the time from starting a process to its end; loop is the part of it from opening the\n" +
	"file to its last event. ratio is the peer's time divided by jfrbench's, limit is jfrbench's loop divided by the\n" +
	"faster of the two limits of this machine, see below. n is the number of runs of each."

// profileColumns are the heads of the table of profiles.
var profileColumns = []string{"profile", "peer", "time: peer", "mjfr", "ratio", "CPU: peer", "mjfr", "ratio", "memory: peer", "mjfr", "ratio", "n"}

// profileMeaning says what the columns mean.
const profileMeaning = "time is the time from starting a process to its end, CPU that of all its threads; memory is\n" +
	"what was resident at its peak, pages of mapped files included. ratio is the peer's divided by mjfr's."

// writePeers writes a comparison in Markdown.
func writePeers(w io.Writer, r *peersReport) {
	writeContests(w, peersColumns, peersMeaning, r.rows, func(c *contest) []string { return c.cells(r.limits) })
	writeContests(w, profileColumns, profileMeaning, r.profiles, (*contest).profileCells)
	for _, fact := range r.facts() {
		fmt.Fprintf(w, "- %s\n", fact)
	}
	for _, c := range slices.Concat(r.rows, r.profiles) {
		fmt.Fprintf(w, "- %s: %s. %s\n", c.work, c.title(), c.note)
		switch {
		case c.missing != nil:
			fmt.Fprintf(w, "- %s with %s was not measured: %v\n", c.work, c.title(), c.missing)
		case c.err != nil:
			fmt.Fprintf(w, "- error in %s with %s, so no times are shown: %v\n", c.work, c.title(), c.err)
		}
	}
}

// writeContests writes a table, and nothing if it has no rows.
func writeContests(w io.Writer, columns []string, meaning string, rows []contest, cells func(*contest) []string) {
	if len(rows) == 0 {
		return
	}
	line := func(cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
	line(columns)
	fmt.Fprintf(w, "|---|---|%s\n", strings.Repeat("---:|", len(columns)-2))
	for i := range rows {
		line(cells(&rows[i]))
	}
	fmt.Fprintf(w, "\n%s\n\n", meaning)
}

// cells are the row of a contest.
func (c *contest) cells(l limits) []string {
	row := figures(figures([]string{c.work, c.title()}, c, processTime, short), c, loopTime, short)
	if failed := c.failed(); failed != "" {
		return append(row, "-", failed, "-")
	}
	limit := "-"
	if l.faster() > 0 {
		limit = digits(float64(median(c.ours, loopTime)) / float64(l.faster()))
	}
	return append(row, limit, humanize.Comma(int64(c.ours[0].events)), strconv.Itoa(len(c.ours)))
}

// failed says in a word why there are no figures, "" if there are.
func (c *contest) failed() string {
	switch {
	case c.missing != nil:
		return "missing"
	case c.err != nil:
		return "error"
	}
	return ""
}

// profileCells are the row of a contest of profiles.
func (c *contest) profileCells() []string {
	row := figures(figures([]string{c.work, c.title()}, c, processTime, short), c, cpuTime, short)
	row = figures(row, c, memory, func(n int64) string { return humanize.Bytes(uint64(n)) })
	return append(row, cmp.Or(c.failed(), strconv.Itoa(len(c.ours))))
}

// figures appends the medians of a figure and their ratio.
func figures[T ~int64](row []string, c *contest, of func(lap) T, text func(T) string) []string {
	if f, ok := ratio(c, of); ok {
		return append(row, text(median(c.theirs, of)), text(median(c.ours, of)), digits(f))
	}
	return append(row, "-", "-", "-")
}

var modelName = regexp.MustCompile(`(?m)^model name\s*: (.*)$`)

// facts are what has to be known to make sense of the figures, a line each.
func (r *peersReport) facts() []string {
	machine := fmt.Sprintf("%s/%s, %s", runtime.GOOS, runtime.GOARCH, plural(uint64(runtime.NumCPU()), "core"))
	cpuinfo, _ := os.ReadFile("/proc/cpuinfo") // other systems have none
	if model := modelName.FindSubmatch(cpuinfo); model != nil {
		machine = string(model[1]) + ", " + machine
	}
	facts := []string{
		title(r.file, r.size, r.chunks, r.Events),
		"machine: " + machine,
		"JDK: " + printable.Text(r.jdk) + ", with its own defaults",
		strings.TrimSuffix(version(), "\n"),
		fmt.Sprintf("%s of each side and work, the peer's and jfrbench's in turn; times are medians", plural(uint64(r.runs), "run")),
		"the file was read once before: it is in the page cache, if memory allows",
		fmt.Sprintf("type is %s: %s, %s of all", printable.Text(r.typeName), plural(r.typed, "event"), percent(r.typed, r.Events)),
	}
	if r.limits.faster() > 0 {
		facts = append(facts, r.limits.facts(r.size)...)
	}
	return facts
}

// facts are what the limits are on a file of that size.
func (l limits) facts(size int64) []string {
	on := "on " + plural(uint64(l.workers), "goroutine")
	text := func(d time.Duration) string {
		return fmt.Sprintf("%s, %s GB/s, median of the same number of runs", short(d), digits(float64(size)/float64(d)))
	}
	return []string{
		"limit by map: to map the file and touch each page of it once, " + on + ", takes " + text(l.touch),
		"limit by read: to read the file by pread into buffers of 256 KiB that are used again, " + on + ", takes " + text(l.read),
	}
}
