package index_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/wire"
)

// farSource has bytes far away. A request takes one round, whatever runs meanwhile; bytes that were
// not fetched are zero.
type farSource struct {
	all, data       []byte
	there           []int // the round at whose end a block is there, from 1 on
	round           int
	requests, bytes int
}

const farBlock = 16 << 10

func newFarSource(all []byte) *farSource {
	return &farSource{all: all, data: make([]byte, len(all)), there: make([]int, (len(all)+farBlock-1)/farBlock)}
}

// Ahead implements [index.Source].
func (s *farSource) Ahead(from, to uint64) {
	asked := false
	for i := int(from) / farBlock; i*farBlock < int(to); i++ {
		if s.there[i] > 0 {
			asked = false
			continue
		}
		if !asked {
			s.requests++
		}
		asked = true
		s.there[i] = s.round + 1
		s.bytes += copy(s.data[i*farBlock:min((i+1)*farBlock, len(s.data))], s.all[i*farBlock:])
	}
}

// Fetch implements [index.Source].
func (s *farSource) Fetch(from, to uint64) error {
	s.Ahead(from, to)
	for i := int(from) / farBlock; i*farBlock < int(to); i++ {
		s.round = max(s.round, s.there[i])
	}
	return nil
}

// hollow returns a recording of finished chunks of these sizes, which have nothing but headers.
func hollow(sizes ...int) []byte {
	total := 0
	for _, size := range sizes {
		total += size
	}
	data := make([]byte, total)
	at := 0
	for i, size := range sizes {
		putHeader(data[at:], wire.Header{Size: uint64(size), StartNanos: 1_700_000_000_000_000_000 + int64(i)*1e9})
		at += size
	}
	return data
}

func putHeader(data []byte, h wire.Header) {
	h.Major, h.Flags, h.TicksPerSecond, h.StartTicks = 2, wire.FlagCompressed, 1e9, 1
	h.Metadata, h.Checkpoint = wire.HeaderLen, wire.HeaderLen
	var a wire.Appender
	a.Header(h)
	copy(data, a.Bytes)
}

// randomSizes returns sizes of chunks between two of them.
func randomSizes(n, least, most int) (sizes []int) {
	random := rand.New(rand.NewPCG(5, 6))
	for range n {
		sizes = append(sizes, least+random.IntN(most-least+1))
	}
	return sizes
}

// TestHeadersAreFetchedFromSeveralPlaces counts what it takes to read the headers of a recording
// far away, in rounds of requests at once. Without a survey each chunk takes one.
func TestHeadersAreFetchedFromSeveralPlaces(t *testing.T) {
	const kilo = 1 << 10
	for _, c := range []struct {
		name               string
		sizes              []int
		rounds, more, part int // at most: rounds, requests besides one for each chunk, percent of the bytes
	}{
		{"of one size", randomSizes(200, 400*kilo, 400*kilo), 30, 60, 14},
		{"of similar sizes", randomSizes(200, 380*kilo, 420*kilo), 30, 60, 14},
		{"of all sizes", randomSizes(150, 300*kilo, 1000*kilo), 35, 60, 16},
		{"few", randomSizes(16, 400*kilo, 400*kilo), 16, 0, 5},
		{"large", randomSizes(10, 8000*kilo, 9000*kilo), 11, 1, 1},
		{"small ones after those", append(randomSizes(60, 400*kilo, 500*kilo), randomSizes(60, 20*kilo, 30*kilo)...), 42, 60, 20},
		{"large ones after those", append(randomSizes(30, 400*kilo, 500*kilo), randomSizes(10, 5000*kilo, 6000*kilo)...), 30, 100, 18},
	} {
		all := hollow(c.sizes...)
		s := newFarSource(all)
		x, err := index.NewFetched(s.data, s, false)
		require.NoError(t, err)
		t.Logf("%d chunks %s, %d MB: %d rounds, %d requests, %d kB", len(c.sizes), c.name, len(all)>>20, s.round, s.requests, s.bytes>>10)
		for i, chunk := range x.Chunks() {
			require.Equal(t, uint64(c.sizes[i]), chunk.Size(), c.name)
		}
		assert.Len(t, x.Chunks(), len(c.sizes), c.name)
		assert.LessOrEqual(t, s.round, c.rounds, c.name)
		assert.LessOrEqual(t, s.requests, len(c.sizes)+c.more, c.name)
		assert.LessOrEqual(t, s.bytes, len(all)*c.part/100, c.name)
	}
}

// TestHeadersThatAreNone has headers inside of chunks: copies, as checkpoints have them, and ones
// that lead to each other or nowhere. They cost requests and change nothing.
func TestHeadersThatAreNone(t *testing.T) {
	const size = 400 << 10
	n := longtest.Cases(10, 120)
	random := rand.New(rand.NewPCG(1, 2))
	for _, every := range []int{100, 4 << 10, 60 << 10, 300 << 10} {
		for _, c := range []struct {
			kind string
			size func(at int) int
		}{
			{"copies", func(at int) int { return size - at%size }},
			{"any", func(int) int { return 300<<10 + every*random.IntN(9) }},
			{"chains", func(int) int { return every * (2 + 300<<10/every) }},
			{"nowhere", func(int) int { return random.IntN(1 << 30) }},
			{"small", func(int) int { return every }},
		} {
			all := hollow(randomSizes(n, size, size)...)
			for at := every; at+wire.HeaderLen < len(all); at += every {
				if left := size - at%size; at%size > wire.HeaderLen && left > wire.HeaderLen {
					putHeader(all[at:], wire.Header{Size: uint64(c.size(at)), StartNanos: 1})
				}
			}
			s := newFarSource(all)
			x, err := index.NewFetched(s.data, s, false)
			name := fmt.Sprintf("%s every %d", c.kind, every)
			require.NoError(t, err, name)
			t.Logf("%s: %d rounds, %d requests, %d kB", name, s.round, s.requests, s.bytes>>10)
			assert.Len(t, x.Chunks(), n, name)
			assert.LessOrEqual(t, s.round, n+40, name)
			assert.LessOrEqual(t, s.requests, 4*n, name)
		}
	}
}
