package input

import (
	"bufio"
	"errors"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/remote"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// URLOptions say how objects of URLs are fetched.
type URLOptions struct {
	// CacheLimit is how many bytes of the open objects may be on the disk; 0 is 4 GiB.
	CacheLimit int64
	// TempDir is where files lie until their recording is closed; empty is os.TempDir.
	TempDir string
}

// URLs returns what opens https://, http://, s3://bucket/key, gs://bucket/key and
// azblob://container/blob, for [Options].Remote. In the last three, names with *, ? or [ are
// patterns as in [path.Match], and a name that ends in / stands for the recordings directly below
// it. Chunks are fetched before they are read.
//
// Credentials come from the usual places. For s3: AWS_ACCESS_KEY_ID and so on, the file of
// AWS_PROFILE, a role of the container or machine; AWS_REGION, AWS_ENDPOINT_URL_S3. For gs: the
// application default credentials; STORAGE_EMULATOR_HOST. For azblob: AZURE_STORAGE_ACCOUNT with
// AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or AZURE_STORAGE_CONNECTION_STRING. Without any,
// requests are anonymous. Messages never show credentials or the query of a URL.
func URLs(o URLOptions) remote.Opener {
	return remote.New(remote.Options{CacheLimit: o.CacheLimit, TempDir: o.TempDir})
}

// urls opens the objects that a name stands for.
func (op *opener) urls(name string) error {
	op.set.mode &= private
	objects, many, err := op.Remote.List(op.ctx, name, false)
	if err != nil {
		return at(op.Remote.Show(name), op.failed(err))
	}
	if !many {
		return at(op.Remote.Show(name), op.failed(op.object(name)))
	}
	defer op.onlyRecordings()()
	before := len(op.set.Recordings)
	for _, object := range objects {
		err := op.object(object.Name)
		if stop := op.stopped(); stop != nil {
			return at(op.Remote.Show(object.Name), stop)
		}
		if err != nil {
			op.found(op.Remote.Show(object.Name), err)
		}
	}
	if len(op.set.Recordings) == before {
		return at(op.Remote.Show(name), noneInside("list of objects"))
	}
	return nil
}

// failed returns why everything ends, or else err.
func (op *opener) failed(err error) error {
	if err == nil {
		return nil
	}
	return op.stopOr(err)
}

// object opens one object.
func (op *opener) object(name string) error {
	if slices.Contains(op.objects, name) {
		return nil
	}
	o, err := op.Remote.Open(op.ctx, name)
	if err != nil {
		return err
	}
	shown := op.Remote.Show(name)
	head := o.Head()
	if op.Bytes == nil && o.Ranges() && (isRecording(head) || op.Salvage && len(head) > 0 && packingOf(head) == nil) {
		var rec *mmapjfr.Recording
		if rec, err = mmapjfr.OpenSource(o, append(op.unpackedOptions(), engine.Named(shown))...); err == nil {
			op.set.add(rec, shown)
		} else if !errors.Is(err, mmapjfr.ErrUnfetched) {
			err = OpenError(err)
		}
	} else {
		err = op.whole(shown, o)
	}
	if err == nil {
		op.objects = append(op.objects, name)
	}
	return err
}

// whole opens an object that is read from beginning to end.
func (op *opener) whole(shown string, o remote.Object) (err error) {
	op.keep = o.Keep
	defer func() {
		if op.keep = nil; err != nil {
			_ = o.Close() // only read
			return
		}
		op.set.objects = append(op.set.objects, o)
	}()
	r := o.Reader()
	defer r.Close() // only read
	s := &source{op: op, name: shown, r: r, total: o.Size()}
	defer s.end()
	return op.contents(shown, bufio.NewReaderSize(&layer{op: op, r: s}, readSize), nil, 0)
}
