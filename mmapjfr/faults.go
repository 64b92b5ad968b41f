package mmapjfr

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mmapjfr/jfr/index/schema"
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
	unknown schema.TypeID
}

// faults are the first ones of those that workers come upon in any order.
type faults struct {
	list []fault
	more int
	// unknown holds the types that it has been told of, of each chunk.
	unknown map[unknownType]bool
}

type unknownType struct {
	chunk int
	id    schema.TypeID
}

// OmittedErrors stands at the end of many errors for those that are not listed.
type OmittedErrors struct {
	// N is how many they are.
	N int
}

// Error tells how many there are.
func (e *OmittedErrors) Error() string {
	return fmt.Sprintf("mmapjfr: there are %d more errors", e.N)
}

func (f *faults) add(x fault) {
	if errors.Is(x.err, ErrUnknownType) && !f.isNew(x) {
		return
	}
	f.list = append(f.list, x)
	slices.SortStableFunc(f.list, byPlace)
	if len(f.list) > maxFaults {
		f.list = f.list[:maxFaults]
		f.more++
	}
}

// tell tells whether one of them is of that kind.
func (f *faults) tell(err error) bool {
	return slices.ContainsFunc(f.list, func(x fault) bool { return errors.Is(x.err, err) })
}

func byPlace(a, b fault) int { return cmp.Or(cmp.Compare(a.chunk, b.chunk), cmp.Compare(a.at, b.at)) }

// isNew tells whether an unknown type has not been told of. If it has, but
// further on in the chunk, that one is moved to here.
func (f *faults) isNew(x fault) bool {
	typ := unknownType{x.chunk, x.unknown}
	if !f.unknown[typ] {
		if f.unknown == nil {
			f.unknown = make(map[unknownType]bool)
		}
		f.unknown[typ] = true
		return true
	}
	i := slices.IndexFunc(f.list, func(y fault) bool {
		return y.chunk == x.chunk && y.unknown == x.unknown && errors.Is(y.err, ErrUnknownType)
	})
	switch {
	case i >= 0 && byPlace(x, f.list[i]) < 0:
		f.list[i] = x
		slices.SortStableFunc(f.list, byPlace)
	case i < 0 && len(f.list) == maxFaults && byPlace(x, f.list[maxFaults-1]) < 0:
		// It was one of those that come behind all that are listed.
		f.list[maxFaults-1] = x
		slices.SortStableFunc(f.list, byPlace)
	}
	return false
}

// of returns what is wrong with the chunks of a selection, or nil.
func (f *faults) of(s *Selection) error {
	for _, c := range s.chunks {
		if err := c.damage(); err != nil {
			f.add(fault{chunk: c.ix.Number(), at: math.MaxUint64 - 2, err: err})
		}
	}
	if err := s.rec.index.TrailingErr(); err != nil && s.whole {
		f.add(fault{chunk: len(s.rec.chunks), err: err})
	}
	var errs []error
	for _, x := range f.list {
		errs = append(errs, x.err)
	}
	if f.more > 0 {
		errs = append(errs, &OmittedErrors{f.more})
	}
	return errors.Join(errs...)
}
