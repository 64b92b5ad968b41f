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
	assert.ErrorIs(t, rec.Protect(func() error { return want }), want)
	assert.NoError(t, rec.Protect(func() error { return nil }))
	assert.PanicsWithValue(t, "of do", func() { _ = rec.Protect(func() error { panic("of do") }) })
	chunk := rec.Chunks()[0]
	assert.ErrorIs(t, chunk.Protect(func() error { return want }), want)
	require.NoError(t, rec.Close())
	never := func() error { t.Error("it is closed"); return nil }
	assert.ErrorIs(t, rec.Protect(never), mmapjfr.ErrClosed)
	assert.ErrorIs(t, chunk.Protect(never), mmapjfr.ErrClosed)
	assert.ErrorIs(t, (mmapjfr.Chunk{}).Protect(never), mmapjfr.ErrClosed)
}

// TestIsStandard tells whose function has panicked. Tests belong to this module.
func TestIsStandard(t *testing.T) {
	for function, want := range map[string]bool{
		"strings.Repeat": true, "encoding/binary.littleEndian.Uint32": true, "slices.SortFunc[...]": true, "vendor/golang.org/x/net.F": true,
		"main.main.func1": false, "github.com/mmapjfr/jfr/mmapjfr.Open": false, "example.com/x.(*T).F": false,
	} {
		assert.Equal(t, want, mmapjfr.IsStandard(function), function)
	}
}
