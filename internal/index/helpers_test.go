package index_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// recording is a recording file of the tests, unpacked.
type recording struct {
	name string
	data []byte
}

// corpus returns the recordings of the project and those of other producers.
func corpus(t testing.TB) (all []recording) {
	t.Helper()
	for _, path := range append(longtest.Recordings(t), longtest.Others(t)...) {
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		all = append(all, recording{name, longtest.Read(t, path)})
	}
	return all
}

// refused are recordings of formats that are not read.
var refused = []string{"7u40", "8u40"}

// eachRecording runs a test with all recordings of the corpus that can be read.
func eachRecording(t *testing.T, do func(t *testing.T, data []byte)) {
	t.Helper()
	for _, r := range corpus(t) {
		if r.name == refused[0] || r.name == refused[1] {
			continue
		}
		t.Run(r.name, func(t *testing.T) { do(t, r.data) })
	}
}

// testdata returns one of the project's own recordings.
func testdata(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../testdata/" + name + ".jfr")
	require.NoError(t, err)
	return data
}

// eachForm runs a test with compressed and with raw integers.
func eachForm(t *testing.T, do func(t *testing.T, b *jfrtest.Builder)) {
	t.Helper()
	t.Run("compressed", func(t *testing.T) { do(t, jfrtest.NewChunk()) })
	t.Run("raw", func(t *testing.T) { do(t, jfrtest.NewChunk().Uncompressed()) })
}

func newIndex(t testing.TB, data []byte) *index.Index {
	t.Helper()
	x, err := index.New(data)
	require.NoError(t, err)
	return x
}

// onlyChunk returns the chunk of a recording that has one and no fault around it.
func onlyChunk(t testing.TB, data []byte) *index.Chunk {
	t.Helper()
	x := newIndex(t, data)
	require.Len(t, x.Chunks(), 1)
	require.NoError(t, x.TrailingErr())
	require.NoError(t, x.Chunks()[0].LeadingErr())
	return x.Chunks()[0]
}

func typesOf(t testing.TB, c *index.Chunk) *schema.TypeSet {
	t.Helper()
	types, err := c.Types()
	require.NoError(t, err)
	return types
}

func constantsOf(t testing.TB, c *index.Chunk) *index.Constants {
	t.Helper()
	k, err := c.Constants()
	require.NoError(t, err)
	return k
}

// reference decodes what there is of a chunk with the reference decoder. All
// offsets then count from the start of the chunk.
func reference(t testing.TB, c *index.Chunk) *jfrtest.Chunk {
	t.Helper()
	rec, err := jfrtest.Decode(c.Data())
	require.NoError(t, err)
	require.Len(t, rec.Chunks, 1)
	return rec.Chunks[0]
}

// records returns the frames of all events of a chunk.
func records(t testing.TB, c *index.Chunk) []index.EventHeader {
	t.Helper()
	all, next, err := walk(c)
	require.NoError(t, err)
	require.Equal(t, uint64(len(c.Data())), next)
	return all
}

// walk reads the frames of a chunk as far as they go, a few at a time.
func walk(c *index.Chunk) (all []index.EventHeader, next uint64, err error) {
	next = c.FirstEvent()
	buf := make([]index.EventHeader, 7)
	for {
		var n int
		n, next, err = c.ReadHeaders(next, math.MaxUint64, buf)
		all = append(all, buf[:n]...)
		if err != nil || n < len(buf) {
			return all, next, err
		}
	}
}

// wantFault checks that an error is a FormatError of that kind and place.
func wantFault(t testing.TB, err, sentinel error, chunk int, offset uint64) {
	t.Helper()
	require.ErrorIs(t, err, sentinel)
	var f *index.FormatError
	require.ErrorAs(t, err, &f)
	assert.Equal(t, chunk, f.Chunk, "chunk of %v", err)
	assert.Equal(t, offset, f.Offset, "offset of %v", err)
	assert.NotEmpty(t, f.Section)
}

// sentinels are all that an error of this package can match.
var sentinels = []error{
	index.ErrEmpty, index.ErrNotRecording, index.ErrUnsupported, index.ErrCorrupt, index.ErrTruncated,
	index.ErrUnfinished, index.ErrTrailing, index.ErrNoEvent, index.ErrUnknownType,
}

// matches reports whether an error, if it is one, matches a sentinel and says where.
func matches(err error) bool {
	if err == nil {
		return true
	}
	var f *index.FormatError
	if !errors.As(err, &f) {
		return false
	}
	for _, s := range sentinels {
		if errors.Is(err, s) {
			return true
		}
	}
	return false
}
