package index_test

import (
	"math/rand/v2"
	"testing"

	"github.com/mmapjfr/jfr/internal/index"
)

// BenchmarkLookup looks up constants by keys that are dense, and by keys that are not.
func BenchmarkLookup(b *testing.B) {
	const n = 1 << 14
	for name, key := range map[string]func(i uint64) uint64{
		"dense":  func(i uint64) uint64 { return i + 7 },
		"hashed": func(i uint64) uint64 { return i<<20 + i },
	} {
		keys, offsets := make([]uint64, n), make([]uint64, n)
		for i := range keys {
			keys[i], offsets[i] = key(uint64(i)), uint64(68+i)
		}
		var table index.Table
		table.Add(keys, offsets)
		rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		b.Run(name, func(b *testing.B) {
			missing := 0
			for b.Loop() {
				for _, key := range keys {
					if _, ok := table.Lookup(key); !ok {
						missing++
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/lookup")
			if missing > 0 {
				b.Errorf("%d lookups fail", missing)
			}
		})
	}
}

// BenchmarkEventAt finds events by their offsets.
func BenchmarkEventAt(b *testing.B) {
	c := onlyChunk(b, testdata(b, "jdk25-kinds"))
	all := records(b, c)
	var events []index.EventHeader
	for _, rec := range all {
		if rec.IsEvent() {
			events = append(events, rec)
		}
	}
	c.Blocks()
	i := 0
	for b.Loop() {
		if _, _, err := c.EventAt(events[i%len(events)].Offset); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
