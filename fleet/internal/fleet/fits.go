package fleet

import (
	"encoding/json"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

func init() {
	register.DoFn2x2[string, Sum, string, error](&fitsFn{})
	register.Combiner1[string](&fitsSumFn{})
}

// Lacking returns what no recording has of what a question names, by the fits of all. A view of event types that there are
// none of is empty, and not wrong.
func Lacking(fits []batch.Fit, isView bool) (list []error) {
	for _, f := range fits {
		if err := f.Err(); err != nil && (f.Of != batch.OfTypes || !isView) {
			list = append(list, err)
		}
	}
	return list
}

// fitsFn returns the fits of a sum as JSON.
type fitsFn struct{ Note []string }

// ProcessElement returns the fits of a key.
func (f *fitsFn) ProcessElement(_ string, s Sum) (string, error) {
	p, err := s.copied(f.Note)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(batch.FitsOf(p))
	return string(text), err
}

// fitsSumFn merges fits, in any order.
type fitsSumFn struct{}

// CreateAccumulator returns the fits of no recordings.
func (f *fitsSumFn) CreateAccumulator() string { return "" }

// AddInput merges two lists of fits.
func (f *fitsSumFn) AddInput(a, b string) (string, error) { return f.MergeAccumulators(a, b) }

// MergeAccumulators merges two lists of fits. Those of no recordings say nothing.
func (f *fitsSumFn) MergeAccumulators(a, b string) (string, error) {
	if a == "" || b == "" {
		return a + b, nil
	}
	x, err := parseFits(a)
	if err != nil {
		return "", err
	}
	y, err := parseFits(b)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(batch.MergeFits(x, y))
	return string(text), err
}

// ExtractOutput returns the fits.
func (f *fitsSumFn) ExtractOutput(s string) string { return s }

// parseFits returns the fits that JSON says; none of an empty text.
func parseFits(text string) (list []batch.Fit, err error) {
	if text == "" {
		return nil, nil
	}
	err = json.Unmarshal([]byte(text), &list)
	return list, err
}
