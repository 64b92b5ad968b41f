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
	require.NoError(t, rec.Close())
	assert.ErrorIs(t, rec.Guard(func() error { t.Error("it is closed"); return nil }), mmapjfr.ErrClosed)
}
