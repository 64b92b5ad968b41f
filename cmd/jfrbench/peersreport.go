package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/internal/printable"
)

// peersColumns are the heads of the table of a comparison.
var peersColumns = []string{"work", "process: JDK", "jfrbench", "ratio", "loop: JDK", "jfrbench", "ratio", "events", "n"}

// peersMeaning says what the columns mean.
const peersMeaning = "process is the time from starting a process to its end; loop is the part of it from opening the\n" +
	"file to its last event. ratio is the JDK's time divided by jfrbench's. n is the number of runs of each."

// profileColumns are the heads of the table of profiles.
var profileColumns = []string{"profile", "time: peer", "mjfr", "ratio", "CPU: peer", "mjfr", "ratio", "memory: peer", "mjfr", "ratio", "n"}

// profileMeaning says what the columns mean.
const profileMeaning = "time is the time from starting a process to its end, CPU that of all its threads; memory is\n" +
	"what was resident at its peak, pages of mapped files included. ratio is the peer's divided by mjfr's."

// writePeers writes a comparison in Markdown.
func writePeers(w io.Writer, r *peersReport) {
	writeContests(w, peersColumns, peersMeaning, r.rows, (*contest).cells)
	writeContests(w, profileColumns, profileMeaning, r.profiles, (*contest).profileCells)
	for _, fact := range r.facts() {
		fmt.Fprintf(w, "- %s\n", fact)
	}
	for _, c := range slices.Concat(r.rows, r.profiles) {
		fmt.Fprintf(w, "- %s: %s. %s\n", c.work, c.peer, c.note)
		switch {
		case c.missing != nil:
			fmt.Fprintf(w, "- %s was not measured: %v\n", c.work, c.missing)
		case c.err != nil:
			fmt.Fprintf(w, "- error in %s, so no times are shown: %v\n", c.work, c.err)
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
	fmt.Fprintf(w, "|---|%s\n", strings.Repeat("---:|", len(columns)-1))
	for i := range rows {
		line(cells(&rows[i]))
	}
	fmt.Fprintf(w, "\n%s\n\n", meaning)
}

// cells are the row of a contest.
func (c *contest) cells() []string {
	row := []string{c.work}
	row = figures(figures(row, c, processTime, short), c, loopTime, short)
	if c.err != nil {
		return append(row, "error", "-")
	}
	return append(row, humanize.Comma(int64(c.ours[0].events)), strconv.Itoa(len(c.ours)))
}

// profileCells are the row of a contest of profiles.
func (c *contest) profileCells() []string {
	row := figures(figures([]string{c.work}, c, processTime, short), c, cpuTime, short)
	row = figures(row, c, memory, func(n int64) string { return humanize.Bytes(uint64(n)) })
	switch {
	case c.missing != nil:
		return append(row, "missing")
	case c.err != nil:
		return append(row, "error")
	}
	return append(row, strconv.Itoa(len(c.ours)))
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
	return []string{
		title(r.file, r.size, r.chunks, r.Events),
		"machine: " + machine,
		"JDK: " + printable.Text(r.jdk) + ", with its own defaults",
		strings.TrimSuffix(version(), "\n"),
		fmt.Sprintf("%s of each side and work, the JDK's and jfrbench's in turn; times are medians", plural(uint64(r.runs), "run")),
		"the file was read once before: it is in the page cache, if memory allows",
		fmt.Sprintf("type is %s: %s, %s of all", printable.Text(r.typeName), plural(r.typed, "event"), percent(r.typed, r.Events)),
	}
}
