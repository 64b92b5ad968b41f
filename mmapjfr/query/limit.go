package query

import (
	"errors"
	"fmt"
)

// ErrTooMuch matches errors about statements that would keep too many groups, values or events.
var ErrTooMuch = errors.New("the statement keeps too much in memory")

var (
	// maxKept is about how many bytes a partial result keeps.
	maxKept = 1 << 30
	// maxRows is how many events the rows of a statement without groups are.
	maxRows = 1 << 22
)

// Err returns why the result is not complete; nil if it is. The error matches [ErrTooMuch] if more was to be
// kept than the engine is willing to: groups and values of about 1 GiB, or four million rows that are events.
// What would have come after it is left out.
func (r *Partial) Err() error { return r.err }

// check sets the error if the result keeps too much.
func (r *Partial) check() {
	if r.err == nil && r.groups != nil {
		r.err = r.groups.check()
	}
	if r.err == nil && r.rows != nil && len(r.rows.list) > maxRows {
		r.err = fmt.Errorf("%w: more than %d rows; add LIMIT or WHERE, or group them", ErrTooMuch, maxRows)
	}
}

// check returns an error if groups and values take too much memory.
func (p *partial) check() error {
	kept := p.values.bytes + p.len()*(8*len(p.plan.keys)+momentSize+8)
	for _, s := range p.states {
		kept += s.memory()
	}
	if kept <= maxKept {
		return nil
	}
	return fmt.Errorf("%w: %d groups, and their values take more than %d MiB; select fewer events with WHERE, group by something "+
		"with fewer values, or ask for COUNT or UNIQUE and not for LIST or SET", ErrTooMuch, p.len(), maxKept>>20)
}

// How many bytes things take in memory, more or less.
const (
	momentSize = 40
	valueSize  = 150
	edgeSize   = 2*8 + 2*momentSize + 8
	setSize    = 2*8 + momentSize + 40 // with its place in a map
	exactSize  = 8 * (limbs + 1)
	bucketSize = 40
)
