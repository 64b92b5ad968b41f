package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

func init() {
	register.DoFn4x1[context.Context, *sdf.LockRTracker, string, func(string, Sum), error](&readFn{})
	register.Emitter2[string, Sum]()
}

// readFn reads items. Its restrictions are the numbers of items of a work: an engine splits between items, whose ranges
// own the chunks whose header begins in them.
type readFn struct {
	Note     []string
	Split    int // how many items a worker gets at first
	Fanout   int
	ItemSize int64

	reader *sharedReader
}

// Setup is called once for each instance.
func (f *readFn) Setup() (err error) {
	f.reader, err = useReader(f.Note)
	return err
}

// Teardown is called when an instance is not needed any more.
func (f *readFn) Teardown() error { return f.reader.release() }

// CreateInitialRestriction returns all items of a work.
func (f *readFn) CreateInitialRestriction(text string) (offsetrange.Restriction, error) {
	w, err := parse(text)
	return offsetrange.Restriction{End: int64(len(w.Items))}, err
}

// SplitRestriction divides the items of large objects.
func (f *readFn) SplitRestriction(_ string, rest offsetrange.Restriction) []offsetrange.Restriction {
	size := f.Split
	if size <= 0 {
		size = defaultSplit
		if q, err := questionOf(f.Note); err == nil && batch.NeedsRest(q) {
			return []offsetrange.Restriction{rest} // another worker would fetch all of the object, too
		}
	}
	return rest.SizedSplits(int64(size))
}

// RestrictionSize returns about how many bytes there are to read.
func (f *readFn) RestrictionSize(_ string, rest offsetrange.Restriction) float64 {
	return rest.Size() * float64(f.ItemSize)
}

// CreateTracker tracks which items have been claimed.
func (f *readFn) CreateTracker(rest offsetrange.Restriction) *sdf.LockRTracker {
	return sdf.NewLockRTracker(offsetrange.NewTracker(rest))
}

// ProcessElement emits what the question finds in each item.
func (f *readFn) ProcessElement(ctx context.Context, rt *sdf.LockRTracker, text string, emit func(string, Sum)) error {
	w, err := parse(text)
	if err != nil {
		return err
	}
	for at := rt.GetRestriction().(offsetrange.Restriction).Start; rt.TryClaim(at); at++ {
		p, err := f.reader.Map(ctx, w.Items[at])
		if err != nil {
			return err
		}
		key, err := keyOf(p.Key)
		if err != nil {
			return err
		}
		emit(f.spread(key, p), Sum{partial: p})
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
func keyOf(key []batch.Label) (string, error) {
	text, err := json.Marshal(key)
	return string(text), err
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
