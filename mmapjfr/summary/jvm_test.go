package summary_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// later returns a chunk that begins some seconds later, by both its clocks.
func later(b *jfrtest.Builder, seconds int64) *jfrtest.Builder {
	b.Header.StartNanos += seconds * 1e9
	b.Header.StartTicks += seconds * b.Header.TickRate
	return b
}

// drifted returns a chunk whose ticks are some seconds ahead of the time of day.
func drifted(b *jfrtest.Builder, seconds int64) *jfrtest.Builder {
	b.Header.StartTicks += seconds * b.Header.TickRate
	return b
}

// TestTypesOfMachines joins two chunks that are of one machine, or of two.
func TestTypesOfMachines(t *testing.T) {
	final := built(kind{200, "test.A", 1})
	final.Header.Flags |= jfrtest.FlagFinal
	fast := built(kind{201, "test.A", 2})
	fast.Header.TickRate = 2_000_000_000
	reset := built(kind{201, "test.A", 2})
	reset.Header.StartNanos += 3600e9 // but the ticks begin anew
	for name, c := range map[string]struct {
		first, second *jfrtest.Builder
		want          []row
	}{
		"one machine, one type": {
			built(kind{200, "test.A", 1}), later(built(kind{200, "test.A", 2}), 1),
			[]row{{"test.A", 3}},
		},
		"one machine that loads a class again": {
			built(kind{200, "test.A", 1}), later(built(kind{201, "test.A", 2}), 1),
			[]row{{"test.A", 2}, {"test.A", 1}},
		},
		"one machine that has forgotten a type": {
			built(kind{200, "test.A", 1}, kind{201, "test.A", 2}), later(built(kind{201, "test.A", 4}), 1),
			[]row{{"test.A", 6}, {"test.A", 1}},
		},
		"a clock that drifts": {
			built(kind{200, "test.A", 1}), drifted(later(built(kind{201, "test.A", 2}), 7200), 5),
			[]row{{"test.A", 2}, {"test.A", 1}},
		},
		"numbers that contradict each other": {
			built(kind{200, "test.A", 1}, kind{201, "test.B", 10}), later(built(kind{200, "test.B", 20}, kind{201, "test.A", 2}), 1),
			[]row{{"test.B", 30}, {"test.A", 3}},
		},
		"the first machine's last chunk": {
			final, later(built(kind{201, "test.A", 2}), 1),
			[]row{{"test.A", 3}},
		},
		"another rate of the clock":  {built(kind{200, "test.A", 1}), fast, []row{{"test.A", 3}}},
		"another start of the clock": {built(kind{200, "test.A", 1}), reset, []row{{"test.A", 3}}},
		"classes loaded twice in both": {
			built(kind{200, "test.A", 1}, kind{201, "test.A", 10}, kind{202, "test.B", 5}),
			later(built(kind{201, "test.A", 2}, kind{202, "test.A", 20}, kind{203, "test.A", 100}, kind{200, "test.B", 5}), 1),
			[]row{{"test.A", 100}, {"test.A", 30}, {"test.B", 10}, {"test.A", 3}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, rows(collect(t, joined(c.first, c.second))))
			assert.Equal(t, c.want, rows(collect(t, c.first.Bytes(), c.second.Bytes())), "in two files")
		})
	}
}

// TestUnknownNumberOfKnownMachine: a type that the machine has forgotten is described
// by an earlier chunk, if that is of the same machine.
func TestUnknownNumberOfKnownMachine(t *testing.T) {
	forgotten := built(kind{201, "test.B", 1})
	forgotten.EmitRaw(jfrtest.EventOptions{}, 200, []byte{1})
	stranger := built(kind{201, "test.B", 1})
	stranger.EmitRaw(jfrtest.EventOptions{}, 200, []byte{1})
	stranger.Header.TickRate++
	first := built(kind{200, "test.A", 2})
	assert.Equal(t, []row{{"test.A", 3}, {"test.B", 1}}, rows(collect(t, joined(first, later(forgotten, 1)))))
	assert.Equal(t, []row{{"test.A", 2}, {"200 (missing event metadata)", 1}, {"test.B", 1}}, rows(collect(t, joined(first, stranger))))
}

// TestOlderMetadataOfTheChunk describes a type that the newest one has left out.
func TestOlderMetadataOfTheChunk(t *testing.T) {
	b := built(kind{200, "test.Old", 2}, kind{201, "test.New", 1})
	all := b.Classes()
	b.Metadata(&jfrtest.Metadata{ID: 1, Classes: all})
	b.Metadata(&jfrtest.Metadata{ID: 2, Classes: all[:len(all)-2]})
	b.EmitRaw(jfrtest.EventOptions{}, 300, []byte{1})
	s := collect(t, b.Bytes())
	assert.Equal(t, []row{{"test.Old", 2}, {"300 (missing event metadata)", 1}, {"test.New", 1}}, rows(s))
	for _, typ := range s.Types {
		assert.Equal(t, typ.Name == "test.Old" || typ.Name == "test.New", typ.Type.IsEvent(), typ.Name)
	}
	require.Empty(t, s.Faults)
}

// TestChunkWithoutTypes has numbers that mean nothing, also where the chunks around
// it know them.
func TestChunkWithoutTypes(t *testing.T) {
	lost := built(kind{200, "test.A", 2})
	lost.ForceMetadataOffset = new(int64)
	*lost.ForceMetadataOffset = 80
	s := collect(t, joined(built(kind{200, "test.A", 1}), later(lost, 1), later(built(kind{201, "test.A", 5}), 2)))
	assert.Equal(t, []row{{"test.A", 5}, {"200 (missing event metadata)", 2}, {"test.A", 1}}, rows(s))
	assert.Len(t, s.Faults, 1)
}

// TestRenumbered lists the types whose numbers mean something.
func TestRenumbered(t *testing.T) {
	s := collect(t, joined(
		built(kind{200, "test.A", 2}, kind{201, "test.B", 1}, kind{300, "test.C", 0}),
		built(kind{201, "test.A", 2}, kind{200, "test.B", 1}, kind{300, "test.C", 0})))
	got := make(map[string]bool)
	for _, typ := range s.Types {
		got[typ.Name] = typ.Renumbered
	}
	assert.Equal(t, map[string]bool{
		"test.A": true, "test.B": true, "test.C": false, "jdk.Metadata": false, "jdk.Checkpoint": false,
	}, got)
}
