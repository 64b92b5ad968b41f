package bench_test

import (
	"encoding/binary"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/parallel"
)

// cacheLine is how many bytes a processor reads at a time.
const cacheLine = 64

// BenchmarkLimit reads eight bytes of every cache line of the map: nothing that
// looks at all of a file can be faster.
func BenchmarkLimit(b *testing.B) {
	measure(b, byWorkers(func(b *testing.B, file string, workers int) func() int {
		var chunks [][]byte
		for _, c := range engine.RecordingIndex(open(b, file)).Chunks() {
			chunks = append(chunks, c.Data())
		}
		return func() int {
			var sum atomic.Uint64
			for _, data := range chunks {
				const part = 4 << 20
				parallel.ForEach(workers, (len(data)+part-1)/part, func(_, i int) {
					sum.Add(touch(data[i*part : min((i+1)*part, len(data))]))
				})
			}
			sink += int64(sum.Load())
			return 0
		}
	})...)
}

// touch reads from several lines at a time, so that none waits for another.
func touch(data []byte) (sum uint64) {
	var a, b, c, d uint64
	for len(data) >= 4*cacheLine {
		a += binary.LittleEndian.Uint64(data)
		b += binary.LittleEndian.Uint64(data[cacheLine:])
		c += binary.LittleEndian.Uint64(data[2*cacheLine:])
		d += binary.LittleEndian.Uint64(data[3*cacheLine:])
		data = data[4*cacheLine:]
	}
	return a + b + c + d
}

// zero makes the next read wait for the one before: the compiler does not know that it is 0.
var zero uint64

// BenchmarkRandomLimit reads eight bytes of the map at random places, one after the other, each of which waits
// for the one before: nothing that goes from a place in a table to a place in the file can be faster than two
// of these.
func BenchmarkRandomLimit(b *testing.B) {
	read := func(times int) func(*testing.B, string) func() int {
		return func(b *testing.B, file string) func() int {
			var chunks [][]byte
			for _, c := range engine.RecordingIndex(open(b, file)).Chunks() {
				chunks = append(chunks, c.Data())
				touch(c.Data())
			}
			random := rand.New(rand.NewPCG(1, 2))
			places := make([][]byte, 1<<18)
			for i := range places {
				data := chunks[random.IntN(len(chunks))]
				places[i] = data[random.IntN(len(data)-8):]
			}
			i := 0
			return func() int {
				for range times {
					read := binary.LittleEndian.Uint64(places[i%len(places)])
					i += 1 + int(read&zero)
				}
				return 1
			}
		}
	}
	measure(b, variant{"one", read(1)}, variant{"three", read(3)})
}
