package fleet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // of results and lists
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/mmapjfr/jfr/cmd/mjfr/answers"
	"github.com/mmapjfr/jfr/internal/remote"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

func init() {
	register.DoFn3x1[context.Context, []byte, func(string), error](&listFn{})
	register.Emitter1[string]()
}

// work is what goes to a worker: one item, or some ranges of an object. As JSON it is an element of the pipeline.
type work struct{ Items []batch.Item }

// listFn lists the objects of a job, and plans items.
type listFn struct{ Job Job }

// ProcessElement makes works of nothing.
func (f *listFn) ProcessElement(ctx context.Context, _ []byte, emit func(string)) error {
	objects, err := f.objects(ctx)
	ofServers := slices.ContainsFunc(objects, func(o batch.Object) bool { return isRemote(o.Name) })
	if err != nil && (!errors.Is(err, batch.ErrUnreadable) || !ofServers && f.Job.Manifest == "") { // otherwise it is damage
		return err
	}
	if len(objects) == 0 {
		return errors.New("there is no recording to read")
	}
	labeler, err := batch.NewLabeler(f.Job.Labels)
	if err != nil {
		return err
	}
	question, err := questionOf(f.Job.Note)
	if err != nil {
		return err
	}
	items := batch.Plan(question, objects, batch.PlanOptions{
		By: f.Job.Key, Labeler: labeler, Size: f.Job.itemSize(), CanDivide: store().CanDivide,
		Most: answers.Most(f.Job.Note), Labels: f.Job.isDataSet(),
	})
	for len(items) > 0 {
		n := min(sameObject(items), cmp.Or(f.Job.Split, defaultSplit))
		text, err := json.Marshal(work{items[:n]})
		if err != nil {
			return err
		}
		emit(string(text))
		items = items[n:]
	}
	return nil
}

// sameObject returns how many items at the beginning are ranges of one object; at least 1.
func sameObject(items []batch.Item) (n int) {
	for n = 1; n < len(items) && len(items[0].Parts) > 0 && len(items[n].Parts) > 0; n++ {
		a, b := items[0].Parts[0], items[n].Parts[0]
		if a.Object != b.Object || a.To == 0 {
			break
		}
	}
	return n
}

// objects returns the objects of the job, each once.
func (f *listFn) objects(ctx context.Context) ([]batch.Object, error) {
	if f.Job.Manifest == "" {
		return store().List(ctx, f.Job.Inputs)
	}
	data, err := readFile(ctx, f.Job.Manifest)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Job.Manifest, err)
	}
	return store().ReadManifest(ctx, bytes.NewReader(data))
}

// readFile reads a file of one of Beam's file systems.
func readFile(ctx context.Context, name string) ([]byte, error) {
	system, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	defer system.Close() // only read
	r, err := system.OpenRead(ctx, name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

// store has the objects that a worker reads, of files and of servers.
var store = sync.OnceValue(func() *batch.Store { return &batch.Store{Remote: remote.New(remote.Options{})} })

// isRemote reports whether a name is not one of the local file system.
func isRemote(name string) bool { return strings.Contains(name, "://") }
