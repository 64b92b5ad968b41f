package print

import (
	"errors"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Printer writes events one by one. It belongs to one goroutine, and keeps what [Write]
// keeps of each goroutine.
type Printer struct {
	r renderer
}

// NewPrinter returns a printer. Of the options only Format, StackDepth and Zone matter.
// It fails for CSV and TSV, whose columns depend on all events.
func NewPrinter(o Options) (*Printer, error) {
	if o.Format == CSV || o.Format == TSV {
		return nil, errors.New("print: rows cannot be written one by one: their columns depend on all events")
	}
	return &Printer{plainFormat(&o).renderer()}, nil
}

// Append appends an event to dst as the format has it, with the ends of lines that
// belong to it, and without what stands between events or around all of them. The
// result does not alias the recording, which must be open.
func (p *Printer) Append(dst []byte, ev mmapjfr.Event) []byte {
	return p.r.append(dst, &item{event: ev.Detach()})
}
