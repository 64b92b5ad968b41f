package mmapjfr

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/mmapjfr/jfr/index"
)

// maxFaults is how many errors a scan in parallel tells of.
const maxFaults = 32

// fault is something in a chunk that could not be read.
type fault struct {
	chunk int
	at    uint64
	err   error
	// unknown is the type of the event if that is what is wrong, which is told
	// once for each type of the chunk.
	unknown index.ClassID
}

// faults are the first ones of those that workers come upon in any order.
type faults struct {
	list []fault
	more bool
}

func (f *faults) add(x fault) {
	byPlace := func(a, b fault) int { return cmp.Or(cmp.Compare(a.chunk, b.chunk), cmp.Compare(a.at, b.at)) }
	if errors.Is(x.err, ErrUnknownType) {
		same := func(y fault) bool {
			return y.chunk == x.chunk && y.unknown == x.unknown && errors.Is(y.err, ErrUnknownType)
		}
		if i := slices.IndexFunc(f.list, same); i >= 0 {
			if byPlace(x, f.list[i]) < 0 {
				f.list[i] = x
			}
			slices.SortStableFunc(f.list, byPlace)
			return
		}
	}
	f.list = append(f.list, x)
	slices.SortStableFunc(f.list, byPlace)
	if len(f.list) > maxFaults {
		f.list, f.more = f.list[:maxFaults], true
	}
}

// of returns what is wrong with the recording, or nil.
func (f *faults) of(rec *Recording) error {
	for i, c := range rec.chunks {
		if k := c.ix.Loaded(); k != nil && k.Err() != nil {
			f.add(fault{chunk: i, at: math.MaxUint64 - 2, err: k.Err()})
		}
	}
	if err := rec.index.Trail(); err != nil {
		f.add(fault{chunk: len(rec.chunks), err: err})
	}
	var errs []error
	for _, x := range f.list {
		errs = append(errs, x.err)
	}
	if f.more {
		errs = append(errs, errors.New("mmapjfr: there is more that could not be read"))
	}
	return errors.Join(errs...)
}
