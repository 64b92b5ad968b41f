package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/printable"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// writeReport writes what was found out about a file.
func writeReport(w io.Writer, r *result) {
	fmt.Fprintln(w, title(r.file, r.size, r.chunks, r.events))
	fmt.Fprintf(w, "recorded from %s for %s\n\n", r.start.UTC().Format("2006-01-02 15:04:05 MST"), short(r.duration))
	writeStages(w, r)
	writeIndexSize(w, r)
	most := uint64(0)
	for i := range r.stages {
		most = max(most, r.stages[i].anonymous)
	}
	if most > 0 {
		fmt.Fprintf(w, "memory: %s at most after a stage, pages of the file aside\n", humanize.Bytes(most))
	}
	unfinished, damages, first := problems(r.err)
	for _, err := range unfinished {
		fmt.Fprintf(w, "\nnote: %s\n", printable.Text(errtree.Unnamed(err).Error()))
	}
	if damages > 0 {
		fmt.Fprintf(w, "\n%s\n", damaged(first, damages))
	}
}

// problems returns what is wrong in a recording, as the error of reading it says: how much
// damage there is, and the first. Chunks that were still being written are no damage.
func problems(err error) (unfinished []error, damages int, first error) {
	for _, e := range errtree.Each(err) {
		omitted, isOmitted := errors.AsType[*mmapjfr.OmittedErrors](e)
		switch {
		case errors.Is(e, mmapjfr.ErrUnfinished):
			unfinished = append(unfinished, e)
		case isOmitted:
			damages += omitted.N
		default:
			if damages++; damages == 1 {
				first = e
			}
		}
	}
	return unfinished, damages, first
}

// damaged says how much of a recording is damaged, and what is the first.
func damaged(first error, damages int) string {
	return fmt.Sprintf("%s, the first: %s; mjfr verify lists them",
		plural(uint64(damages), "error"), printable.Text(errtree.Unnamed(first).Error()))
}

// title is the first line about a recording.
func title(file string, size int64, chunks int, events uint64) string {
	return fmt.Sprintf("%s: %s, %s, %s", printable.Text(file), humanize.Bytes(uint64(size)),
		plural(uint64(chunks), "chunk"), plural(events, "event"))
}

func writeStages(w io.Writer, r *result) {
	rows := [][]string{{"stage", "time", "GB/s", "ns/event", "allocs/event", "allocated", "heap"}}
	for i := range r.stages {
		m := &r.stages[i]
		ns, allocs := "-", "-"
		if r.events > 0 {
			ns = digits(float64(m.time) / float64(r.events))
			allocs = small(float64(m.mallocs) / float64(r.events))
		}
		rate := float64(r.size) / float64(max(m.time, 1)) // bytes in a nanosecond are GB in a second
		rows = append(rows, []string{m.name, short(m.time), digits(rate),
			ns, allocs, humanize.Bytes(m.allocated), humanize.Bytes(m.heap)})
	}
	table(w, rows)
}

// writeIndexSize writes what the index takes, of the file and of each thing in it.
func writeIndexSize(w io.Writer, r *result) {
	each := func(bytes, n int) string {
		if n == 0 {
			return "-"
		}
		return digits(float64(bytes) / float64(n))
	}
	x := r.index
	all := x.constants + x.blocks
	fmt.Fprintf(w, "\nindex: %s, %s of the file: %s bytes for each of %s, %s for each of %s, which are %s per event\n",
		humanize.Bytes(uint64(all)), percent(uint64(all), uint64(r.size)),
		each(x.constants, x.keys), plural(uint64(x.keys), "constant"),
		each(x.blocks, x.number), plural(uint64(x.number), "block"), each(x.blocks, int(x.events)))
}

// table writes rows with the first column to the left, the others to the right.
func table(w io.Writer, rows [][]string) {
	width := 0
	for _, row := range rows {
		width = max(width, utf8.RuneCountInString(row[0]))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		fmt.Fprintf(t, "%-*s\t%s\t\n", width, row[0], strings.Join(row[1:], "\t"))
	}
	_ = t.Flush() // it writes to memory
}

func plural(n uint64, what string) string {
	if n != 1 {
		what += "s"
	}
	return humanize.Comma(int64(n)) + " " + what
}

// short writes a duration with three or four digits.
func short(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f µs", float64(d)/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	case d < time.Minute:
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// small writes a number that should be 0.
func small(f float64) string {
	switch {
	case f == 0:
		return "0"
	case f < 0.0001:
		return "<0.0001"
	}
	return digits(f)
}

// digits writes a number with about three digits.
func digits(f float64) string {
	decimals := 4
	for limit := 0.1; decimals > 0 && f >= limit; limit *= 10 {
		decimals--
	}
	if decimals == 0 {
		return humanize.Comma(int64(math.Round(f)))
	}
	return strconv.FormatFloat(f, 'f', decimals, 64)
}

func percent(part, whole uint64) string {
	p := 100 * float64(part) / float64(whole)
	switch {
	case whole == 0:
		return "-"
	case part > 0 && p < 0.01:
		return "<0.01%"
	}
	return fmt.Sprintf("%.2f%%", p)
}
