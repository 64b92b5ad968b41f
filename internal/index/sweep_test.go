package index_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// checkSweep compares what a sweep on any number of goroutines finds with what
// each chunk finds for itself.
func checkSweep(t *testing.T, data []byte) {
	t.Helper()
	want := newIndex(t, data)
	for _, workers := range []int{2, 1, 7, 0}[:longtest.Cases(2, 4)] {
		x := newIndex(t, data)
		var bytes atomic.Uint64
		_ = index.Sweep(context.Background(), x.Chunks(), workers, func(n uint64) { bytes.Add(n) })
		all := uint64(0)
		for i, c := range x.Chunks() {
			all += uint64(len(c.Data()))
			k, err := want.Chunks()[i].Constants()
			if err != nil {
				assert.Nil(t, c.CachedConstants())
				_, again := c.Constants()
				assert.EqualError(t, again, err.Error())
				continue
			}
			require.NotNil(t, c.CachedConstants())
			require.Equal(t, index.Dump(k), index.Dump(c.CachedConstants()), "%d workers", workers)
			types, _ := c.Types()
			require.Len(t, types.Types, len(typesOf(t, want.Chunks()[i]).Types))
			before := c.CachedConstants()
			_ = index.Sweep(context.Background(), x.Chunks(), workers, nil)
			require.Same(t, before, c.CachedConstants(), "a second sweep finds all done")
		}
		assert.Equal(t, all, bytes.Load())
	}
}

func TestSweepOfRecordings(t *testing.T) {
	eachRecording(t, checkSweep)
}

// checkpoints is a chunk of many checkpoints that share keys, and have some twice.
func checkpoints(b *jfrtest.Builder, n int) *jfrtest.Builder {
	b.Class("test.Other", jfrtest.Of("a", "int"), jfrtest.Of("s", jfrtest.StringClass))
	for i := range n {
		cp := b.Checkpoint(byte(i % 4))
		for j := range i % 5 {
			cp.Add("jdk.types.Symbol", i*3%17+j, "symbol")
			cp.Add("test.Other", int64(i*j)<<30, i, "text")
			cp.Add("jdk.types.Symbol", i*3%17+j%2, "again")
		}
		if i%7 == 3 {
			cp.Pool("jdk.types.FrameType") // of nothing
		}
	}
	return b
}

// Each byte of the checkpoints is damaged in turn.
func TestSweepOfDamage(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		data, layout := checkpoints(b, 9).Build()
		for _, cp := range layout.Checkpoints {
			for at := cp.Offset; at < cp.End(); at += int64(longtest.Cases(13, 1)) {
				damaged := append([]byte(nil), data...)
				damaged[at] ^= 0xff >> (at % 8)
				checkSweep(t, damaged)
			}
		}
		checkSweep(t, put(data, metadataAt, uint64(len(data))))
		checkSweep(t, put(data, checkpointAt, uint64(len(data)-1)))
	})
}

// Some ask for the constants while they are being swept.
func TestSweepAndConstants(t *testing.T) {
	data := testdata(t, "jdk25-chunks")
	want := newIndex(t, data)
	x := newIndex(t, data)
	done := make(chan error)
	for i := range 4 {
		go func() {
			if i == 0 {
				_ = index.Sweep(context.Background(), x.Chunks(), 3, nil)
				done <- nil
				return
			}
			for _, c := range x.Chunks() {
				if _, err := c.Constants(); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 4 {
		require.NoError(t, <-done)
	}
	for i, c := range x.Chunks() {
		k := constantsOf(t, want.Chunks()[i])
		assert.Equal(t, index.Dump(k), index.Dump(c.CachedConstants()))
	}
}

func TestSweepEndsWhenItIsCancelled(t *testing.T) {
	data, _ := checkpoints(jfrtest.NewChunk(), 40).Build()
	reason := errors.New("enough")
	for _, workers := range []int{1, 3} {
		x := newIndex(t, data)
		ctx, cancel := context.WithCancelCause(t.Context())
		calls := atomic.Int64{}
		err := index.Sweep(ctx, x.Chunks(), workers, func(uint64) {
			switch n := calls.Add(1); {
			case n == 3:
				cancel(reason)
			case n > 3: // on another worker, which is not to be done before
				<-ctx.Done()
			}
		})
		require.ErrorIs(t, err, reason)
		assert.Less(t, calls.Load(), int64(20), "it went on")
		assert.Nil(t, x.Chunks()[0].CachedConstants(), "constants of half a chunk")
		require.NoError(t, index.Sweep(t.Context(), x.Chunks(), workers, nil))
		k, err := newIndex(t, data).Chunks()[0].Constants()
		require.NoError(t, err)
		assert.Equal(t, index.Dump(k), index.Dump(x.Chunks()[0].CachedConstants()))
	}
}

func TestSweepChunks(t *testing.T) {
	one := checkpoints(jfrtest.NewChunk(), 30).Bytes()
	x, want := newIndex(t, join(one, one, one)), newIndex(t, one)
	require.NoError(t, index.Sweep(t.Context(), x.Chunks()[1:2], 2, nil))
	assert.Nil(t, x.Chunks()[0].CachedConstants())
	assert.Nil(t, x.Chunks()[2].CachedConstants())
	require.NotNil(t, x.Chunks()[1].CachedConstants())
	assert.Equal(t, index.Dump(constantsOf(t, want.Chunks()[0])), index.Dump(x.Chunks()[1].CachedConstants()))

	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	assert.ErrorIs(t, index.Sweep(ctx, x.Chunks()[:1], 2, nil), reason)
	assert.Nil(t, x.Chunks()[0].CachedConstants())
}
