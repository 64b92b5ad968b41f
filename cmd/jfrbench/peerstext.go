package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// peersColumns are the heads of the table of a comparison. The first is that of
// names, the others are those of numbers.
var peersColumns = []string{"work", "process: JDK", "jfrbench", "ratio", "loop: JDK", "jfrbench", "ratio", "events", "n"}

// peersMeaning says what the columns mean.
const peersMeaning = "process is the time from starting a process to its end; loop is the part of it from opening the\n" +
	"file to its last event. ratio is the JDK's time divided by jfrbench's. n is the number of runs of each."

func peersCells(r *peersRow) []string {
	row := append([]string{r.work}, timeCells(r, processTime)...)
	row = append(row, timeCells(r, loopTime)...)
	if r.err != nil {
		return append(row, "error", "-")
	}
	return append(row, humanize.Comma(int64(r.events)), strconv.Itoa(len(r.ours)))
}

func timeCells(r *peersRow, of func(lap) time.Duration) []string {
	f, ok := r.ratio(of)
	if !ok {
		return []string{"-", "-", "-"}
	}
	return []string{short(median(r.theirs, of)), short(median(r.ours, of)), digits(f)}
}

// mistake says what went wrong in a contest.
func (r *peersRow) mistake() string {
	return fmt.Sprintf("error in %s, so no times are shown: %v", r.work, r.err)
}

// against says who did a work and what that takes.
func (r *peersRow) against() string {
	return fmt.Sprintf("%s: %s. %s", r.work, r.peer, r.note)
}

func (r *peersReport) title() string {
	return fmt.Sprintf("%s: %s, %s, %s", printable(r.file), humanize.Bytes(uint64(r.size)),
		plural(uint64(r.chunks), "chunk"), plural(r.events, "event"))
}

// writePeersText writes a comparison for people.
func writePeersText(w io.Writer, r *peersReport) {
	fmt.Fprintln(w, r.title())
	for _, fact := range r.facts() {
		fmt.Fprintln(w, fact)
	}
	fmt.Fprintln(w)
	rows := [][]string{peersColumns}
	for i := range r.rows {
		rows = append(rows, peersCells(&r.rows[i]))
	}
	table(w, rows)
	fmt.Fprintf(w, "\n%s\n\n", peersMeaning)
	for i := range r.rows {
		fmt.Fprintln(w, r.rows[i].against())
	}
	before := "\n"
	for i := range r.rows {
		if r.rows[i].err != nil {
			fmt.Fprintf(w, "%s%s\n", before, r.rows[i].mistake())
			before = ""
		}
	}
}

// writePeersMarkdown writes a comparison to be put into a document.
func writePeersMarkdown(w io.Writer, r *peersReport) {
	line := func(cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
	line(peersColumns)
	fmt.Fprintf(w, "|---|%s\n", strings.Repeat("---:|", len(peersColumns)-1))
	for i := range r.rows {
		line(peersCells(&r.rows[i]))
	}
	fmt.Fprintf(w, "\n%s\n\n", peersMeaning)
	fmt.Fprintf(w, "- %s\n", r.title())
	for _, fact := range r.facts() {
		fmt.Fprintf(w, "- %s\n", fact)
	}
	for i := range r.rows {
		fmt.Fprintf(w, "- %s\n", r.rows[i].against())
	}
	for i := range r.rows {
		if r.rows[i].err != nil {
			fmt.Fprintf(w, "- %s\n", r.rows[i].mistake())
		}
	}
}
