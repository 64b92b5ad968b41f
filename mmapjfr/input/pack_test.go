package input_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

const testdata = "../../testdata"

// recording is the bytes of a recording of the tests.
func recording(t testing.TB, name string) []byte {
	data, err := os.ReadFile(filepath.Join(testdata, name))
	require.NoError(t, err)
	return data
}

// way is a way to pack.
type way struct {
	name string
	pack func(testing.TB, []byte) []byte
}

// ways are all ways to pack a stream.
var ways = []way{
	{"gzip", func(t testing.TB, data []byte) []byte {
		return packed(t, data, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
	}},
	{"zstd", func(t testing.TB, data []byte) []byte {
		return packed(t, data, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
	}},
	{"lz4", func(t testing.TB, data []byte) []byte {
		return packed(t, data, func(w io.Writer) (io.WriteCloser, error) { return lz4.NewWriter(w), nil })
	}},
	{"xz", func(t testing.TB, data []byte) []byte {
		return packed(t, data, func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) })
	}},
	{"zip", func(t testing.TB, data []byte) []byte { return zipped(t, member{"in/app.jfr", data}) }},
}

// gzipped is the way that most tests take.
func gzipped(t testing.TB, data []byte) []byte { return ways[0].pack(t, data) }

func packed(t testing.TB, data []byte, open func(io.Writer) (io.WriteCloser, error)) []byte {
	var b bytes.Buffer
	w, err := open(&b)
	require.NoError(t, err)
	_, err = w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// member is a file in an archive.
type member struct {
	name string
	data []byte
}

func zipped(t testing.TB, members ...member) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		w, err := z.Create(m.name)
		require.NoError(t, err)
		_, err = w.Write(m.data)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

// write makes a file and returns its path.
func write(t testing.TB, dir, name string, data []byte) string {
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, data, 0o666))
	return path
}

// note is what Options.OnError was told.
type note struct {
	name string
	err  error
}

// notes are all it was told.
type notes []note

func (n *notes) add(name string, err error) { *n = append(*n, note{name, err}) }

// options are those with a directory for temporary files that must be empty in the
// end, and with somewhere for notes to go.
func options(t *testing.T) (input.Options, *notes) {
	o := input.Options{TempDir: filepath.Join(t.TempDir(), "temp"), OnError: nil}
	require.NoError(t, os.Mkdir(o.TempDir, 0o777))
	list := new(notes)
	o.OnError = list.add
	t.Cleanup(func() { noFiles(t, o.TempDir) })
	return o, list
}

func noFiles(t testing.TB, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left, "files left behind")
}

// open opens the set and closes it when the test ends.
func open(t *testing.T, o input.Options, names ...string) *input.Set {
	t.Helper()
	set, err := input.Open(context.Background(), names, o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, set.Close()) })
	return set
}

// holds checks which recordings are in the set, in which order and by which names.
func holds(t testing.TB, set *input.Set, want ...member) {
	t.Helper()
	var names, wanted []string
	for _, rec := range set.Recordings {
		names = append(names, set.Name(rec))
	}
	for _, m := range want {
		wanted = append(wanted, m.name)
	}
	require.Equal(t, wanted, names)
	for i, rec := range set.Recordings {
		require.True(t, bytes.Equal(want[i].data, engine.RecordingIndex(rec).Data()), "%s: other bytes", want[i].name)
	}
}
