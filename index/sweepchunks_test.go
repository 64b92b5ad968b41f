package index_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

func TestSweepChunks(t *testing.T) {
	one := checkpoints(jfrtest.NewChunk(), 30).Bytes()
	x, want := newIndex(t, join(one, one, one)), newIndex(t, one)
	require.NoError(t, index.SweepChunks(t.Context(), x.Chunks()[1:2], 2))
	assert.Nil(t, x.Chunks()[0].CachedConstants())
	assert.Nil(t, x.Chunks()[2].CachedConstants())
	require.NotNil(t, x.Chunks()[1].CachedConstants())
	assert.Equal(t, index.Dump(constantsOf(t, want.Chunks()[0])), index.Dump(x.Chunks()[1].CachedConstants()))

	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	assert.ErrorIs(t, index.SweepChunks(ctx, x.Chunks()[:1], 2), reason)
	assert.Nil(t, x.Chunks()[0].CachedConstants())
}
