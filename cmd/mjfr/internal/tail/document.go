package tail

import (
	"bufio"
	"bytes"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// document is the output of mjfr tail. It is complete whenever it ends.
type document struct {
	out *bufio.Writer
	// printer is nil until the columns of rows are known.
	printer *print.Printer
	begun   bool
	events  int
	limit   int // the most events; 0 is no limit
	buf     []byte

	// held are the last events, at most tail of them, until they are released. If there are tail of
	// them, next is the index of the oldest.
	tail, next int
	held       [][]byte
}

// full reports whether the document has reached its limit.
func (d *document) full() bool { return d.limit > 0 && d.events == d.limit }

// hold keeps the event in buf as one of the last.
func (d *document) hold() {
	if len(d.held) < d.tail {
		d.held = append(d.held, bytes.Clone(d.buf))
		return
	}
	d.held[d.next] = append(d.held[d.next][:0], d.buf...)
	d.next = (d.next + 1) % d.tail
}

// release prints the events that are held, and ends holding.
func (d *document) release() {
	for i := range d.held {
		if !d.full() {
			d.print(d.held[(d.next+i)%len(d.held)])
		}
	}
	d.held, d.tail = nil, 0
}

// add prints an event. The output is visible after a flush or the end.
func (d *document) add(ev mmapjfr.Event) error {
	// If the file is truncated now, nothing of the event is printed.
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

// write writes a part of the document. flush returns the error.
func (d *document) write(text string) { _, _ = d.out.WriteString(text) }

func (d *document) flush() error { return d.out.Flush() }

// end prints the rest of the document. If the columns of rows are not known yet, the document is
// empty.
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
