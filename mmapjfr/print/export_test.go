package print

import (
	"context"
	"io"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Shown is an event as it leaves a window, and those that enclose it.
type Shown struct {
	Event   mmapjfr.Event
	Context []mmapjfr.Event
}

// InWindow returns the events of a recording in the order in which a window of that
// size hands them on.
func InWindow(ctx context.Context, rec *mmapjfr.Recording, size int, o Options) (shown []Shown, err error) {
	err = newWalker(&o).inWindow(ctx, size, []*mmapjfr.Recording{rec}, func(it item) bool {
		shown = append(shown, Shown{it.event, it.context})
		return true
	})
	return shown, err
}

// Sorted returns the events of recordings in the order in which a sorter of that size hands them on.
func Sorted(ctx context.Context, recs []*mmapjfr.Recording, size int) (events []mmapjfr.Event, err error) {
	err = newWalker(&Options{}).sorted(ctx, size, recs, func(it item) bool {
		events = append(events, it.event)
		return true
	})
	return events, err
}

// appender is a renderer that is a function.
type appender func(dst []byte, ev mmapjfr.Event) []byte

func (a appender) append(dst []byte, it *item) []byte { return a(dst, it.event) }

// PrinterOf returns a printer whose renderers are the function.
func PrinterOf(do func(dst []byte, ev mmapjfr.Event) []byte) *Printer {
	f := format{renderer: func() renderer { return appender(do) }}
	return &Printer{format: f, r: f.renderer()}
}

// WriteOf writes the events of recordings in the order of the files as the function renders them.
func WriteOf(ctx context.Context, w io.Writer, recs []*mmapjfr.Recording, do func(dst []byte, ev mmapjfr.Event) []byte) error {
	o := Options{Order: ByFile}
	source := func(yield func(item) bool) error { return newWalker(&o).walk(ctx, recs, false, yield) }
	f := format{document: document{between: ","}, renderer: func() renderer { return appender(do) }}
	return render(ctx, w, source, f, 2)
}

// AppendEnclosed appends an event that another encloses as the function renders it.
func AppendEnclosed(dst []byte, ev, outer mmapjfr.Event, do func(dst []byte, ev mmapjfr.Event) []byte) ([]byte, bool) {
	return appendProtected(appender(do), dst, &item{event: ev, context: []mmapjfr.Event{outer}})
}
