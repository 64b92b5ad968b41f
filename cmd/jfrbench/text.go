package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/errtext"
)

// writeText writes the report for people.
func writeText(w io.Writer, r *result, all bool) {
	fmt.Fprintf(w, "%s: %s, %s, %s\n", printable(r.file), humanize.Bytes(uint64(r.size)),
		plural(uint64(r.chunks), "chunk"), plural(r.events, "event"))
	fmt.Fprintf(w, "recorded from %s for %s\n\n", r.start.UTC().Format("2006-01-02 15:04:05 MST"), short(r.duration))
	writeTypes(w, r, all)
	fmt.Fprintln(w)
	writeStages(w, r)
	writeIndexSize(w, r)
	writeMemory(w, r)
	writeDamage(w, r)
}

func writeTypes(w io.Writer, r *result, all bool) {
	rows := [][]string{{"event type", "count", "bytes", "share"}}
	for _, name := range byCount(r.types) {
		n := r.types[name]
		if n.Events == 0 && !all {
			continue
		}
		rows = append(rows, []string{printable(name), humanize.Comma(int64(n.Events)), humanize.Comma(int64(n.Bytes)), percent(n.Bytes, uint64(r.size))})
	}
	table(w, rows)
}

// byCount returns the names in the order of jfr summary: the most events first,
// then by name.
func byCount(types map[string]index.EventCount) []string {
	return slices.SortedFunc(maps.Keys(types), func(a, b string) int {
		return cmp.Or(cmp.Compare(types[b].Events, types[a].Events), cmp.Compare(a, b))
	})
}

func writeStages(w io.Writer, r *result) {
	rows := [][]string{{"stage", "time", "GB/s", "ns/event", "allocs/event", "allocated", "heap"}}
	for i := range r.stages {
		m := &r.stages[i]
		ns, allocs := "-", "-"
		if v, ok := perEvent(float64(m.time), r.events); ok {
			ns = digits(v)
		}
		if v, ok := perEvent(float64(m.mallocs), r.events); ok {
			allocs = small(v)
		}
		rows = append(rows, []string{m.name, short(m.time), digits(m.bytesPerSecond(r.size) / 1e9),
			ns, allocs, humanize.Bytes(m.allocated), humanize.Bytes(m.heap)})
	}
	table(w, rows)
}

// writeIndexSize tells what the index takes, of the file and of each thing in it.
func writeIndexSize(w io.Writer, r *result) {
	each := func(bytes, n int) string {
		if n == 0 {
			return "-"
		}
		return digits(float64(bytes) / float64(n))
	}
	x := r.index
	fmt.Fprintf(w, "\nindex: %s, %s of the file: %s bytes for each of %s, %s for each of %s, which are %s per event\n",
		humanize.Bytes(uint64(x.bytes())), percent(uint64(x.bytes()), uint64(r.size)),
		each(x.constants, x.keys), plural(uint64(x.keys), "constant"),
		each(x.blocks, x.number), plural(uint64(x.number), "block"), each(x.blocks, int(x.events)))
}

// writeMemory tells what the process has taken besides the pages of the file.
func writeMemory(w io.Writer, r *result) {
	most := uint64(0)
	for i := range r.stages {
		most = max(most, r.stages[i].anonymous)
	}
	if most > 0 {
		fmt.Fprintf(w, "memory: %s at most after a stage, pages of the file aside\n", humanize.Bytes(most))
	}
}

func writeDamage(w io.Writer, r *result) {
	for _, err := range r.damage.unfinished {
		fmt.Fprintf(w, "\nnote: %s\n", printable(errtext.Message(err)))
	}
	if r.damage.total == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s in the file; everything around was read:\n", plural(uint64(r.damage.total), "error"))
	for _, err := range r.damage.list {
		fmt.Fprintf(w, "  %s\n", printable(errtext.Message(err)))
	}
	if more := r.damage.total - len(r.damage.list); more > 0 {
		fmt.Fprintf(w, "  and %s more\n", humanize.Comma(int64(more)))
	}
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

// printable returns a text from a file so that it can do no harm to a terminal.
func printable(s string) string {
	q := strconv.Quote(s)
	if s == "" || q[1:len(q)-1] != strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `"`, `\"`) {
		return q
	}
	return s
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
	switch {
	case f >= 100:
		return humanize.Comma(int64(math.Round(f)))
	case f >= 10:
		return strconv.FormatFloat(f, 'f', 1, 64)
	case f >= 1:
		return strconv.FormatFloat(f, 'f', 2, 64)
	case f >= 0.1:
		return strconv.FormatFloat(f, 'f', 3, 64)
	}
	return strconv.FormatFloat(f, 'f', 4, 64)
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
