package profile_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// TestLeaks writes allocations and what frees them in any order, and knows which of them stay.
func TestLeaks(t *testing.T) {
	const start, tenth = 1_000_000, 100_000_000
	rng := rand.New(rand.NewPCG(5, 6))
	b := jfrtest.NewChunk()
	cp := b.Checkpoint(jfrtest.MaskFlush)
	thread := cp.Add("java.lang.Thread", 1, "os-a", 1, "a", 1, 0, false)
	malloc := b.Event("profiler.Malloc", jfrtest.EventThread(), jfrtest.Of("address", "long"), jfrtest.Of("size", "long"))
	free := b.Event("profiler.Free", jfrtest.EventThread(), jfrtest.Of("address", "long"))
	b.Header.DurationNanos = 10 * tenth
	var emits []func()
	wantCount, wantBytes := int64(0), int64(0)
	for i := range int64(1000) {
		at, size, address := start+rng.Int64N(8*tenth), 1+rng.Int64N(1000), i
		emits = append(emits, func() { b.Emit(malloc, at, thread, address, size) })
		switch i % 3 {
		case 0:
			wantCount, wantBytes = wantCount+1, wantBytes+size
		case 1: // freed later
			emits = append(emits, func() { b.Emit(free, at+1+rng.Int64N(tenth), thread, address) })
		case 2: // freed, and allocated again where another one was
			emits = append(emits, func() { b.Emit(free, at+1, thread, address) }, func() { b.Emit(malloc, at+2, thread, address, 7) })
			wantCount, wantBytes = wantCount+1, wantBytes+7
		}
	}
	emits = append(emits, func() { b.Emit(malloc, start, thread, int64(-1), 1) }, func() { b.Emit(free, start+10*tenth, thread, int64(-1)) },
		func() { b.Emit(malloc, start+9*tenth+1, thread, int64(-2), 1) }) // in the last tenth
	rng.Shuffle(len(emits), func(i, j int) { emits[i], emits[j] = emits[j], emits[i] })
	for _, emit := range emits {
		emit()
	}
	rec := opentest.Bytes(t, b.Bytes())
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Kinds: []string{"leak"}})
	require.NoError(t, err)
	gotCount, gotBytes := int64(0), int64(0)
	for s := range p.Samples() {
		gotCount, gotBytes = gotCount+s.Values[0], gotBytes+s.Values[1]
	}
	assert.Equal(t, wantCount, gotCount)
	assert.Equal(t, wantBytes, gotBytes)
}

// TestFirstSamples writes threads that had allocated much before the recording began. Their first
// samples weigh what others do, in whatever part of the time is read.
func TestFirstSamples(t *testing.T) {
	const start = 1_000_000
	b := jfrtest.NewChunk()
	b.Header.DurationNanos = 1e9
	cp := b.Checkpoint(jfrtest.MaskFlush)
	sample := b.Event("jdk.ObjectAllocationSample", jfrtest.EventThread(), jfrtest.Of("weight", "long"))
	want := int64(0)
	for n := range int64(10) {
		thread := cp.Add("java.lang.Thread", n+1, "os", n+1, "a", n+1, 0, false)
		for i := int64(9); i > 0; i-- { // the first one comes last
			b.Emit(sample, start+i*1e8, thread, int64(1000))
			want += 1000
		}
		b.Emit(sample, start+n, thread, int64(1e12))
		want += 1000
	}
	rec := opentest.Bytes(t, b.Bytes())
	got := int64(0)
	half := rec.Start().Add(rec.Duration() / 2)
	for _, f := range []mmapjfr.Filter{mmapjfr.Between(rec.Start(), half), mmapjfr.Between(half, rec.Start().Add(time.Hour))} {
		p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Kinds: []string{"alloc"}, Filters: []mmapjfr.Filter{f}})
		require.NoError(t, err)
		for s := range p.Samples() {
			got += s.Values[1]
		}
	}
	assert.Equal(t, want, got)
}

// TestNotesOfWhatCounts writes samples that weigh too much beside events that measure the same, and
// are taken in their place.
func TestNotesOfWhatCounts(t *testing.T) {
	b := jfrtest.NewChunk()
	thread := b.Checkpoint(jfrtest.MaskFlush).Add("java.lang.Thread", 1, "os", 1, "a", 1, 0, false)
	sample := b.Event("jdk.ObjectAllocationSample", jfrtest.EventThread(), jfrtest.Of("weight", "long"))
	tlab := b.Event("jdk.ObjectAllocationInNewTLAB", jfrtest.EventThread(), jfrtest.Of("tlabSize", "long"))
	b.Emit(sample, int64(1), thread, int64(1e12))
	for i := range int64(9) {
		b.Emit(sample, 2+i, thread, int64(1000))
		b.Emit(tlab, 2+i, thread, int64(1000))
	}
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{opentest.Bytes(t, b.Bytes())}, profile.Options{Kinds: []string{"alloc"}})
	require.NoError(t, err)
	assert.Equal(t, []string{"alloc: jdk.ObjectAllocationSample is left out of chunks with jdk.ObjectAllocationInNewTLAB, which measures the same"}, p.Notes())
}

// TestWallTimes reads samples of wall-clock time that an event has put together. With times they are
// where the profiler took them.
func TestWallTimes(t *testing.T) {
	const start, ms = 1_000_000, int64(time.Millisecond)
	b := jfrtest.NewChunk()
	cp := b.Checkpoint(jfrtest.MaskFlush)
	thread := cp.Add("java.lang.Thread", 1, "os-a", 1, "a", 1, 0, false)
	setting := b.Event("jdk.ActiveSetting", jfrtest.Of("id", "long"), jfrtest.Of("name", "java.lang.String"), jfrtest.Of("value", "java.lang.String"))
	sample := b.Event("profiler.WallClockSample", jfrtest.Const("sampledThread", "java.lang.Thread"), jfrtest.Of("samples", "int"))
	b.Header.DurationNanos = 1000 * ms
	b.Emit(setting, int64(start), int64(1), "wall", "30000000")
	b.Emit(sample, start+100*ms, thread, int32(3))     // at 100, 130 and 160 ms
	b.Emit(sample, start+200*ms, thread, int32(1<<30)) // more than fit
	rec := opentest.Bytes(t, b.Bytes())
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Kinds: []string{"wall"}, Times: 50 * time.Millisecond})
	require.NoError(t, err)
	got := make(map[int64][]int64)
	for s := range p.Samples() {
		got[(s.Time-rec.Start().UnixNano())/ms] = s.Values
	}
	assert.Equal(t, map[int64][]int64{100: {2, 60 * ms}, 150: {1, 30 * ms}, 200: {1 << 30, 30 * ms << 30}}, got)
}
