package index_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// checkFind asks for every offset of a chunk and some outside.
func checkFind(t *testing.T, c *index.Chunk, want []index.EventHeader) {
	t.Helper()
	var ordinal uint64
	begins := map[uint64]index.EventHeader{}
	ordinals := map[uint64]uint64{}
	for _, rec := range want {
		if rec.IsEvent() {
			begins[rec.Offset], ordinals[rec.Offset] = rec, ordinal
			ordinal++
		}
	}
	assert.Equal(t, ordinal, c.Blocks().Events())
	end, step := uint64(len(c.Data())), uint64(longtest.Cases(3, 1))
	for offset := uint64(0); offset < end+3; offset += step {
		rec, n, err := c.EventAt(offset)
		if w, ok := begins[offset]; ok {
			if err != nil || rec != w || n != ordinals[offset] {
				require.NoError(t, err)
				require.Equal(t, w, rec)
				require.Equal(t, ordinals[offset], n)
			}
			continue
		}
		if !notThere(err, c.Offset()+offset) {
			wantFault(t, err, index.ErrNoEvent, c.Number(), c.Offset()+offset)
		}
		if rec != (index.EventHeader{}) || n != 0 {
			require.Zero(t, rec)
			require.Zero(t, n)
		}
	}
	for _, offset := range []uint64{1 << 40, 1<<64 - 1} {
		_, _, err := c.EventAt(offset)
		require.ErrorIs(t, err, index.ErrNoEvent)
	}
	ordinal = 0
	for _, w := range want {
		if w.IsEvent() {
			rec, ok := c.EventN(ordinal)
			require.True(t, ok)
			require.Equal(t, w, rec)
			ordinal++
		}
	}
	_, ok := c.EventN(ordinal)
	require.False(t, ok)
}

// notThere is wantFault for ErrNoEvent without its costs.
func notThere(err error, offset uint64) bool {
	f, ok := err.(*index.FormatError)
	return ok && f.Err == index.ErrNoEvent && f.Offset == offset && f.Section == "event"
}

func TestFindEveryOffset(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		event := b.Event("test.Text", jfrtest.Of("text", jfrtest.StringClass))
		for i := range 1200 {
			switch i % 500 {
			case 100:
				b.Checkpoint(0).Add("jdk.types.Symbol", i, "symbol")
			case 200:
				b.Emit(event, i, jfrtest.UTF8(string(make([]byte, 2*index.BlockSize))))
			case 300:
				b.Metadata(&jfrtest.Metadata{ID: 1})
			case 400:
				b.EmitRaw(jfrtest.EventOptions{}, 12345, nil) // of no known type
			default:
				b.EmitWith(jfrtest.EventOptions{SizeWidth: i % 2 * 4}, event, i, "text")
			}
		}
		data := b.Bytes()
		x := newIndex(t, join(data, data))
		require.Len(t, x.Chunks(), 2)
		for _, c := range x.Chunks() {
			checkFind(t, c, records(t, c))
			assert.NoError(t, c.Blocks().Err())
			blocks := (len(data) + index.BlockSize - 1) / index.BlockSize
			assert.Equal(t, blocks, c.Blocks().Len())
			// Twenty-five types are described, of which one has events.
			assert.InDelta(t, 168*blocks, c.Blocks().Bytes(), 1000)
		}
	})
}

func TestFindEveryOffsetOfRecordings(t *testing.T) {
	for _, r := range corpus(t) {
		if len(r.data) > 130<<10 || r.name == refused[0] {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			for _, c := range newIndex(t, r.data).Chunks() {
				checkFind(t, c, records(t, c))
			}
		})
	}
}

func TestFindInAChunkWithoutEvents(t *testing.T) {
	b := jfrtest.NewEmptyChunk()
	b.Bare = true
	c := onlyChunk(t, b.Bytes())
	checkFind(t, c, nil)
	assert.NoError(t, c.Blocks().Err())
	assert.Zero(t, c.Blocks().Events())
}

func TestRecordsMatchReference(t *testing.T) {
	eachRecording(t, func(t *testing.T, data []byte) {
		for _, c := range newIndex(t, data).Chunks() {
			want := reference(t, c)
			var events []index.EventHeader
			for _, rec := range records(t, c) {
				if rec.IsEvent() {
					events = append(events, rec)
				}
			}
			require.Len(t, events, len(want.Events))
			for i, rec := range events {
				e := &want.Events[i]
				if rec.Offset != uint64(e.Offset) || rec.Size != uint32(e.Size) || int64(rec.Type) != e.TypeID {
					require.Fail(t, "another event", "%+v, not %+v", rec, e)
				}
			}
			assert.Equal(t, uint64(len(events)), c.Blocks().Events())
		}
	})
}

// An event that cannot be read ends the walk; those before it are found.
func TestDamagedEvent(t *testing.T) {
	tests := []struct {
		name  string
		opts  jfrtest.EventOptions
		want  error
		words string
	}{
		{"size zero", jfrtest.EventOptions{Size: new(int64(0))}, index.ErrCorrupt, "less than its head"},
		{"size of less than its head", jfrtest.EventOptions{Size: new(int64(1))}, index.ErrCorrupt, "less than its head"},
		{"size beyond the chunk", jfrtest.EventOptions{Size: new(int64(1 << 20))}, index.ErrCorrupt, "exceeds"},
		{"size, int -1", jfrtest.EventOptions{Size: new(int64(0xffffffff))}, index.ErrCorrupt, "exceeds"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
				event := b.Event("test.E", jfrtest.Of("n", "int"))
				for i := range 5 {
					b.Emit(event, i, i)
				}
				bad := b.EmitWith(tt.opts, event, 5, 5)
				for i := range 5 {
					b.Emit(event, i, i)
				}
				data, layout := b.Build()
				at := uint64(layout.Events[bad].Offset)
				c := onlyChunk(t, data)
				all, next, err := walk(c)
				assert.Len(t, all, 5)
				assert.Equal(t, at, next)
				wantFault(t, err, tt.want, 0, at)
				assert.ErrorContains(t, err, tt.words)

				assert.Equal(t, uint64(5), c.Blocks().Events())
				wantFault(t, c.Blocks().Err(), tt.want, 0, at)
				_, n, err := c.EventAt(uint64(layout.Events[4].Offset))
				require.NoError(t, err)
				assert.Equal(t, uint64(4), n)
				_, _, err = c.EventAt(uint64(layout.Events[4].Offset) + 1)
				assert.ErrorIs(t, err, index.ErrNoEvent)
				_, _, err = c.EventAt(uint64(layout.Events[bad+1].Offset))
				wantFault(t, err, tt.want, 0, at)
				assert.NotNil(t, typesOf(t, c).Named("test.E"), "metadata lies after, and is found")
				assert.NoError(t, constantsOf(t, c).Err())
			})
		})
	}
}

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

func TestHotPathsDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	data, err := os.ReadFile("../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	c := onlyChunk(t, data)
	types, k := typesOf(t, c), constantsOf(t, c)
	all := records(t, c)
	buf := make([]index.EventHeader, 64)
	offs := make([]uint32, types.MaxSlots())
	symbol := types.Named("jdk.types.Symbol")
	at := len(all) / 2
	for !all[at].IsEvent() {
		at++
	}
	rec := all[at]
	plan, err := types.ByID(rec.Type).Plan()
	require.NoError(t, err)
	c.Blocks()
	tests := map[string]func(){
		"Records": func() { _, _, _ = c.ReadHeaders(c.FirstEvent(), math.MaxUint64, buf) },
		"Find":    func() { _, _, _ = c.EventAt(rec.Offset) },
		"Nth":     func() { _, _ = c.EventN(uint64(len(all) / 3)) },
		"Lookup":  func() { _, _ = k.Lookup(symbol, 1) },
		"Class":   func() { _ = types.ByID(rec.Type) },
		"Named":   func() { _ = types.Named("jdk.types.Symbol") },
		"Layout":  func() { _, _ = plan.Layout(data[:rec.End()], int(rec.Body()), int(rec.End()), offs) },
		"Skip":    func() { _, _ = plan.Skip(data[:rec.End()], int(rec.Body())) },
		"Seek":    func() { _, _ = plan.SlotOffset(data[:rec.End()], int(rec.Body()), plan.NumSlots()-1) },
	}
	for name, do := range tests {
		t.Run(name, func(t *testing.T) { assert.Zero(t, testing.AllocsPerRun(100, do)) })
	}
}

// TestPassed walks over a chunk of 20 MB: both walks say what they have passed, in its order, and without gaps.
func TestPassed(t *testing.T) {
	b := jfrtest.NewChunk()
	e := b.Event("test.Event", jfrtest.Of("text", jfrtest.StringClass))
	for i := range 200 {
		b.Emit(e, 1_000_000+i, jfrtest.Latin1(strings.Repeat("x", 100_000)))
	}
	data := append(b.Bytes(), b.Bytes()...)
	x, err := index.New(data)
	require.NoError(t, err)
	for _, c := range x.Chunks() {
		var at uint64
		x.SetPassed(func(from, to uint64) {
			assert.Equal(t, at, from)
			assert.Less(t, from, to)
			at = to
		})
		first := c.Offset() + c.FirstEvent()
		at = first
		_, err := c.AllTypes()
		require.NoError(t, err)
		assert.GreaterOrEqual(t, at, first+index.PassedBytes)
		at = first
		c.Blocks()
		assert.Equal(t, c.Offset()+c.Size(), at)
	}
	x.SetPassed(nil)
}

// TestTouched reads 40 MB of constants in other ways than by a walk: all is passed from time to time, and seldom.
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

// TestStarts compares the times of each chunk with those of its blocks, also in recordings that are generated, and wrong.
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
