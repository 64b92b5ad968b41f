package tail

import (
	"bufio"
	"bytes"
	"io"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// document is what mjfr tail prints: a document that is right whenever it ends.
type document struct {
	out *bufio.Writer
	// printer is nil as long as the columns of rows are not known.
	printer *print.Printer
	begun   bool
	events  int
	limit   int // of events; 0 is none
	buf     []byte

	// held are the last events, at most as many as tail says, until they are released; next
	// is where the oldest of them is once there are so many.
	tail, next int
	held       [][]byte
}

func newDocument(w io.Writer, o *options) *document {
	return &document{out: bufio.NewWriterSize(w, 64<<10), limit: o.Limit, tail: o.Tail}
}

// full reports whether there are as many events as are wanted.
func (d *document) full() bool { return d.limit > 0 && d.events == d.limit }

// hold keeps an event as one of the last.
func (d *document) hold() {
	if len(d.held) < d.tail {
		d.held = append(d.held, bytes.Clone(d.buf))
		return
	}
	d.held[d.next] = append(d.held[d.next][:0], d.buf...)
	d.next = (d.next + 1) % d.tail
}

// release prints the events that are held. From then on none are.
func (d *document) release() {
	for i := range d.held {
		if !d.full() {
			d.print(d.held[(d.next+i)%len(d.held)])
		}
	}
	d.held, d.tail = nil, 0
}

// add prints an event. It is seen when the document is flushed, or ends.
func (d *document) add(ev mmapjfr.Event) error {
	// If the file is cut meanwhile nothing of the event is printed.
	d.buf = d.printer.Append(d.buf[:0], ev)
	if d.tail > 0 {
		d.hold()
		return nil
	}
	return d.print(d.buf)
}

// print prints the text of an event.
func (d *document) print(text []byte) error {
	if !d.begun {
		d.begin()
	}
	if d.events > 0 {
		d.write(d.printer.Separator())
	}
	d.events++
	_, err := d.out.Write(text)
	return err
}

func (d *document) begin() {
	d.begun = true
	d.write(d.printer.Header())
}

// write writes a part of the document; flush returns the error.
func (d *document) write(text string) { _, _ = d.out.WriteString(text) }

func (d *document) flush() error { return d.out.Flush() }

// end prints what the document lacks, and all of an empty one. Rows of which nobody knows
// the columns are nothing.
func (d *document) end() error {
	if d.printer != nil {
		d.release()
		if !d.begun {
			d.begin()
		}
		d.write(d.printer.Footer())
	}
	return d.flush()
}
