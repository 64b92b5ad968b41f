package mmapjfr_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// cutBy is how many bytes the recordings of these tests lack.
var cutBy = []int{1, 100, 5_000, 100_000}

// withCopies returns the recordings of testdata of one chunk that hold copies of its header.
func withCopies(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("../testdata/*.jfr")
	require.NoError(t, err)
	list := make(map[string][]byte)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		h, ok := wire.ReadHeader(data)
		if ok && h.Size == uint64(len(data)) && bytes.Count(data, []byte(wire.Magic)) > 1 {
			list[filepath.Base(path)] = data
		}
	}
	require.Greater(t, len(list), 10)
	return list
}

// offsets returns where the events of a recording lie, and what is wrong with it besides
// types that nothing describes any more.
func offsets(t *testing.T, data []byte, opts ...mmapjfr.Option) (at []int64, chunks int, errs []error) {
	t.Helper()
	rec, err := mmapjfr.OpenBytes(data, opts...)
	require.NoError(t, err)
	defer func() { require.NoError(t, rec.Close()) }()
	for ev, err := range rec.Events() {
		switch {
		case err == nil:
			at = append(at, int64(ev.Offset()))
		case !strings.Contains(err.Error(), "unknown event type"):
			errs = append(errs, err)
		}
	}
	return at, len(rec.Chunks()), errs
}

// A JDK's checkpoints hold copies of the header, which are no chunks.
func TestCutRecordingsHaveTheirEvents(t *testing.T) {
	for name, data := range withCopies(t) {
		for _, n := range cutBy {
			if n > 1 && (len(data) < 300_000 || n == 5_000 && !longtest.Enabled()) {
				continue
			}
			cut := data[:len(data)-n]
			want, _, _ := offsets(t, cut, mmapjfr.Salvage())
			got, chunks, errs := offsets(t, cut)
			assert.Equal(t, want, got, "%s without %d bytes", name, n)
			assert.Equal(t, 1, chunks, "%s without %d bytes", name, n)
			require.Len(t, errs, 1, "%s without %d bytes", name, n)
			if h, _ := wire.ReadHeader(data); h.Finished() {
				require.ErrorIs(t, errs[0], mmapjfr.ErrTruncated)
				assert.ErrorContains(t, errs[0], "are there; copy it again, its end is missing")
			} else {
				require.ErrorIs(t, errs[0], mmapjfr.ErrUnfinished)
			}
		}
	}
}

// The newest checkpoint and the newest metadata lie at the end, but the others are there.
func TestCutRecordingsHaveTheirConstants(t *testing.T) {
	data := withCopies(t)["jdk25-profile.jfr"]
	for _, n := range cutBy {
		rec, err := mmapjfr.OpenBytes(data[:len(data)-n])
		require.NoError(t, err)
		named, thread := 0, mmapjfr.Path("eventThread.javaName")
		for ev, err := range rec.Events() {
			if err == nil && ev.Get(thread).Str() != "" {
				named++
			}
		}
		assert.Greater(t, named, 1000, "without %d bytes", n)
		require.NoError(t, rec.Close())
	}
}

// What was joined to a recording without its end is found.
func TestCutRecordingBeforeAnother(t *testing.T) {
	next, err := os.ReadFile("../testdata/jdk17-kinds.jfr")
	require.NoError(t, err)
	whole, _, errs := offsets(t, next)
	require.Empty(t, errs)
	for name, data := range withCopies(t) {
		if h, _ := wire.ReadHeader(data); !h.Finished() {
			continue
		}
		for _, n := range []int{1, 5_000} {
			cut := data[:len(data)-n]
			got, chunks, errs := offsets(t, slices.Concat(cut, next))
			assert.Equal(t, 2, chunks, "%s without %d bytes", name, n)
			assert.NotEmpty(t, errs, "%s without %d bytes", name, n)
			want, _, _ := offsets(t, cut)
			for _, at := range whole {
				want = append(want, at+int64(len(cut)))
			}
			assert.Equal(t, want, got, "%s without %d bytes", name, n)
		}
	}
}
