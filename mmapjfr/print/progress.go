package print

import "github.com/mmapjfr/jfr/mmapjfr"

// progress tells how far a walk over recordings has come. It belongs to one goroutine.
type progress struct {
	tell func(bytes uint64) // nil if nobody asks
	at   uint64             // in the recording that is being gone through
}

// reach takes note that all is done up to an offset.
func (p *progress) reach(offset uint64) {
	if p.tell != nil && offset > p.at {
		p.tell(offset - p.at)
		p.at = offset
	}
}

// end takes note that a recording is done.
func (p *progress) end(rec *mmapjfr.Recording) {
	p.reach(uint64(rec.Size()))
	p.at = 0
}
