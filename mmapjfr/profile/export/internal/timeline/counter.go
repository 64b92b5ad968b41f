package timeline

import (
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Series is a number that is measured again and again: a field of the events of a type, of one thread
// and of one thing if the events name any, such as a network interface.
type Series struct {
	// Type is the name of the event type, and Name the name of the series for people.
	Type, Name string
	Field      *Field
	// Thread is the number of the thread, or 0.
	Thread int32
}

type seriesKey struct {
	typ, field, of string
	thread         int32
}

// maxName is how long the name of what is measured is at most.
const maxName = 200

// Counts calls do with the numbers of a counter and the series that each belongs to. Walk must be at
// the chunk of the event.
func (t *Timeline) Counts(e *Entry, ev mmapjfr.Event, do func(series int, n float64)) {
	type number struct {
		f *Field
		n float64
	}
	var numbers []number
	var names []string
	thread := int32(0)
	if e.Type.Name() == "jdk.ThreadCPULoad" { // others are about the process, whatever thread writes them
		thread = e.Thread
	}
	e.Type.Values(ev, func(field int, d Datum) {
		f := &e.Type.Fields[field]
		switch {
		case f.Kind == Text && f.Name == "thread":
			thread = t.thread(ev.Get(pathThread).Thread())
		case f.Kind == Text && f.Name != "when" && f.Name != "gcThreshold":
			names = append(names, d.Text)
		case f.IsMeasured() && f.Kind == Float:
			numbers = append(numbers, number{f, d.Float})
		case f.IsMeasured():
			numbers = append(numbers, number{f, float64(d.Int)})
		}
	})
	of := strings.Join(names, ", ")
	of = of[:min(len(of), maxName)]
	for _, m := range numbers {
		key := seriesKey{e.Type.Name(), m.f.Name, of, thread}
		n, ok := t.series[key]
		if !ok {
			n = len(t.Series)
			t.series[key] = n
			name := e.Type.Title() + ": " + m.f.Label
			if of != "" {
				name += " (" + of + ")"
			}
			t.Series = append(t.Series, Series{e.Type.Name(), name, m.f, thread})
		}
		do(n, m.n)
	}
}

var pathThread = mmapjfr.Path("thread")

// IsMeasured reports whether a field of a counter is a number that is more or less, and not a name.
func (f *Field) IsMeasured() bool {
	return (f.Kind == Integer || f.Kind == Float || f.Kind == Span) && f.Unit != mmapjfr.Address && f.Name != "gcId"
}
