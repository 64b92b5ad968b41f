package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/internal/printable"
)

// peersColumns are the heads of the table of a comparison.
var peersColumns = []string{"work", "process: JDK", "jfrbench", "ratio", "loop: JDK", "jfrbench", "ratio", "events", "n"}

// peersMeaning says what the columns mean.
const peersMeaning = "process is the time from starting a process to its end; loop is the part of it from opening the\n" +
	"file to its last event. ratio is the JDK's time divided by jfrbench's. n is the number of runs of each."

// writePeers writes a comparison in Markdown.
func writePeers(w io.Writer, r *peersReport) {
	line := func(cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
	line(peersColumns)
	fmt.Fprintf(w, "|---|%s\n", strings.Repeat("---:|", len(peersColumns)-1))
	for i := range r.rows {
		line(r.rows[i].cells())
	}
	fmt.Fprintf(w, "\n%s\n\n", peersMeaning)
	for _, fact := range r.facts() {
		fmt.Fprintf(w, "- %s\n", fact)
	}
	for i := range r.rows {
		c := &r.rows[i]
		fmt.Fprintf(w, "- %s: %s. %s\n", c.work, c.peer, c.note)
		if c.err != nil {
			fmt.Fprintf(w, "- error in %s, so no times are shown: %v\n", c.work, c.err)
		}
	}
}

// cells are the row of a contest.
func (c *contest) cells() []string {
	row := []string{c.work}
	for _, of := range []func(lap) time.Duration{processTime, loopTime} {
		if f, ok := c.ratio(of); ok {
			row = append(row, short(median(c.theirs, of)), short(median(c.ours, of)), digits(f))
		} else {
			row = append(row, "-", "-", "-")
		}
	}
	if c.err != nil {
		return append(row, "error", "-")
	}
	return append(row, humanize.Comma(int64(c.ours[0].events)), strconv.Itoa(len(c.ours)))
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
