package tui

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
)

// PlainOptions are options of Plain.
type PlainOptions struct {
	// Every is the time between two lines; 0 is a second. With Once, it is the time from the first
	// flush until the state is written.
	Every time.Duration
	// Once writes one state in full, instead of lines.
	Once bool
	// JSON writes documents: with Once one over many lines, otherwise each on a line of its own.
	JSON bool
	// Style is the style of lines; see terminal.Table.
	Style terminal.Style
}

// poll is the time between two looks for a flush or the end.
const poll = 20 * time.Millisecond

// Plain writes the state of the source until the source has ended, or once. It writes each state
// once, and once more after a while without a flush. It returns the errors of w, and the cause if
// the context is done.
func Plain(ctx context.Context, source Source, w io.Writer, o PlainOptions) error {
	every := cmp.Or(o.Every, time.Second)
	write := lineWriter(w, o.Style)
	switch {
	case o.JSON:
		e := json.NewEncoder(w)
		if o.Once {
			e.SetIndent("", "  ")
		}
		write = func(s jvmstats.Snapshot) error { return e.Encode(s) }
	case o.Once:
		write = func(s jvmstats.Snapshot) error { return WriteText(w, source.Title(), s, o.Style.Width) }
	}
	if _, err := until(ctx, source, time.Time{}, func(s jvmstats.Snapshot) bool { return s.State != jvmstats.Waiting }); err != nil {
		return err
	}
	var last *jvmstats.Snapshot
	for next := time.Now().Add(every); ; next = next.Add(every) {
		if now := time.Now(); next.Before(now) {
			next = now
		}
		s, err := until(ctx, source, next, over)
		if err == nil && !o.Once {
			s, err = until(ctx, source, time.Time{}, func(s jvmstats.Snapshot) bool {
				return over(s) || last == nil || s.Number != last.Number || isSilent(s) && !isSilent(*last)
			})
		}
		if err != nil {
			return err
		}
		if err := write(s); err != nil {
			return err
		}
		if o.Once || over(s) {
			return nil
		}
		last = &s
	}
}

// isSilent reports whether the last flush is longer ago than flushes usually are.
func isSilent(s jvmstats.Snapshot) bool { return s.State == jvmstats.Live && s.Quiet >= silent }

// Wait waits until the source has ended. It returns the cause if the context is done.
func Wait(ctx context.Context, source Source) error {
	_, err := until(ctx, source, time.Time{}, over)
	return err
}

// over reports whether no more events will arrive.
func over(s jvmstats.Snapshot) bool { return s.State == jvmstats.Ended || s.State == jvmstats.Lost }

// until waits for a condition, or for a time that is not zero.
func until(ctx context.Context, source Source, at time.Time, is func(jvmstats.Snapshot) bool) (jvmstats.Snapshot, error) {
	for {
		s := source.Snapshot()
		wait := poll
		if !at.IsZero() {
			wait = min(wait, time.Until(at))
		}
		if is(s) || wait <= 0 {
			return s, nil
		}
		select {
		case <-ctx.Done():
			return s, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// lineColumns are the columns of lines. Their widths for people are fixed, because a line is
// written before the next is known.
var lineColumns = []struct {
	title string
	width int
}{
	{"Time", 8}, {"JVM", 5}, {"Machine", 7}, {"Heap", 8}, {"Committed", 9}, {"GC pauses", 9}, {"GC time", 8},
	{"Allocation", 12}, {"Threads", 7}, {"Thrown/s", 8}, {"Events/s", 9}, {"State", 7},
}

// lineWriter returns a function that writes states as lines.
func lineWriter(w io.Writer, style terminal.Style) func(jvmstats.Snapshot) error {
	var columns []terminal.Column
	for _, c := range lineColumns {
		columns = append(columns, terminal.Column{Title: right(c.title, c.width), Right: true})
		if !style.Aligned {
			columns[len(columns)-1].Title = c.title
		}
	}
	table := terminal.NewTable(columns...)
	return func(s jvmstats.Snapshot) error {
		cells := line(s)
		for i := range cells {
			cells[i].Text = right(cells[i].Text, lineColumns[i].width)
		}
		table.Row(cells...)
		return table.WritePart(w, style)
	}
}

// line returns the cells of a line. Unknown values are empty.
func line(s jvmstats.Snapshot) []terminal.Cell {
	known := func(is bool, text, raw string) terminal.Cell {
		if !is {
			return terminal.Cell{Text: "-"}
		}
		return terminal.Cell{Text: text, Raw: raw}
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }
	integer := func(n int64) string { return strconv.FormatInt(n, 10) }
	state := string(s.State)
	if isSilent(s) {
		state = "silent"
	}
	cpu, heap, gc := !s.CPU.Time.IsZero(), !s.Heap.Time.IsZero(), s.GC.Count > 0
	return []terminal.Cell{
		known(!s.Time.IsZero(), s.Time.Local().Format(time.TimeOnly), s.Time.Format(time.RFC3339Nano)),
		known(cpu, percent(s.CPU.JVMUser+s.CPU.JVMSystem), number(s.CPU.JVMUser+s.CPU.JVMSystem)),
		known(cpu, percent(s.CPU.Machine), number(s.CPU.Machine)),
		known(heap, bytes(s.Heap.Used), integer(s.Heap.Used)),
		known(heap, bytes(s.Heap.Committed), integer(s.Heap.Committed)),
		known(gc, integer(int64(s.GC.Count)), integer(int64(s.GC.Count))),
		known(gc, duration(s.GC.Total), integer(int64(s.GC.Total))),
		known(s.Alloc.Source != "", bytesPerSecond(s.Alloc.PerSecond), number(s.Alloc.PerSecond)),
		known(!s.Threads.Time.IsZero(), integer(s.Threads.Active), integer(s.Threads.Active)),
		known(!s.Exceptions.Time.IsZero(), rate(s.Exceptions.PerSecond), number(s.Exceptions.PerSecond)),
		known(true, rate(s.Events.PerSecond), number(s.Events.PerSecond)),
		known(true, state, state),
	}
}

// Options are options of Run.
type Options struct {
	// Input is the source of keys. If it is nil or no terminal, keys come from the terminal of the
	// process.
	Input io.Reader
	// Output is a terminal.
	Output io.Writer
	// Env is the environment, as os.Environ returns it; nil for that of the process.
	Env []string
	// Color allows colours.
	Color bool
	// Every is the time between two looks at the source; 0 for a quarter of a second.
	Every time.Duration
}

// often is the default of Every.
const often = 250 * time.Millisecond

// Source is a JVM to show. One goroutine uses it.
type Source interface {
	// Title is its name for people: the number of a process, or the name of a file.
	Title() string
	// Snapshot returns the state, with the last events of the picked type.
	Snapshot() jvmstats.Snapshot
	// Pick picks a type of events; an empty name picks none.
	Pick(name string)
}

// Of returns v as a source with a title.
func Of(v *jvmstats.Vitals, title string) Source { return titled{v, title} }

type titled struct {
	*jvmstats.Vitals
	title string
}

func (t titled) Title() string { return t.title }
