package wire_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/mmapjfr/jfr/internal/wire"
)

// sum keeps the compiler from removing what a benchmark computes.
var sum uint64

// varints returns n compressed integers of that length, and room for a word after them.
func varints(n, length int) []byte {
	var b []byte
	for i := range n {
		b = binary.AppendUvarint(b, uint64(i)%64|1<<(7*(length-1)))
	}
	return append(b, make([]byte, wire.WordLen)...)
}

func BenchmarkVarint(b *testing.B) {
	const n = 1000
	for _, length := range []int{1, 2, 5, 8} {
		data := varints(n, length)
		end := len(data) - wire.WordLen
		run := func(name string, read func(at int) int) {
			b.Run(fmt.Sprintf("%s/bytes=%d", name, length), func(b *testing.B) {
				b.SetBytes(int64(end))
				for b.Loop() {
					for at := 0; at < end; {
						at += read(at)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/value")
			})
		}
		run("Varint", func(at int) int { v, n := wire.Varint(data[at:]); sum += v; return n })
		run("VarintWord", func(at int) int { v, n := wire.VarintWord(wire.Word(data, at)); sum += v; return n })
		run("SkipVarint", func(at int) int { return wire.SkipVarint(data[at:]) })
		run("VarintWordLen", func(at int) int { return wire.VarintWordLen(wire.Word(data, at)) })
	}
}

func BenchmarkEventHeader(b *testing.B) {
	const n = 1000
	for _, form := range []struct {
		name string
		head []byte
		size int
	}{
		{"short", []byte{40, 0x93, 2}, 40},
		{"size=1,type=1", []byte{40, 0x53}, 40},
		{"size=4,type=2", []byte{0xa8, 0x80, 0x80, 0, 0x93, 2}, 40},
		{"size=4,type=1", []byte{0xa8, 0x80, 0x80, 0, 0x53}, 40},
	} {
		event := append(form.head, make([]byte, form.size-len(form.head))...)
		var data []byte
		for range n {
			data = append(data, event...)
		}
		data = append(data, make([]byte, wire.WordLen)...)
		b.Run(form.name, func(b *testing.B) {
			for b.Loop() {
				for at := 0; at < n*form.size; {
					w := wire.Word(data, at)
					size, typ, _ := wire.ShortEventHeader(w)
					if size == 0 {
						size, typ, _ = wire.EventHeader(w)
					}
					sum += uint64(typ)
					at += int(size)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/event")
		})
	}
}
