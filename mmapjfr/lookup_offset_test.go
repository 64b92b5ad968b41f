package mmapjfr_test

import (
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

func TestEventAtEveryOtherOffset(t *testing.T) {
	files := map[string][]byte{}
	for _, name := range []string{"jdk25-empty.jfr", "jdk17-chunks.jfr", "concat-jdk25-jdk25.jfr", "jdk25-live-1.jfr"} {
		data, err := os.ReadFile("../testdata/" + name)
		require.NoError(t, err)
		files[name] = data
	}
	files["built"], _ = jfrtest.Concat(newSample(), newSample().Uncompressed())
	for name, data := range files {
		t.Run(name, func(t *testing.T) {
			rec := openBytes(t, data)
			events, _ := walk(t, rec.Select())
			offsets := offsetsOf(events)
			step := uint64(1)
			if (raceEnabled || !longtest.Enabled()) && len(data) > 10_000 {
				step = 13
			}
			for offset := uint64(0); offset < uint64(len(data)); offset += step {
				ev, err := rec.EventAtOffset(offset)
				if _, is := slices.BinarySearch(offsets, offset); is {
					require.NoError(t, err)
					continue
				}
				if err == nil || !ev.IsZero() {
					require.Fail(t, "an event", "%#x", offset)
				}
				if offset%97 == 0 {
					require.ErrorIs(t, err, mmapjfr.ErrNoEvent)
					chunk := 0
					for _, c := range rec.Chunks() {
						if c.Offset() <= offset {
							chunk = c.Number()
						}
					}
					isAt(t, err, mmapjfr.ErrNoEvent, chunk, int64(offset))
				}
			}
			for _, offset := range []uint64{uint64(len(data)), uint64(len(data)) + 1, math.MaxInt64, math.MaxUint64} {
				_, err := rec.EventAtOffset(offset)
				require.ErrorIs(t, err, mmapjfr.ErrNoEvent)
			}
		})
	}
}

// TestEventAtBehindDamage: events before the damage are there; those after it
// cannot be found, and the error reports the damage.
func TestEventAtBehindDamage(t *testing.T) {
	b := jfrtest.NewChunk()
	b.MetadataFirst = true
	ty := b.Event("E", jfrtest.Of("n", "int"))
	b.Emit(ty, start, 1)
	b.EmitRaw(jfrtest.EventOptions{Size: new(int64(1 << 30))}, ty.ID, []byte{1, 2})
	b.Emit(ty, start, 3)
	good := newSample()
	data, layouts := jfrtest.Concat(b, good)
	rec := openBytes(t, data)
	spans := layouts[0].Events
	ev, err := rec.EventAtOffset(uint64(spans[0].Offset))
	require.NoError(t, err)
	assert.Equal(t, int64(1), ev.Int(mmapjfr.Path("n")))
	_, err = rec.EventAtOffset(uint64(spans[1].Offset))
	isAt(t, err, mmapjfr.ErrCorrupt, 0, spans[1].Offset)
	_, err = rec.EventAtOffset(uint64(spans[2].Offset))
	isAt(t, err, mmapjfr.ErrCorrupt, 0, spans[1].Offset)
	ev, err = rec.EventAtOffset(uint64(layouts[1].Events[0].Offset))
	require.NoError(t, err)
	assert.Equal(t, uint64(1), ev.Ordinal(), "one event can be read before it")
}

func TestEventAtAnEventThatCannotBeRead(t *testing.T) {
	b := jfrtest.NewChunk()
	ty := b.Event("E", jfrtest.Of("text", jfrtest.StringClass))
	b.Emit(ty, start, jfrtest.UTF8("x").Claiming(100))
	b.EmitRaw(jfrtest.EventOptions{}, 4711, []byte{1})
	b.Emit(ty, start, "fine")
	rec, layouts := openBuilt(t, b)
	spans := layouts[0].Events
	_, err := rec.EventAtOffset(uint64(spans[0].Offset))
	isAt(t, err, mmapjfr.ErrCorrupt, 0, spans[0].Offset)
	_, err = rec.EventAtOffset(uint64(spans[1].Offset))
	isAt(t, err, mmapjfr.ErrUnknownType, 0, spans[1].Offset)
	assert.ErrorContains(t, err, "4711")
	ev, err := rec.EventAtOffset(uint64(spans[2].Offset))
	require.NoError(t, err)
	assert.Equal(t, "fine", ev.Str(mmapjfr.Path("text")))
}
