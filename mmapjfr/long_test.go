package mmapjfr_test

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// longChunk builds a chunk of some megabytes, so that it has many blocks, and
// several parts for those who read it in parallel. Events come in bursts of one
// type and one thread, mostly in the order of time.
func longChunk(seed uint64, events int) *jfrtest.Builder {
	b := jfrtest.NewChunk()
	r := rand.New(rand.NewPCG(seed, 2))
	cp := b.Checkpoint(jfrtest.MaskFlush)
	threads := make([]jfrtest.Constant, 40)
	for i := range threads {
		threads[i] = cp.Add("java.lang.Thread", int64(i+1)*7, fmt.Sprintf("os-%d", i), 100+i, fmt.Sprintf("worker-%d", i), i+1, 0, false)
	}
	text := b.Event("test.Text", jfrtest.Duration(), jfrtest.EventThread(), jfrtest.Of("n", "int"), jfrtest.Of("text", jfrtest.StringClass))
	number := b.Event("test.Number", jfrtest.EventThread(), jfrtest.Of("n", "int"), jfrtest.Of("ratio", "double"))
	sample := b.Event("test.Sample", jfrtest.Const("sampledThread", "java.lang.Thread"), jfrtest.Of("n", "int"))
	timeless := b.Event("test.Timeless", jfrtest.Of("n", "int"))
	timeless.Fields = timeless.Fields[1:]
	rare := b.Event("test.Rare", jfrtest.EventThread(), jfrtest.Of("n", "int"))
	for n := 0; n < events; {
		kind, thread := r.IntN(8), threads[r.IntN(len(threads))]
		for range 1 + r.IntN(600) {
			at := start + int64(n)*100 - r.Int64N(3000)
			switch {
			case n%5003 == 17:
				b.Emit(rare, at, thread, n)
			case kind == 0:
				b.Emit(sample, at, thread, n)
			case kind == 1:
				b.Emit(timeless, n)
			case kind == 2 && n%3000 == 1:
				// Larger than a block.
				b.Emit(text, at, 5, thread, n, string(make([]byte, 100_000)))
			case kind < 5:
				b.Emit(text, at, 5, thread, n, "some text that takes its place")
			default:
				b.Emit(number, at, thread, n, 1/float64(n+1))
			}
			n++
		}
	}
	return b
}

// longFile is a recording of several such chunks, and of chunks of other kinds.
var longFile = sync.OnceValue(func() []byte {
	second := forgetful()
	data, _ := jfrtest.Concat(longChunk(1, 40_000), second, longChunk(2, 3_000), longChunk(3, 20_000).Uncompressed())
	return data
})
