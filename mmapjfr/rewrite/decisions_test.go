package rewrite_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// limited is a writer that fails after some bytes.
type limited struct {
	bytes.Buffer
	limit int
	full  func() error
}

func (w *limited) Write(b []byte) (int, error) {
	if w.Len()+len(b) > w.limit {
		return 0, w.full()
	}
	return w.Buffer.Write(b)
}

// TestChunksAtTheBeginning copies many chunks, of which the last ones are made anew, so that those before are written while
// others are still decided on: the copy is the same with any number of workers. A write that fails, and the end of the
// context, end it in each chunk.
func TestChunksAtTheBeginning(t *testing.T) {
	data := bytes.Repeat(longtest.Read(t, "../../testdata/jdk25-chunks.jfr"), 8)
	rec := open(t, data)
	require.NotNil(t, rec)
	chunks := rec.Chunks()
	last := slices.MaxFunc(chunks, func(a, b mmapjfr.Chunk) int { return a.End().Compare(b.End()) })
	plans := map[string]rewrite.Plan{
		"all":      {},
		"some":     {To: last.Start().Add(last.Duration() / 2), Context: true},
		"by time":  {ByTime: true},
		"the last": {From: last.Start().Add(last.Duration() / 2)},
		"none":     {From: last.End().Add(time.Hour)},
	}
	for name, plan := range plans {
		t.Run(name, func(t *testing.T) {
			plan.Workers = 1
			want, report := rewritten(t, &plan, rec)
			for workers := range 5 {
				plan.Workers = workers + 1
				read := uint64(0)
				plan.Progress = func(n uint64) { read += n }
				got, again := rewritten(t, &plan, rec)
				require.True(t, bytes.Equal(want, got), "with %d workers", workers+1)
				assert.Equal(t, report, again)
				assert.EqualValues(t, len(data), read)
			}
			for limit := 0; limit < len(want); limit += len(want)/40 + 1 {
				full := errors.New("full")
				_, err := rewrite.Write(t.Context(), &limited{limit: limit, full: func() error { return full }}, []*mmapjfr.Recording{rec}, &plan)
				require.ErrorIs(t, err, full)
				ctx, cancel := context.WithCancelCause(t.Context())
				w := &limited{limit: limit, full: func() error { cancel(full); return errors.New("another") }}
				_, err = rewrite.Write(ctx, w, []*mmapjfr.Recording{rec}, &plan)
				require.Error(t, err)
			}
		})
	}
}
