package mmapjfr_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

func TestGuard(t *testing.T) {
	rec := openBytes(t, small().Bytes())
	want := errors.New("of do")
	assert.ErrorIs(t, rec.Guard(func() error { return want }), want)
	assert.NoError(t, rec.Guard(func() error { return nil }))
	assert.PanicsWithValue(t, "of do", func() { _ = rec.Guard(func() error { panic("of do") }) })
	chunk := rec.Chunks()[0]
	assert.ErrorIs(t, chunk.Guard(func() error { return want }), want)
	require.NoError(t, rec.Close())
	never := func() error { t.Error("it is closed"); return nil }
	assert.ErrorIs(t, rec.Guard(never), mmapjfr.ErrClosed)
	assert.ErrorIs(t, chunk.Guard(never), mmapjfr.ErrClosed)
	assert.ErrorIs(t, mmapjfr.Chunk{}.Guard(never), mmapjfr.ErrClosed)
}
