package index_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

func TestEventCutOffInItsHead(t *testing.T) {
	for name, head := range map[string][]byte{
		"inside its size": {0x80}, "after its size": {5}, "inside its type": {5, 0x80},
	} {
		t.Run(name, func(t *testing.T) {
			b := small(1)
			data, _ := b.Build()
			at := uint64(len(data))
			c := onlyChunk(t, put(join(data, head), sizeAt, at+uint64(len(head))))
			_, next, err := walk(c)
			assert.Equal(t, at, next)
			wantFault(t, err, index.ErrCorrupt, 0, at)
			assert.ErrorContains(t, err, "inside the event's size and type")
		})
	}
}

func TestRecordsOutside(t *testing.T) {
	c := onlyChunk(t, small(1).Bytes())
	end := uint64(len(c.Data()))
	buf := make([]index.EventHeader, 3)
	for _, offset := range []uint64{end, end + 1, 1<<64 - 1} {
		n, next, err := c.ReadHeaders(offset, math.MaxUint64, buf)
		assert.NoError(t, err)
		assert.Zero(t, n)
		assert.Equal(t, offset, next)
	}
	for _, offset := range []uint64{0, 67} {
		n, next, err := c.ReadHeaders(offset, math.MaxUint64, buf)
		wantFault(t, err, index.ErrCorrupt, 0, offset)
		assert.Zero(t, n)
		assert.Equal(t, offset, next)
	}
	n, next, err := c.ReadHeaders(c.FirstEvent(), math.MaxUint64, nil)
	assert.NoError(t, err)
	assert.Zero(t, n)
	assert.Equal(t, c.FirstEvent(), next)
}

// TestTouched reads 40 MB of constants in other ways than by a walk: all is passed from time to
// time, and seldom.
func TestTouched(t *testing.T) {
	b := jfrtest.NewChunk()
	const n = 800
	for i := range n {
		b.Constant(jfrtest.StringClass, 1+i, jfrtest.Latin1(strings.Repeat("x", 50_000)))
	}
	data := b.Bytes()
	x, err := index.New(data)
	require.NoError(t, err)
	c, passed := x.Chunks()[0], 0
	x.SetPassed(func(from, to uint64) {
		if from == 0 {
			passed++
			assert.Equal(t, uint64(len(data)), to)
		}
	})
	var k *index.Constants
	for _, read := range []func(){
		func() {
			k, err = c.Constants()
			require.NoError(t, err)
		},
		func() {
			for i := range int64(n) {
				_, ok := k.Lookup(k.Named(jfrtest.StringClass), 1+i)
				assert.True(t, ok)
				_, _ = k.Lookup(k.Named(jfrtest.StringClass), 1) // again and again
			}
		},
		func() { k.All(k.Named(jfrtest.StringClass), func(int64, uint64) bool { return true }) },
		func() { c.Touch(0, c.Size()) },
	} {
		passed = 0
		for range 4 {
			read()
		}
		assert.LessOrEqual(t, passed, 5)
		assert.GreaterOrEqual(t, passed, 1)
	}
}

// TestStarts compares the times of each chunk with those of its blocks, also in recordings that are
// generated, and wrong.
func TestStarts(t *testing.T) {
	var all [][]byte
	for _, path := range longtest.Recordings(t) {
		all = append(all, longtest.Read(t, path))
	}
	for _, program := range jfrtest.Programs(longtest.Cases(200, 5000), 3) {
		all = append(all, jfrtest.Generate(program), jfrtest.GenerateFaulty(program))
	}
	found := 0
	for i, data := range all {
		x, err := index.New(data)
		if err != nil {
			continue
		}
		for _, c := range x.Chunks() {
			least, greatest, ok := c.Starts()
			if !ok {
				continue
			}
			found++
			blocks := c.Blocks()
			first, last := int64(math.MaxInt64), int64(math.MinInt64)
			for n := range blocks.Len() {
				if a, b, ok := blocks.Times(n); ok {
					first, last = min(first, a), max(last, b)
				}
			}
			require.NoError(t, blocks.Err(), "%d", i)
			require.Equal(t, [2]int64{first, last}, [2]int64{least, greatest}, "%d: chunk %d", i, c.Number())
		}
	}
	assert.Greater(t, found, len(all)/4)
	t.Log(found, len(all))
}
