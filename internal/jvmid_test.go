package internal_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/jvmid"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/repair"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

const second = int64(1e9)

func TestJVMIDSame(t *testing.T) {
	chunk := wire.Header{
		Major: 2, Minor: 1, Flags: wire.FlagCompressed, StartNanos: 1.7e18, DurationNanos: second,
		StartTicks: 5 * second, TicksPerSecond: second,
	}
	for _, test := range []struct {
		name   string
		change func(h *wire.Header)
		want   bool
	}{
		{"the same", func(*wire.Header) {}, true},
		{"another minute", func(h *wire.Header) { h.StartNanos += 60 * second; h.StartTicks += 60 * second }, true},
		{"an adjusted clock", func(h *wire.Header) { h.StartNanos += 49e6 }, true},
		{"another clock", func(h *wire.Header) { h.StartNanos += 51e6 }, false},
		{"drift", func(h *wire.Header) { h.StartNanos += 7207 * second; h.StartTicks += 7200 * second }, true},
		{"more than drift", func(h *wire.Header) { h.StartNanos += 7208 * second; h.StartTicks += 7200 * second }, false},
		{"the next chunk with a wrong rate", func(h *wire.Header) { h.StartNanos += second + 4e6; h.StartTicks += 3 * second }, true},
		{"a chunk after a break with a wrong rate", func(h *wire.Header) { h.StartNanos += second + 6e6; h.StartTicks += 3 * second }, false},
		{"a machine that started later", func(h *wire.Header) { h.StartNanos += 60 * second }, false},
		{"another rate", func(h *wire.Header) { h.TicksPerSecond++ }, false},
		{"another version", func(h *wire.Header) { h.Minor = 0 }, false},
		{"another encoding", func(h *wire.Header) { h.Flags = 0 }, false},
		{"the last chunk", func(h *wire.Header) { h.Flags |= wire.FlagFinal }, true},
	} {
		other := chunk
		test.change(&other)
		assert.Equal(t, test.want, jvmid.Same(chunk, other), test.name)
		assert.Equal(t, test.want, jvmid.Same(other, chunk), test.name)
	}
	chunk.TicksPerSecond = 0
	assert.False(t, jvmid.Same(chunk, chunk), "a clock that stands")
}

// TestJVMIDAllAgree asks salvage, summary, repair and verify about the same pairs of chunks.
func TestJVMIDAllAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	answers := map[bool]int{}
	for i := range 60 {
		apart := second + random.Int64N(2)*random.Int64N(10_000)*second
		skew := []int64{0, 3e6, 49e6, 51e6, 300e6, 2 * second, apart / 1001, apart / 900}[random.IntN(8)]
		rate := []int64{0, 0, 0, 1}[random.IntN(4)]
		move := func(b *jfrtest.Builder) *jfrtest.Builder {
			b.Header.StartNanos += apart + skew
			b.Header.StartTicks += apart
			b.Header.TickRate += rate
			return b
		}
		data, l := jfrtest.Concat(chunk(200), move(chunk(200)))
		a, _ := wire.ReadHeader(data)
		b, _ := wire.ReadHeader(data[l[1].Chunk.Offset:])
		want := jvmid.Same(a, b)
		answers[want]++
		other, _ := jfrtest.Concat(chunk(200), move(chunk(201)))
		name := fmt.Sprintf("pair %d: %d s apart, %d ns skew, rate +%d", i, apart/second, skew, rate)
		assert.Equal(t, want, saysSalvage(t, bytes.Clone(data), l[1].Metadata[0]), "salvage, "+name)
		assert.Equal(t, want, saysRepair(t, data), "repair, "+name)
		assert.Equal(t, want, saysSummary(t, other), "summary, "+name)
		data[l[0].Chunk.Offset+67] |= jfrtest.FlagFinal
		assert.Equal(t, want, saysVerify(t, data), "verify, "+name)
	}
	assert.Greater(t, answers[true], 10)
	assert.Greater(t, answers[false], 10)
}

// chunk returns one with ten events of type test.A.
func chunk(id int64) *jfrtest.Builder {
	b := jfrtest.NewChunk()
	typ := &jfrtest.Class{
		ID: id, Name: "test.A", SuperType: jfrtest.EventSuperType,
		Fields: []jfrtest.Field{jfrtest.Of("startTime", "long")},
	}
	b.Add(typ)
	for i := range 10 {
		b.Emit(typ, b.Header.StartTicks+int64(i))
	}
	return b
}

var open = opentest.Bytes

// saysSalvage reports whether a chunk without metadata borrows that of the other chunk.
func saysSalvage(t *testing.T, data []byte, metadata jfrtest.Span) bool {
	clear(data[metadata.Offset+4 : metadata.End()])
	rec := open(t, data, mmapjfr.Salvage())
	require.Len(t, rec.Salvaged(), 1)
	return rec.Salvaged()[0].MetadataFrom == 0
}

// saysSummary reports whether two types of one name, with different numbers, are two types.
func saysSummary(t *testing.T, data []byte) bool {
	s, err := summary.Count(t.Context(), []*mmapjfr.Recording{open(t, data)}, nil)
	require.NoError(t, err)
	n := 0
	for _, typ := range s.Types {
		if typ.Name == "test.A" {
			n++
		}
	}
	return n == 2
}

// saysRepair reports whether the second chunk keeps the numbers of its types.
func saysRepair(t *testing.T, data []byte) bool {
	report, err := repair.Write(t.Context(), new(bytes.Buffer), open(t, data))
	require.NoError(t, err)
	return !report.Chunks[1].Renumbered
}

// saysVerify reports whether a chunk after the final one of its machine is a finding.
func saysVerify(t *testing.T, data []byte) bool {
	report, err := verify.Check(t.Context(), open(t, data))
	require.NoError(t, err)
	for _, f := range report.Findings {
		if f.Kind.String() == "final-chunk" {
			return true
		}
	}
	return false
}
