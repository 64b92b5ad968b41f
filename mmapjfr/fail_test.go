package mmapjfr_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// isAt checks what an error says: the sentinel, the chunk and the offset.
func isAt(t testing.TB, err, want error, chunk int, offset int64) {
	t.Helper()
	require.ErrorIs(t, err, want)
	var format *mmapjfr.FormatError
	require.ErrorAs(t, err, &format)
	assert.Equal(t, chunk, format.Chunk, "chunk of: %v", err)
	assert.Equal(t, uint64(offset), format.Offset, "offset of: %v", err)
	assert.NotEmpty(t, format.Section)
}

// isEnd reports whether an error is about the end of the recording.
func isEnd(err error) bool {
	return errors.Is(err, mmapjfr.ErrTruncated) || errors.Is(err, mmapjfr.ErrUnfinished) || errors.Is(err, mmapjfr.ErrTrailing)
}
