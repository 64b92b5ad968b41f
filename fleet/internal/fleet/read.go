package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

func init() {
	register.DoFn3x1[context.Context, string, func(string, Sum), error](&readFn{})
	register.Emitter2[string, Sum]()
}

// readFn reads the items of a work.
type readFn struct {
	Note   []string
	Fanout int
}

// ProcessElement emits what the question finds in each item.
func (f *readFn) ProcessElement(ctx context.Context, text string, emit func(string, Sum)) error {
	w, err := parse(text)
	if err != nil {
		return err
	}
	q, err := questionOf(f.Note)
	if err != nil {
		return err
	}
	for p, err := range batch.Map(ctx, q, f.Note, w.Items, store().Open) {
		if err != nil {
			return err
		}
		emit(f.spread(keyOf(p.Key), p), Sum{partial: p})
	}
	return nil
}

// parse returns the work of an element.
func parse(text string) (w work, err error) {
	err = json.Unmarshal([]byte(text), &w)
	if err == nil && len(w.Items) == 0 {
		err = errors.New("an element of the pipeline has no items")
	}
	return w, err
}

// keyOf returns a key as text, which no other key has.
func keyOf(key []batch.Label) string {
	text, _ := json.Marshal(key) // strings always become JSON
	return string(text)
}

// spread returns the key of one of the workers that merge first, see [Job].Fanout: the same for the same item.
func (f *readFn) spread(key string, p *batch.Partial) string {
	if f.Fanout <= 1 {
		return key
	}
	first := batch.Part{}
	if parts := p.Parts(); len(parts) > 0 {
		first = parts[0]
	}
	sum := sha256.Sum256([]byte(first.Object + strconv.FormatUint(first.From, 10)))
	return strconv.Itoa((int(sum[0])<<8|int(sum[1]))%f.Fanout) + " " + key
}

// gatherFn takes the number of the worker off a key.
type gatherFn struct{}

func init() { register.DoFn2x2[string, Sum, string, Sum](&gatherFn{}) }

// ProcessElement returns the key and its sum.
func (f *gatherFn) ProcessElement(key string, s Sum) (string, Sum) {
	_, key, _ = strings.Cut(key, " ")
	return key, s
}
