package mmapjfr_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// scanError is an error that is expected: its sentinel and its place.
type fault struct {
	is     error
	chunk  int
	offset int64
}

// damagedFile is a recording with faults, and what can be read of it: the field n
// of its events.
type damagedFile struct {
	data   []byte
	want   []int64
	faults []fault
}

// numbered builds a chunk with the metadata first and some events with numbers.
func numbered(numbers ...int) (*jfrtest.Builder, *jfrtest.Class) {
	b := jfrtest.NewChunk()
	b.MetadataFirst = true
	ty := b.Event("test.N", jfrtest.Of("n", "int"), jfrtest.Of("text", jfrtest.StringClass))
	for _, n := range numbers {
		b.Emit(ty, start, n, "text")
	}
	return b, ty
}

// plain builds a chunk with numbers.
func plain(numbers ...int) *jfrtest.Builder {
	b, _ := numbered(numbers...)
	return b
}

var damage = map[string]func() damagedFile{
	"event of size 0": func() damagedFile {
		return inTheMiddle(jfrtest.EventOptions{Size: new(int64(0))}, true)
	},
	"event smaller than its head": func() damagedFile {
		return inTheMiddle(jfrtest.EventOptions{Size: new(int64(1))}, true)
	},
	"event beyond the chunk": func() damagedFile {
		return inTheMiddle(jfrtest.EventOptions{Size: new(int64(1 << 20))}, true)
	},
	"event of 4 GiB": func() damagedFile {
		return inTheMiddle(jfrtest.EventOptions{Size: new(int64(1<<32 + 10))}, true)
	},
	"event of negative size": func() damagedFile {
		return inTheMiddle(jfrtest.EventOptions{Size: new(int64(-1)), SizeWidth: 9}, true)
	},
	"fields beyond the event": func() damagedFile {
		b, ty := numbered(1)
		b.Emit(ty, start, 0, jfrtest.UTF8("x").Claiming(1000))
		b.Emit(ty, start, 0, jfrtest.UTF8("x").Claiming(2))
		b.Emit(ty, start, 0, jfrtest.Encoding(9))
		b.Emit(ty, start, 2, "text")
		data, l := jfrtest.Concat(b, plain(3))
		ev := l[0].Events
		return damagedFile{data, []int64{1, 2, 3}, []fault{
			{mmapjfr.ErrCorrupt, 0, ev[1].Offset}, {mmapjfr.ErrCorrupt, 0, ev[2].Offset}, {mmapjfr.ErrCorrupt, 0, ev[3].Offset},
		}}
	},
	"event without its fields": func() damagedFile {
		b, ty := numbered(1)
		b.EmitRaw(jfrtest.EventOptions{}, ty.ID, nil)
		b.Emit(ty, start, 2, "text")
		data, l := jfrtest.Concat(b)
		return damagedFile{data, []int64{1, 2}, []fault{{mmapjfr.ErrCorrupt, 0, l[0].Events[1].Offset}}}
	},
	"array that is longer than the event": func() damagedFile {
		b, ty := numbered(1)
		lists := b.Event("test.Lists", jfrtest.Of("n", "int"), jfrtest.Of("list", "int").Array())
		b.Emit(lists, start, 0, jfrtest.Counted{Count: 1000})
		b.Emit(lists, start, 0, jfrtest.Counted{Count: -1})
		b.Emit(lists, start, 2, []int{1})
		b.Emit(ty, start, 3, "text")
		data, l := jfrtest.Concat(b)
		return damagedFile{data, []int64{1, 2, 3}, []fault{
			{mmapjfr.ErrCorrupt, 0, l[0].Events[1].Offset}, {mmapjfr.ErrCorrupt, 0, l[0].Events[2].Offset},
		}}
	},
	"unknown types": func() damagedFile {
		b, ty := numbered(1)
		b.EmitRaw(jfrtest.EventOptions{}, 4711, []byte{1, 2, 3})
		b.Emit(ty, start, 2, "text")
		b.EmitRaw(jfrtest.EventOptions{}, 4711, nil)
		b.EmitRaw(jfrtest.EventOptions{}, -5, nil)
		b.Emit(ty, start, 3, "text")
		c, _ := numbered(4)
		c.EmitRaw(jfrtest.EventOptions{}, 4711, nil)
		data, l := jfrtest.Concat(b, c)
		return damagedFile{data, []int64{1, 2, 3, 4}, []fault{
			{mmapjfr.ErrUnknownType, 0, l[0].Events[1].Offset}, // once for each type and chunk
			{mmapjfr.ErrUnknownType, 0, l[0].Events[4].Offset},
			{mmapjfr.ErrUnknownType, 1, l[1].Events[1].Offset},
		}}
	},
	"no metadata where the header says": func() damagedFile {
		b := plain(1, 2)
		_, l := b.Build()
		b.ForceMetadataOffset = new(l.Events[0].Offset)
		data, _ := jfrtest.Concat(b, plain(3))
		return damagedFile{data, []int64{3}, []fault{{mmapjfr.ErrCorrupt, 0, l.Events[0].Offset}}}
	},
	"metadata beyond the chunk": func() damagedFile {
		b := plain(1, 2)
		b.ForceMetadataOffset = new(int64(1 << 40))
		data, _ := jfrtest.Concat(plain(0), b, plain(3))
		at := int64(len(plain(0).Bytes()))
		return damagedFile{data, []int64{0, 3}, []fault{{mmapjfr.ErrCorrupt, 1, at + 1<<40}}}
	},
	"metadata in the header": func() damagedFile {
		b := plain(1, 2)
		b.ForceMetadataOffset = new(int64(8))
		data, _ := jfrtest.Concat(b, plain(3))
		return damagedFile{data, []int64{3}, []fault{{mmapjfr.ErrCorrupt, 0, 8}}}
	},
	"garbage between chunks": func() damagedFile {
		a, b := plain(1).Bytes(), plain(2).Bytes()
		return damagedFile{slices.Concat(a, []byte("garbage FLR\x00 garbage"), b), []int64{1, 2},
			[]fault{{mmapjfr.ErrTrailing, 1, int64(len(a))}}}
	},
	"trailing bytes": func() damagedFile {
		a := plain(1, 2).Bytes()
		return damagedFile{append(slices.Clone(a), "x"...), []int64{1, 2}, []fault{{mmapjfr.ErrTrailing, 1, int64(len(a))}}}
	},
	"trailing zeros": func() damagedFile {
		a := plain(1, 2).Bytes()
		return damagedFile{append(slices.Clone(a), make([]byte, 5000)...), []int64{1, 2}, []fault{{mmapjfr.ErrTrailing, 1, int64(len(a))}}}
	},
	"chunk of another version": func() damagedFile {
		old := plain(9)
		old.Header.Major = 0
		a := plain(1).Bytes()
		return damagedFile{slices.Concat(a, old.Bytes(), plain(2).Bytes()), []int64{1, 2}, []fault{{mmapjfr.ErrUnsupported, 1, int64(len(a))}}}
	},
	"last chunk of another version": func() damagedFile {
		old := plain(9)
		old.Header.Major = 0
		a := plain(1).Bytes()
		return damagedFile{slices.Concat(a, old.Bytes()), []int64{1}, []fault{{mmapjfr.ErrUnsupported, 1, int64(len(a))}}}
	},
	"truncated inside an event": func() damagedFile {
		data, l := jfrtest.Concat(plain(1), plain(2, 3, 4))
		return damagedFile{data[:l[1].Events[1].End()-2], []int64{1, 2}, []fault{{mmapjfr.ErrTruncated, 1, l[1].Chunk.Offset}}}
	},
	"truncated between events": func() damagedFile {
		data, l := jfrtest.Concat(plain(1), plain(2, 3, 4))
		return damagedFile{data[:l[1].Events[1].End()], []int64{1, 2, 3}, []fault{{mmapjfr.ErrTruncated, 1, l[1].Chunk.Offset}}}
	},
	"truncated before the metadata": func() damagedFile {
		b := plain(2, 3)
		b.MetadataFirst = false
		data, l := jfrtest.Concat(plain(1), b)
		return damagedFile{data[:l[1].Events[1].End()], []int64{1}, []fault{{mmapjfr.ErrTruncated, 1, l[1].Chunk.Offset}}}
	},
	"truncated inside a header": func() damagedFile {
		a := plain(1).Bytes()
		return damagedFile{slices.Concat(a, plain(2).Bytes()[:50]), []int64{1}, []fault{{mmapjfr.ErrTrailing, 1, int64(len(a))}}}
	},
	"unfinished": func() damagedFile {
		b := plain(2, 3)
		b.Header.State = 7
		data, l := jfrtest.Concat(plain(1), b)
		return damagedFile{append(data, "not complete yet"...), []int64{1, 2, 3}, []fault{{mmapjfr.ErrUnfinished, 1, l[1].Chunk.Offset}}}
	},
	"header that is being rewritten": func() damagedFile {
		b := plain(2, 3)
		b.Header.State = 255
		data, l := jfrtest.Concat(plain(1), b)
		return damagedFile{data, []int64{1, 2, 3}, []fault{{mmapjfr.ErrUnfinished, 1, l[1].Chunk.Offset}}}
	},
	"unfinished, and another recording after it": func() damagedFile {
		b := plain(1, 2)
		b.Header.State = 7
		data := slices.Concat(b.Bytes(), []byte("not complete yet"), plain(3).Bytes())
		return damagedFile{data, []int64{1, 2, 3}, []fault{{mmapjfr.ErrUnfinished, 0, 0}}}
	},
	"unfinished in async-profiler's way": func() damagedFile {
		b := plain(2, 3)
		b.ForceSize, b.ForceMetadataOffset, b.ForceCheckpointOffset = new(int64(1<<30)), new(int64(0)), new(int64(0))
		data, l := jfrtest.Concat(plain(1), b)
		return damagedFile{data[:l[1].Events[1].End()], []int64{1, 2, 3}, []fault{{mmapjfr.ErrUnfinished, 1, l[1].Chunk.Offset}}}
	},
	"chunk size less than a header's": func() damagedFile {
		b := plain(1, 2)
		b.ForceSize = new(int64(10))
		data, _ := jfrtest.Concat(b, plain(3))
		return damagedFile{data, []int64{1, 2, 3}, []fault{{mmapjfr.ErrCorrupt, 0, 0}}}
	},
	"chunk size beyond the next chunk": func() damagedFile {
		b := plain(1, 2)
		b.ForceSize = new(int64(1 << 30))
		data, _ := jfrtest.Concat(b, plain(3))
		return damagedFile{data, []int64{1, 2, 3}, []fault{{mmapjfr.ErrCorrupt, 0, 0}}}
	},
	"negative chunk size": func() damagedFile {
		b := plain(1, 2)
		b.ForceSize = new(int64(-1))
		data, _ := jfrtest.Concat(b, plain(3))
		return damagedFile{data, []int64{1, 2, 3}, []fault{{mmapjfr.ErrCorrupt, 0, 0}}}
	},
	"faults everywhere": func() damagedFile {
		a, b := inTheMiddle(jfrtest.EventOptions{Size: new(int64(0))}, true), plain(7)
		b.Header.State = 1
		data := slices.Concat(a.data, []byte("garbage"), b.Bytes(), []byte("more"))
		at := int64(len(a.data))
		return damagedFile{data, append(a.want, 7), append(a.faults,
			fault{mmapjfr.ErrTrailing, 2, at}, fault{mmapjfr.ErrUnfinished, 2, at + 7})}
	},
}

// inTheMiddle puts an unusual event in the middle of the first of two chunks.
func inTheMiddle(opts jfrtest.EventOptions, ends bool) damagedFile {
	b, ty := numbered(1, 2)
	b.EmitWith(opts, ty, start, 99, "damaged")
	b.Emit(ty, start, 3, "text")
	data, l := jfrtest.Concat(b, plain(4, 5))
	want := []int64{1, 2, 4, 5}
	if !ends {
		want = []int64{1, 2, 3, 4, 5}
	}
	return damagedFile{data, want, []fault{{mmapjfr.ErrCorrupt, 0, l[0].Events[2].Offset}}}
}

func TestDamage(t *testing.T) {
	n := mmapjfr.Path("n")
	for name, make := range damage {
		t.Run(name, func(t *testing.T) {
			c := make()
			check := func(got []int64, errs []error) {
				t.Helper()
				assert.Equal(t, c.want, got)
				require.Len(t, errs, len(c.faults), "%v", errs)
				for i, f := range c.faults {
					isAt(t, errs[i], f.is, f.chunk, f.offset)
				}
			}
			rec := openBytes(t, c.data)
			for range 2 {
				events, errs := walk(t, rec.Select())
				var got []int64
				for i, ev := range events {
					got = append(got, ev.Int(n))
					again, err := rec.EventAtOffset(ev.Offset())
					require.NoError(t, err)
					assert.Equal(t, ev.Ordinal(), again.Ordinal())
					if i > 0 {
						assert.Greater(t, ev.Ordinal(), events[i-1].Ordinal())
					}
				}
				check(got, errs)
			}
			t.Run("cursor", func(t *testing.T) {
				cur := rec.Select().Cursor()
				var got []int64
				var errs []error
				for range 1000 {
					if cur.Next() {
						require.NoError(t, cur.Err())
						got = append(got, cur.Event().Int(n))
						continue
					}
					if cur.Err() == nil {
						break
					}
					errs = append(errs, cur.Err())
				}
				check(got, errs)
				assert.False(t, cur.Next())
				assert.NoError(t, cur.Err())
			})
			t.Run("break", func(t *testing.T) {
				for stop := range len(c.want) + len(c.faults) {
					i := 0
					for range rec.Events() {
						if i == stop {
							break
						}
						i++
					}
					assert.Equal(t, stop, i)
				}
			})
			t.Run("selection", func(t *testing.T) {
				events, _ := walk(t, rec.Select(mmapjfr.Types("test.*")))
				assert.Len(t, events, len(c.want))
				events, _ = walk(t, rec.Select(mmapjfr.Types("nothing")))
				assert.Empty(t, events)
			})
		})
	}
}

// TestEveryPrefixOfARecording: whatever is cut off, what is left can be read, in
// order, and there is one error at most for the end.
func TestEveryPrefixOfARecording(t *testing.T) {
	forms(t, newSample, func(t *testing.T, b *jfrtest.Builder) {
		b.MetadataFirst = true
		data, layouts := jfrtest.Concat(b, b)
		var offsets []uint64
		for _, l := range layouts {
			for _, ev := range l.Events {
				offsets = append(offsets, uint64(ev.Offset))
			}
		}
		step := longtest.Cases(101, 7) // a prime: all places of an event get their turn
		if raceEnabled {
			step = 101
		}
		for size := 68; size < len(data); size += step {
			rec, err := mmapjfr.OpenBytes(data[:size])
			require.NoError(t, err)
			events, errs := walk(t, rec.Select())
			got := offsetsOf(events)
			require.Equal(t, offsets[:len(got)], got, size)
			for _, ev := range events {
				_ = told(ev)
			}
			if size == int(layouts[1].Chunk.Offset) {
				require.Empty(t, errs)
			} else {
				require.Len(t, errs, 1, size)
				require.True(t, isEnd(errs[0]), "%d: %v", size, errs[0])
			}
			require.NoError(t, rec.Close())
		}
	})
}

func TestDamagedCheckpoints(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(b *jfrtest.Builder, cp *jfrtest.Checkpoint)
		at     func(l *jfrtest.Layout, cp jfrtest.CheckpointSpan) int64
		left   bool // whether the constant before the damage is there
	}{
		{"unknown class", func(_ *jfrtest.Builder, cp *jfrtest.Checkpoint) { cp.PoolID(4711).Count = new(int64(1)) },
			func(_ *jfrtest.Layout, cp jfrtest.CheckpointSpan) int64 { return cp.Pools[len(cp.Pools)-1].Offset }, true},
		{"more pools than there are", func(_ *jfrtest.Builder, cp *jfrtest.Checkpoint) { cp.PoolCount = new(int64(2)) },
			func(_ *jfrtest.Layout, cp jfrtest.CheckpointSpan) int64 { return cp.End() }, true},
		{"more constants than there are", func(_ *jfrtest.Builder, cp *jfrtest.Checkpoint) {
			cp.Pool("jdk.types.Symbol").Add(2, "x").Count = new(int64(3))
		}, func(_ *jfrtest.Layout, cp jfrtest.CheckpointSpan) int64 { return cp.End() }, true},
		{"text beyond the checkpoint", func(_ *jfrtest.Builder, cp *jfrtest.Checkpoint) {
			cp.Pool("jdk.types.Symbol").Add(2, jfrtest.UTF8("x").Claiming(1000))
		}, func(_ *jfrtest.Layout, cp jfrtest.CheckpointSpan) int64 { return cp.Pools[1].Constants[0].Offset }, true},
		{"offset of no checkpoint", func(b *jfrtest.Builder, _ *jfrtest.Checkpoint) {
			_, l := b.Build()
			b.ForceCheckpointOffset = new(l.Events[0].Offset)
		}, func(l *jfrtest.Layout, _ jfrtest.CheckpointSpan) int64 { return l.Events[0].Offset }, false},
		{"offset beyond the chunk", func(b *jfrtest.Builder, _ *jfrtest.Checkpoint) { b.ForceCheckpointOffset = new(int64(1 << 40)) },
			func(*jfrtest.Layout, jfrtest.CheckpointSpan) int64 { return 1 << 40 }, false},
		{"delta out of the chunk", func(_ *jfrtest.Builder, cp *jfrtest.Checkpoint) { cp.Delta = new(int64(1 << 40)) },
			func(_ *jfrtest.Layout, cp jfrtest.CheckpointSpan) int64 { return cp.Offset }, true},
		{"chain that comes back", func(b *jfrtest.Builder, cp *jfrtest.Checkpoint) {
			other := b.Checkpoint(0)
			other.Prev, cp.Prev = cp, other
		}, func(l *jfrtest.Layout, _ jfrtest.CheckpointSpan) int64 { return l.Checkpoints[1].Offset }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := jfrtest.NewChunk()
			ty := b.Event("E", jfrtest.Of("n", "int"), jfrtest.Const("symbol", "jdk.types.Symbol"))
			b.Emit(ty, start, 1, 1)
			b.Emit(ty, start, 2, 1)
			cp := b.Checkpoint(0)
			cp.Add("jdk.types.Symbol", 1, "there")
			c.damage(b, cp)
			data, layouts := jfrtest.Concat(plain(0), b, plain(3))
			_, alone := b.Build()
			at := layouts[1].Chunk.Offset + c.at(alone, alone.Checkpoint(cp))

			rec := openBytes(t, data)
			events, errs := walk(t, rec.Select())
			assert.Len(t, events, 4)
			assert.Empty(t, errs, "nobody has asked for a constant")
			for range 2 {
				var got []int64
				errs = nil
				for ev, err := range rec.Events() {
					if err != nil {
						errs = append(errs, err)
						continue
					}
					got = append(got, ev.Int(mmapjfr.Path("n")))
					if s := ev.Get(mmapjfr.Path("symbol")); ev.Chunk().Number() == 1 {
						assert.Equal(t, !c.left, s.IsMissing())
					}
				}
				assert.Equal(t, []int64{0, 1, 2, 3}, got)
				require.Len(t, errs, 1, "once for each walk")
				isAt(t, errs[0], mmapjfr.ErrCorrupt, 1, at)
			}
			isAt(t, rec.Chunks()[1].ConstantsErr(), mmapjfr.ErrCorrupt, 1, at)
			assert.NoError(t, rec.Chunks()[0].ConstantsErr())
		})
	}
}

func TestDamagedMetadataIsToldByTypes(t *testing.T) {
	b := plain(1)
	b.ForceMetadataOffset = new(int64(1 << 40))
	rec, _ := openBuilt(t, plain(0), b, plain(3))
	types, err := rec.Types()
	require.ErrorIs(t, err, mmapjfr.ErrCorrupt)
	assert.NotEmpty(t, types, "those of the other chunks")
	_, err = rec.Chunks()[1].Types()
	require.ErrorIs(t, err, mmapjfr.ErrCorrupt)
	_, ok := rec.Type("test.N")
	assert.True(t, ok)
	assert.ErrorIs(t, rec.Chunks()[1].ConstantsErr(), mmapjfr.ErrCorrupt)
}

// TestDamagedCheckpointsOfEachChunk are reported of each chunk.
func TestDamagedCheckpointsOfEachChunk(t *testing.T) {
	build := func() *jfrtest.Builder {
		b := jfrtest.NewChunk()
		b.Emit(b.Event("E", jfrtest.Const("symbol", "jdk.types.Symbol")), start, 1)
		b.ForceCheckpointOffset = new(int64(1 << 40))
		return b
	}
	second := build()
	second.Header.StartNanos++ // another chunk, and not the same one again
	rec, layouts := openBuilt(t, build(), second)
	var errs []error
	for ev, err := range rec.Events() {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		assert.True(t, ev.Get(mmapjfr.Path("symbol")).IsMissing())
	}
	require.Len(t, errs, 2)
	isAt(t, errs[0], mmapjfr.ErrCorrupt, 0, 1<<40)
	isAt(t, errs[1], mmapjfr.ErrCorrupt, 1, layouts[1].Chunk.Offset+(1<<40))
}
