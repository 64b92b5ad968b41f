package mmapjfr

import (
	"fmt"
	"io"
)

// What holds bytes or values of a recording tells package fmt what it is, and no more:
// otherwise a line of a log such as log.Printf("%+v", rec) would show all that was
// recorded.

// String returns what the recording is: its path and its size.
func (r *Recording) String() string {
	if r.path == "" {
		return fmt.Sprintf("recording of %d bytes", r.size)
	}
	return fmt.Sprintf("recording %s of %d bytes", r.path, r.size)
}

// Format writes what String returns, for every verb.
func (r *Recording) Format(w fmt.State, _ rune) { format(w, r.String()) }

// String returns which chunk of its recording it is, and where it begins.
func (c Chunk) String() string {
	if c.c == nil {
		return "no chunk"
	}
	return fmt.Sprintf("chunk %d at %#x", c.Number(), c.Offset())
}

// Format writes what String returns, for every verb.
func (c Chunk) Format(w fmt.State, _ rune) { format(w, c.String()) }

// String returns how many events of which type there are.
func (b *Batch) String() string {
	if b.class == nil {
		return "no events"
	}
	return fmt.Sprintf("%d of %s", b.Len(), b.class.Name)
}

// Format writes what String returns, for every verb.
func (b *Batch) Format(w fmt.State, _ rune) { format(w, b.String()) }

// Format writes "live chunk", for every verb.
func (l *Live) Format(w fmt.State, _ rune) { format(w, "live chunk") }

// Format writes the path of the file, for every verb.
func (f *LiveFile) Format(w fmt.State, _ rune) { format(w, "live chunk of "+f.path) }

// Format writes "reader of live chunks", for every verb.
func (r *LiveReader) Format(w fmt.State, _ rune) { format(w, "reader of live chunks") }

// Format writes "selection", for every verb: filters may hold names of threads.
func (s *Selection) Format(w fmt.State, _ rune) { format(w, "selection of "+s.rec.String()) }

// Format writes "cursor", for every verb.
func (c *Cursor) Format(w fmt.State, _ rune) { format(w, "cursor of "+c.rec.String()) }

// Format writes the key of the stack trace, for every verb.
func (s StackTrace) Format(w fmt.State, _ rune) { s.o.format(w, "stack trace") }

// Format writes that it is a frame, for every verb.
func (f Frame) Format(w fmt.State, _ rune) { f.o.format(w, "frame") }

// Format writes the key of the method, for every verb.
func (m Method) Format(w fmt.State, _ rune) { m.o.format(w, "method") }

// Format writes the key of the class, for every verb.
func (c Class) Format(w fmt.State, _ rune) { c.o.format(w, "class") }

// Format writes the key of the class loader, for every verb.
func (l ClassLoader) Format(w fmt.State, _ rune) { l.o.format(w, "class loader") }

// Format writes the key of the thread, for every verb.
func (t Thread) Format(w fmt.State, _ rune) { t.o.format(w, "thread") }

// Format writes the key of the thread group, for every verb.
func (g ThreadGroup) Format(w fmt.State, _ rune) { g.o.format(w, "thread group") }

func (o object) format(w io.Writer, what string) {
	if o.c == nil {
		format(w, "no "+what)
		return
	}
	format(w, fmt.Sprintf("%s %d", what, o.key))
}

// format writes to what has no use for an error.
func format(w io.Writer, text string) { _, _ = io.WriteString(w, text) }
