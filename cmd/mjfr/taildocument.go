package main

import (
	"bufio"
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
	buf     []byte
}

func newTailDocument(w io.Writer) *tailDocument {
	return &tailDocument{out: bufio.NewWriterSize(w, 64<<10)}
}

// add prints an event. It is seen when the document is flushed, or ends.
func (d *tailDocument) add(ev mmapjfr.Event) error {
	// If the file is cut meanwhile nothing of the event is printed.
	d.buf = d.printer.Append(d.buf[:0], ev)
	if !d.begun {
		d.begin()
	}
	if d.events > 0 {
		d.write(d.printer.Between())
	}
	d.events++
	_, err := d.out.Write(d.buf)
	return err
}

func (d *tailDocument) begin() {
	d.begun = true
	d.write(d.printer.Head())
}

// write writes a part of the document; flush returns the error.
func (d *tailDocument) write(text string) { _, _ = d.out.WriteString(text) }

func (d *tailDocument) flush() error { return d.out.Flush() }

// end prints what the document lacks, and all of an empty one. Rows of which nobody knows
// the columns are nothing.
func (d *tailDocument) end() error {
	if d.printer != nil {
		if !d.begun {
			d.begin()
		}
		d.write(d.printer.Foot())
	}
	return d.flush()
}
