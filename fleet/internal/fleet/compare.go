package fleet

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

func init() {
	register.DoFn3x1[string, Sum, func(string, Sum), error](&pairFn{})
	register.DoFn4x1[context.Context, string, func(*Sum) bool, func(string), error](&compareFn{})
	register.Iter1[Sum]()
}

// diffNames are the files of differences.
var diffNames = []string{"flamegraph.html", "table.txt"}

// pairFn brings those keys together that differ in one label alone.
type pairFn struct{ Job Job }

// ProcessElement emits a sum under the rest of its key, if its value of the label is wanted.
func (f *pairFn) ProcessElement(_ string, s Sum, emit func(string, Sum)) error {
	p, err := s.copied(f.Job.Note)
	if err != nil {
		return err
	}
	label, values := f.Job.diff()
	own, rest := without(p.Key, label)
	if values != nil && !slices.Contains(values, own) {
		return nil
	}
	emit(keyOf(rest), Sum{partial: p})
	return nil
}

// without returns the value of a label, and the other labels.
func without(key []batch.Label, label string) (value string, rest []batch.Label) {
	for _, l := range key {
		if l.Name == label {
			value = l.Value
		} else {
			rest = append(rest, l)
		}
	}
	return value, rest
}

// compareFn writes the differences between keys that differ in one label.
type compareFn struct{ Job Job }

// ProcessElement writes a pair for each value and the next one, and emits the results.
func (f *compareFn) ProcessElement(ctx context.Context, _ string, next func(*Sum) bool, emit func(string)) error {
	label, values := f.Job.diff()
	sums := make(map[string]Sum)
	var found []string
	var rest []batch.Label
	for s := (Sum{}); next(&s); {
		p, err := s.copied(f.Job.Note)
		if err != nil {
			return err
		}
		var value string
		value, rest = without(p.Key, label)
		sums[value], found = s, append(found, value)
	}
	for _, value := range values {
		if !slices.Contains(found, value) {
			r := Result{Key: rest, Files: []string{}, Missing: &batch.Label{Name: label, Value: value}}
			line, err := r.line()
			if err == nil {
				emit(line)
			}
			return err
		}
	}
	if values == nil {
		slices.SortFunc(found, batch.CompareValues)
		values = found
	}
	for i := 1; i < len(values); i++ {
		line, err := f.write(ctx, sums[values[i-1]], sums[values[i]])
		if err != nil {
			return err
		}
		emit(line)
	}
	return nil
}

// write writes the differences from one sum to another.
func (f *compareFn) write(ctx context.Context, from, to Sum) (line string, err error) {
	r := Result{}
	for _, name := range diffNames {
		base, err := from.copied(f.Job.Note)
		if err != nil {
			return "", err
		}
		p, err := to.copied(f.Job.Note)
		if err != nil {
			return "", err
		}
		label, _ := f.Job.diff()
		before, _ := without(base.Key, label)
		r.Key = slices.Clone(p.Key)
		for i := range r.Key {
			if r.Key[i].Name == label {
				r.Key[i].Value = strings.Join([]string{before, r.Key[i].Value}, "..")
			}
		}
		file := path.Join("diff", folderOf(r.Key), name)
		if err := writeAnswer(ctx, f.Job.Out, file, p, base); err != nil {
			return "", err
		}
		r.Files = append(r.Files, file)
	}
	return r.line()
}
