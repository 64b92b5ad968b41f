package mmapjfr_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// flattened returns the errors that have been joined.
func flattened(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// TestErrorsNameTheFile: whatever cannot be read, the error says of which file, once, and
// a [mmapjfr.FormatError] has the name in a field of its own.
func TestErrorsNameTheFile(t *testing.T) {
	b := jfrtest.NewChunk()
	ty := b.Event("test.Event", jfrtest.Of("n", "int"))
	b.Emit(ty, start, 1)
	b.EmitRaw(jfrtest.EventOptions{}, 4711, []byte{1})
	b.EmitRaw(jfrtest.EventOptions{}, ty.ID, nil)
	data, layout := b.Build()
	data = append(data, "trailing bytes"...)
	path := filepath.Join(t.TempDir(), "damaged.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	for name, opts := range map[string][]mmapjfr.Option{path: nil, "another name": {engine.Named("another name")}} {
		rec, err := mmapjfr.Open(path, opts...)
		require.NoError(t, err)
		defer rec.Close()
		var errs []error
		_, told := walk(t, rec.Select())
		errs = append(errs, told...)
		do := func(int, mmapjfr.Event) error { return nil }
		errs = append(errs, flattened(rec.Select().Parallel(t.Context(), do))...)
		_, err = mmapjfr.Fold(t.Context(), rec.Select(), func(*int, mmapjfr.Event) error { return nil }, func(_, _ *int) {})
		errs = append(errs, flattened(err)...)
		errs = append(errs, flattened(engine.SelectionBatches(rec.Select(), context.Background(), func(int, *mmapjfr.Batch) error { return nil }))...)
		_, err = rec.EventAtOffset(uint64(layout.Events[1].Offset))
		errs = append(errs, err)
		_, err = rec.EventAtOffset(1 << 40)
		errs = append(errs, err)
		_, err = rec.EventByOrdinal(2)
		errs = append(errs, err)
		_, err = rec.EventByOrdinal(1 << 40)
		errs = append(errs, err)
		assert.Len(t, errs, 4*3+4)
		for _, err := range errs {
			require.Error(t, err)
			assert.Equal(t, 1, strings.Count(err.Error(), name), err.Error())
			format, ok := errors.AsType[*mmapjfr.FormatError](err)
			require.True(t, ok, err.Error())
			assert.Equal(t, name, format.File)
		}
	}
	_, told := walk(t, openBytes(t, data).Select())
	assert.NotContains(t, told[0].Error(), ".jfr")
}

// TestUnfinishedChunkSaysWhatIsBehind: an unfinished chunk may end with its last flush.
func TestUnfinishedChunkSaysWhatIsBehind(t *testing.T) {
	data, _ := plain(1, 2).Build()
	data[64] = 2 // the state of a chunk that is being written
	_, errs := walk(t, openBytes(t, data).Select())
	require.Len(t, errs, 1)
	assert.ErrorIs(t, errs[0], mmapjfr.ErrUnfinished)
	assert.Contains(t, errs[0].Error(), "unfinished chunk: it ends with its last flush")
	_, errs = walk(t, openBytes(t, append(data, "12345"...)).Select())
	require.Len(t, errs, 1)
	assert.Contains(t, errs[0].Error(), "it was read up to its last flush; 5 bytes after that are not complete")

	begun := data[:wire.HeaderLen]
	clear(begun[8:32]) // size, constants and metadata of what has been flushed
	begun[15], begun[64] = wire.HeaderLen, 255
	_, err := openBytes(t, begun).Chunks()[0].Types()
	assert.ErrorIs(t, err, mmapjfr.ErrUnfinished, "nothing is corrupt")
}
