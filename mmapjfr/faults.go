package mmapjfr

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mmapjfr/jfr/index/schema"
)

// maxScanErrors is how many errors a scan in parallel tells of.
const maxScanErrors = 32

// scanError is something in a chunk that could not be read.
type scanError struct {
	chunk  int
	offset uint64
	err    error
	// unknown is the type of the event if that is what is wrong, which is told
	// once for each type of the chunk.
	typ schema.TypeID
}

// scanErrors are the first ones of those that workers come upon in any order.
type scanErrors struct {
	list    []scanError
	omitted int
	// unknown holds the types that it has been told of, of each chunk.
	reportedTypes map[typeOfChunk]bool
}

type typeOfChunk struct {
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

func (e *scanErrors) add(x scanError) {
	if errors.Is(x.err, ErrUnknownType) && !e.isNew(x) {
		return
	}
	e.list = append(e.list, x)
	slices.SortStableFunc(e.list, compareErrors)
	if len(e.list) > maxScanErrors {
		e.list = e.list[:maxScanErrors]
		e.omitted++
	}
}

// contains tells whether one of them is of that kind.
func (e *scanErrors) contains(err error) bool {
	return slices.ContainsFunc(e.list, func(x scanError) bool { return errors.Is(x.err, err) })
}

func compareErrors(a, b scanError) int {
	return cmp.Or(cmp.Compare(a.chunk, b.chunk), cmp.Compare(a.offset, b.offset))
}

// isNew tells whether an unknown type has not been told of. If it has, but
// further on in the chunk, that one is moved to here.
func (e *scanErrors) isNew(x scanError) bool {
	typ := typeOfChunk{x.chunk, x.typ}
	if !e.reportedTypes[typ] {
		if e.reportedTypes == nil {
			e.reportedTypes = make(map[typeOfChunk]bool)
		}
		e.reportedTypes[typ] = true
		return true
	}
	i := slices.IndexFunc(e.list, func(y scanError) bool {
		return y.chunk == x.chunk && y.typ == x.typ && errors.Is(y.err, ErrUnknownType)
	})
	switch {
	case i >= 0 && compareErrors(x, e.list[i]) < 0:
		e.list[i] = x
		slices.SortStableFunc(e.list, compareErrors)
	case i < 0 && len(e.list) == maxScanErrors && compareErrors(x, e.list[maxScanErrors-1]) < 0:
		// It was one of those that come behind all that are listed.
		e.list[maxScanErrors-1] = x
		slices.SortStableFunc(e.list, compareErrors)
	}
	return false
}

// join returns what is wrong with the chunks of a selection, or nil.
func (e *scanErrors) join(s *Selection) error {
	for _, c := range s.chunks {
		if err := c.constantsErr(); err != nil {
			e.add(scanError{chunk: c.ix.Number(), offset: math.MaxUint64 - 2, err: err})
		}
	}
	if err := s.rec.index.TrailingErr(); err != nil && s.whole {
		e.add(scanError{chunk: len(s.rec.chunks), err: err})
	}
	var errs []error
	for _, x := range e.list {
		errs = append(errs, x.err)
	}
	if e.omitted > 0 {
		errs = append(errs, &OmittedErrors{e.omitted})
	}
	return errors.Join(errs...)
}
