package main

import (
	"bufio"
	"bytes"
	"io"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// tailDocument is what mjfr tail prints: a document that is right whenever it ends.
type tailDocument struct {
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

func newTailDocument(w io.Writer, o *tailOptions) *tailDocument {
	return &tailDocument{out: bufio.NewWriterSize(w, 64<<10), limit: o.limit, tail: o.tail}
}

// full reports whether there are as many events as are wanted.
func (d *tailDocument) full() bool { return d.limit > 0 && d.events == d.limit }

// hold keeps an event as one of the last.
func (d *tailDocument) hold() {
	if len(d.held) < d.tail {
		d.held = append(d.held, bytes.Clone(d.buf))
		return
	}
	d.held[d.next] = append(d.held[d.next][:0], d.buf...)
	d.next = (d.next + 1) % d.tail
}

// release prints the events that are held. From then on none are.
func (d *tailDocument) release() {
	for i := range d.held {
		if !d.full() {
			d.print(d.held[(d.next+i)%len(d.held)])
		}
	}
	d.held, d.tail = nil, 0
}

// add prints an event. It is seen when the document is flushed, or ends.
func (d *tailDocument) add(ev mmapjfr.Event) error {
	// If the file is cut meanwhile nothing of the event is printed.
	d.buf = d.printer.Append(d.buf[:0], ev)
	if d.tail > 0 {
		d.hold()
		return nil
	}
	return d.print(d.buf)
}

// print prints the text of an event.
func (d *tailDocument) print(text []byte) error {
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

func (d *tailDocument) begin() {
	d.begun = true
	d.write(d.printer.Header())
}

// write writes a part of the document; flush returns the error.
func (d *tailDocument) write(text string) { _, _ = d.out.WriteString(text) }

func (d *tailDocument) flush() error { return d.out.Flush() }

// end prints what the document lacks, and all of an empty one. Rows of which nobody knows
// the columns are nothing.
func (d *tailDocument) end() error {
	if d.printer != nil {
		d.release()
		if !d.begun {
			d.begin()
		}
		d.write(d.printer.Footer())
	}
	return d.flush()
}
