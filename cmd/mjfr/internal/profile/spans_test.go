package profile

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestSpans compares with a search through all windows, for random spans and samples of some
// threads, and for pauses.
func TestSpans(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	b := jfrtest.NewChunk()
	cp := b.Checkpoint(jfrtest.MaskFlush)
	threads := []any{
		cp.Add("java.lang.Thread", 1, "os-a", 1, "a", 1, 0, false),
		cp.Add("java.lang.Thread", 2, "os-b", 2, "b", 2, 0, false),
		cp.Add("java.lang.Thread", 3, "os-c", 3, "", 0, 0, false),
	}
	span := b.Event("profiler.Span", jfrtest.Duration(), jfrtest.EventThread(), jfrtest.Of("tag", jfrtest.StringClass))
	pause := b.Event("jdk.GCPhasePause", jfrtest.Duration(), jfrtest.EventThread())
	sample := b.Event("jdk.ExecutionSample", jfrtest.Const("sampledThread", "java.lang.Thread"))
	const start = 1_000_000
	for range 400 {
		b.Emit(span, start+rng.Int64N(1e9), rng.Int64N(10e6), threads[rng.IntN(3)], []string{"x", "y"}[rng.IntN(2)])
		b.Emit(sample, start+rng.Int64N(1e9), threads[rng.IntN(3)])
		b.Emit(pause, start+rng.Int64N(1e9), rng.Int64N(1e6), threads[rng.IntN(3)])
	}
	rec := opentest.Bytes(t, b.Bytes())
	recs := []*mmapjfr.Recording{rec}
	slow, err := slowRequests(t.Context(), recs, 4*time.Millisecond, "", "x")
	require.NoError(t, err)
	paused, err := pauses(t.Context(), recs)
	require.NoError(t, err)
	inSlow, inPause := 0, 0
	for s, err := range rec.Select(mmapjfr.Types("jdk.ExecutionSample")).Events() {
		require.NoError(t, err)
		wantSlow, wantPause := false, false
		for ev, err := range rec.Select(mmapjfr.Types("profiler.Span", "jdk.GCPhasePause")).Events() {
			require.NoError(t, err)
			within := s.StartNanos() >= ev.StartNanos() && s.StartNanos() < engine.EventEndNanos(ev)
			if ev.Type().Name() == "jdk.GCPhasePause" {
				wantPause = wantPause || within
			} else if ev.Duration() >= 4*time.Millisecond && ev.Str(mmapjfr.Path("tag")) == "x" && ev.Thread().Key() == s.Thread().Key() {
				wantSlow = wantSlow || within
			}
		}
		require.Equal(t, wantSlow, slow.contains(s))
		require.Equal(t, wantPause, paused.contains(s))
		if wantSlow {
			inSlow++
		}
		if wantPause {
			inPause++
		}
	}
	assert.Positive(t, inSlow)
	assert.Positive(t, inPause)
	none, err := slowRequests(t.Context(), recs, time.Hour, "", "")
	require.NoError(t, err)
	assert.True(t, none.isEmpty())
	named, err := slowRequests(t.Context(), recs, 0, "jdk.GCPhasePause", "")
	require.NoError(t, err)
	assert.False(t, named.isEmpty())
}
