package fleet

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Sum]())
	beam.RegisterCoder(reflect.TypeFor[Sum](), encodeSum, decodeSum)
	register.Combiner1[Sum](&sumFn{})
}

// Sum is a partial result, or its bytes as long as nothing is merged with it. The zero Sum is that of no items.
type Sum struct {
	partial *batch.Partial
	data    []byte
}

func encodeSum(s Sum) ([]byte, error) {
	if s.partial == nil {
		return s.data, nil
	}
	return s.partial.MarshalBinary()
}

func decodeSum(data []byte) Sum { return Sum{data: data} }

// open returns the partial result of a sum that is not the zero one.
func (s Sum) open(q batch.Question) (*batch.Partial, error) {
	if s.partial != nil {
		return s.partial, nil
	}
	return batch.Unmarshal(s.data, q)
}

// copied returns the partial result for a step that may change it, while others use the sum.
func (s Sum) copied(note []string) (*batch.Partial, error) {
	q, err := questionOf(note)
	if err != nil {
		return nil, err
	}
	data, err := encodeSum(s)
	if err != nil {
		return nil, err
	}
	return batch.Unmarshal(data, q)
}

// sumFn merges sums, in any order.
type sumFn struct{ Note []string }

// CreateAccumulator returns the sum of no items.
func (f *sumFn) CreateAccumulator() Sum { return Sum{} }

// AddInput merges two sums.
func (f *sumFn) AddInput(a, b Sum) (Sum, error) { return f.MergeAccumulators(a, b) }

// MergeAccumulators merges two sums. Neither may be used afterwards.
func (f *sumFn) MergeAccumulators(a, b Sum) (Sum, error) {
	switch {
	case a.partial == nil && a.data == nil:
		return b, nil
	case b.partial == nil && b.data == nil:
		return a, nil
	}
	q, err := questionOf(f.Note)
	if err != nil {
		return Sum{}, err
	}
	x, err := a.open(q)
	if err != nil {
		return Sum{}, err
	}
	y, err := b.open(q)
	if err != nil {
		return Sum{}, err
	}
	return Sum{partial: x}, x.Merge(y)
}

// ExtractOutput returns the sum.
func (f *sumFn) ExtractOutput(s Sum) Sum { return s }
