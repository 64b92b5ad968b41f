package mmapjfr_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// salvage opens a recording that is not whole, and returns the field n of its events and
// what the iteration says is wrong.
func salvage(t testing.TB, data []byte) (rec *mmapjfr.Recording, numbers []int64, errs []error) {
	t.Helper()
	rec, err := mmapjfr.OpenBytes(data, mmapjfr.Salvage())
	require.NoError(t, err)
	t.Cleanup(func() { _ = rec.Close() })
	events, errs := walk(t, rec.Select())
	n := mmapjfr.Path("n")
	for _, ev := range events {
		numbers = append(numbers, ev.Int(n))
	}
	return rec, numbers, errs
}

// count returns the numbers from one to another.
func count(from, to int) (numbers []int) {
	for n := from; n <= to; n++ {
		numbers = append(numbers, n)
	}
	return numbers
}

func longs(list []int) (numbers []int64) {
	for _, n := range list {
		numbers = append(numbers, int64(n))
	}
	return numbers
}

// header puts a number into a field of the header of the chunk at an offset.
func header(data []byte, chunk int64, field int, v uint64) {
	binary.BigEndian.PutUint64(data[chunk+int64(field):], v)
}

const (
	sizeField, checkpointField, metadataField              = 8, 16, 24
	startNanosField, startTicksField, ticksPerSecondsField = 32, 48, 56
)

// TestSalvageOfWhatIsWhole finds nothing to do.
func TestSalvageOfWhatIsWhole(t *testing.T) {
	for _, name := range []string{"jdk17-flushed", "jdk25-kinds", "jdk25-chunks", "concat-jdk17-jdk25", "concat-jdk25-jdk25"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("../testdata/" + name + ".jfr")
			require.NoError(t, err)
			rec, err := mmapjfr.OpenBytes(data, mmapjfr.Salvage())
			require.NoError(t, err)
			assert.Empty(t, rec.Salvaged())
			assert.Equal(t, offsetsOf(all(t, openBytes(t, data))), offsetsOf(all(t, rec)))
		})
	}
	assert.Empty(t, openFile(t, "jdk25-killed.jfr").Salvaged(), "without the option")
}

func TestSalvageRefusesWhatHasNoChunk(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"nothing":          {nil, mmapjfr.ErrEmpty},
		"text":             {[]byte("no recording at all, but much longer than a header, so that it could be one"), mmapjfr.ErrNotRecording},
		"half a header":    {plain(1).Bytes()[:40], mmapjfr.ErrTruncated},
		"packed":           {[]byte("\x1f\x8b and so on"), mmapjfr.ErrNotRecording},
		"an older version": {func() []byte { b := plain(1); b.Header.Major = 0; return b.Bytes() }(), mmapjfr.ErrUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := mmapjfr.OpenBytes(c.data, mmapjfr.Salvage())
			require.ErrorIs(t, err, c.want)
		})
	}
}

func TestSalvageFindsChunks(t *testing.T) {
	a, b := plain(count(1, 9)...).Bytes(), plain(count(10, 19)...).Bytes()
	whole := longs(count(1, 19))
	t.Run("after garbage", func(t *testing.T) {
		rec, got, errs := salvage(t, slices.Concat([]byte("garbage FLR\x00 garbage"), a, b))
		assert.Equal(t, whole, got)
		require.Len(t, errs, 1)
		isAt(t, errs[0], mmapjfr.ErrNotRecording, 0, 0)
		assert.Equal(t, uint64(20), rec.Chunks()[0].Offset())
	})
	t.Run("after the middle of one", func(t *testing.T) {
		_, got, errs := salvage(t, slices.Concat(a[200:], b))
		assert.Equal(t, whole[9:], got)
		require.Len(t, errs, 1)
		isAt(t, errs[0], mmapjfr.ErrNotRecording, 0, 0)
	})
	t.Run("after one that breaks off", func(t *testing.T) {
		_, l := plain(count(1, 9)...).Build()
		at := l.Events[5].Offset + 3
		rec, got, errs := salvage(t, slices.Concat(a[:at], b))
		assert.Equal(t, slices.Concat(whole[:5], whole[9:]), got)
		require.Len(t, errs, 1)
		isAt(t, errs[0], mmapjfr.ErrCorrupt, 0, 0)
		require.Len(t, rec.Chunks(), 2)
		assert.Equal(t, uint64(at), rec.Chunks()[1].Offset())
	})
	for name, size := range map[string]uint64{
		"after one without a size":         0,
		"after one that says it is longer": uint64(len(a)) + 100,
		"after one that says it is huge":   1 << 50,
		"after one that says it is short":  300,
	} {
		t.Run(name, func(t *testing.T) {
			data := slices.Concat(a, b)
			header(data, 0, sizeField, size)
			rec, got, errs := salvage(t, data)
			assert.Equal(t, whole, got)
			require.Len(t, errs, 1)
			isAt(t, errs[0], mmapjfr.ErrCorrupt, 0, 0)
			assert.Equal(t, uint64(len(a)), rec.Chunks()[0].Size())
			assert.Equal(t, uint64(len(a)), engine.ChunkIndex(rec.Chunks()[0]).Header().Size, "put right")
		})
	}
	t.Run("before bytes that are none", func(t *testing.T) {
		rec, got, errs := salvage(t, slices.Concat(a, make([]byte, 3000), b, []byte("x")))
		assert.Equal(t, whole, got)
		require.Len(t, errs, 2)
		isAt(t, errs[0], mmapjfr.ErrTrailing, 1, int64(len(a)))
		isAt(t, errs[1], mmapjfr.ErrTrailing, 2, int64(len(a)+3000+len(b)))
		assert.Empty(t, rec.Salvaged())
	})
}

// A recording inside an event, whole and with its own header, is part of the event.
func TestSalvageTakesNoPayloadForAChunk(t *testing.T) {
	inner := plain(7, 8, 9).Bytes()
	for name, size := range map[string]*int64{"size": nil, "no size": new(int64(0)), "too large": new(int64(1 << 40))} {
		t.Run(name, func(t *testing.T) {
			b, ty := numbered(1, 2, 3)
			blob := b.Event("test.Blob", jfrtest.Of("n", "int"), jfrtest.Of("bytes", "byte").Array())
			b.Emit(blob, start, 4, inner)
			b.Emit(ty, start, 5, "FLR\x00\x00\x02\x00\x01")
			b.ForceSize = size
			data, _ := jfrtest.Concat(b, plain(6))
			rec, got, errs := salvage(t, data)
			assert.Equal(t, longs(count(1, 6)), got)
			assert.Len(t, rec.Chunks(), 2)
			assert.Len(t, errs, len(rec.Salvaged()))
		})
	}
}

func TestSalvageFindsALostHeader(t *testing.T) {
	build := func() (*jfrtest.Builder, *jfrtest.Class) {
		b, ty := numbered(count(1, 5)...)
		b.Checkpoint(jfrtest.MaskFlush).CarryHeader(2)
		for _, n := range count(6, 9) {
			b.Emit(ty, start, n, "text")
		}
		b.Checkpoint(0).CarryHeader(0)
		return b, ty
	}
	b, _ := build()
	data := slices.Concat(plain(0).Bytes(), b.Bytes(), plain(10).Bytes())
	at := int64(len(plain(0).Bytes()))
	clear(data[at : at+68])
	rec, got, errs := salvage(t, data)
	assert.Equal(t, longs(count(0, 10)), got)
	require.Len(t, errs, 1)
	isAt(t, errs[0], mmapjfr.ErrCorrupt, 1, at)
	require.Len(t, rec.Salvaged(), 1)
	assert.True(t, rec.Salvaged()[0].HeaderCopied)
	assert.Equal(t, uint64(at), rec.Chunks()[1].Offset())
	assert.Equal(t, time.Unix(0, b.Header.StartNanos).UTC(), rec.Chunks()[1].Start())
}

func TestSalvageFindsMetadata(t *testing.T) {
	a := plain(count(1, 9)...)
	data, l := a.Build()
	want := longs(count(1, 9))
	check := func(t *testing.T, data []byte, offset uint64) {
		t.Helper()
		rec, got, errs := salvage(t, data)
		assert.Equal(t, want, got)
		require.Len(t, rec.Salvaged(), len(errs))
		assert.Equal(t, offset, engine.ChunkIndex(rec.Chunks()[0]).Header().Metadata)
	}
	t.Run("when the header leads elsewhere", func(t *testing.T) {
		bad := bytes.Clone(data)
		header(bad, 0, metadataField, uint64(l.Events[3].Offset))
		check(t, bad, uint64(l.Metadata[0].Offset))
	})
	t.Run("when the header is silent", func(t *testing.T) {
		b := plain(count(1, 9)...)
		b.MetadataFirst = false
		bad, l := b.Build()
		header(bad, 0, metadataField, 0)
		rec, got, errs := salvage(t, bad)
		assert.Equal(t, want, got)
		require.Len(t, errs, 1)
		require.ErrorIs(t, errs[0], mmapjfr.ErrUnfinished)
		assert.Equal(t, uint64(l.Metadata[0].Offset), engine.ChunkIndex(rec.Chunks()[0]).Header().Metadata)
	})
	t.Run("after frames that break off", func(t *testing.T) {
		b := plain(count(1, 9)...)
		b.MetadataFirst = false
		bad, l := b.Build()
		header(bad, 0, metadataField, 1<<40)
		header(bad, 0, checkpointField, 0)
		clear(l.Events[0].Of(bad))
		rec, got, _ := salvage(t, bad)
		assert.Equal(t, want[1:], got)
		assert.Equal(t, uint64(l.Metadata[0].Offset), engine.ChunkIndex(rec.Chunks()[0]).Header().Metadata)
	})
}

func TestSalvageBorrowsMetadata(t *testing.T) {
	for name, c := range map[string]struct {
		nanos, ticks, rate int64 // by how much the clocks of the chunks differ
		minor              uint16
		from               int
	}{
		"of the same machine":            {5e9, 5e9, 0, 0, 0},
		"a little apart":                 {5e9 + 40e6, 5e9, 0, 0, 0},
		"of a machine that began later":  {5e9 + 60e6, 5e9, 0, 0, -1},
		"of a clock of another rate":     {5e9, 5e9, 1, 0, -1},
		"of another version":             {5e9, 5e9, 0, 1, -1},
		"of a machine with another time": {-3600e9, 5e9, 0, 0, -1},
	} {
		t.Run(name, func(t *testing.T) {
			for _, first := range []bool{true, false} {
				a, b := plain(count(1, 9)...), plain(count(10, 19)...)
				lost, other := a, b
				if !first {
					lost, other = b, a
				}
				other.Header.StartNanos += c.nanos
				other.Header.StartTicks += c.ticks
				other.Header.TickRate += c.rate
				other.Header.Minor -= c.minor
				data, l := jfrtest.Concat(a, b)
				number := slices.Index([]*jfrtest.Builder{a, b}, lost)
				m := l[number].Metadata[0]
				clear(data[m.Offset+4 : m.End()])
				rec, got, errs := salvage(t, data)
				require.Len(t, rec.Salvaged(), 1)
				if c.from < 0 {
					assert.Equal(t, -1, rec.Salvaged()[0].MetadataFrom)
					assert.Len(t, got, 10-number, "those of the other chunk")
					continue
				}
				assert.Equal(t, 1-number, rec.Salvaged()[0].MetadataFrom)
				assert.Equal(t, longs(count(1, 19)), got)
				isAt(t, errs[0], mmapjfr.ErrCorrupt, number, m.Offset)
				types, err := rec.Chunks()[number].Types()
				require.NoError(t, err)
				assert.NotEmpty(t, types)
			}
		})
	}
}

// Classes that fit nothing in a chunk are not those of its machine, whatever its clock.
func TestSalvageBorrowsOnlyWhatFits(t *testing.T) {
	a := plain(count(1, 9)...)
	b := jfrtest.NewChunk()
	for range 30 {
		b.Class("test.Filler")
	}
	b.Emit(b.Event("test.N", jfrtest.Of("n", "int")), start, 1)
	data, l := jfrtest.Concat(a, b)
	m := l[0].Metadata[0]
	clear(data[m.Offset+4 : m.End()])
	rec, _, _ := salvage(t, data)
	require.Len(t, rec.Salvaged(), 1)
	assert.Equal(t, -1, rec.Salvaged()[0].MetadataFrom)
}

func TestSalvageBorrowsClasses(t *testing.T) {
	a, ty := numbered(1, 2)
	late := a.Event("test.Late", jfrtest.Of("n", "int"))
	a.Emit(late, start, 3)
	a.Emit(ty, start, 4, "text")
	b, _ := numbered(5)
	b.EmitRaw(jfrtest.EventOptions{}, late.ID, []byte{0xc0, 0x84, 0x3d, 6}) // at start, 6
	data, _ := jfrtest.Concat(a, b)
	rec, got, errs := salvage(t, data)
	assert.Equal(t, longs(count(1, 6)), got)
	require.Len(t, errs, 1)
	require.Len(t, rec.Salvaged(), 1)
	assert.Equal(t, 0, rec.Salvaged()[0].TypesFrom)
	assert.Equal(t, 1, rec.Salvaged()[0].MetadataFrom)
}

func TestSalvageOfUnfinishedChunks(t *testing.T) {
	// Two flushes, the header of the first, and events after them.
	b, ty := numbered(1, 2)
	b.Header.State = 3
	b.Checkpoint(jfrtest.MaskFlush)
	b.Emit(ty, start, 3, "text")
	b.Checkpoint(jfrtest.MaskFlush)
	b.Emit(ty, start, 4, "text")
	b.Emit(ty, start, 5, "text")
	data, l := b.Build()
	flushes := l.Checkpoints
	header(data, 0, sizeField, uint64(flushes[0].End()))
	header(data, 0, checkpointField, uint64(flushes[0].Offset))
	check := func(t *testing.T, data []byte, want []int64, behind, lost uint64) {
		t.Helper()
		rec, got, errs := salvage(t, data)
		assert.Equal(t, want, got)
		require.Len(t, errs, 1)
		isAt(t, errs[0], mmapjfr.ErrUnfinished, 0, 0)
		s := rec.Salvaged()
		require.Len(t, s, 1)
		assert.Equal(t, uint64(flushes[1].End()), s[0].Flushed)
		assert.Equal(t, behind, s[0].AfterFlush)
		if lost == 0 {
			assert.Empty(t, s[0].Lost)
			return
		}
		require.Len(t, s[0].Lost, 1)
		assert.Equal(t, lost, s[0].Lost[0].To-s[0].Lost[0].From)
	}
	t.Run("to the end", func(t *testing.T) { check(t, data, longs(count(1, 5)), 2, 0) })
	t.Run("with half an event", func(t *testing.T) {
		check(t, data[:l.Events[4].End()-1], longs(count(1, 4)), 1, uint64(l.Events[4].Size-1))
	})
	t.Run("nothing after what breaks off", func(t *testing.T) {
		var more []byte
		for i := range 6 {
			more = append(more, l.Events[i%5].Of(data)...)
		}
		check(t, slices.Concat(data[:l.Events[4].End()], make([]byte, 10), more), longs(count(1, 5)), 2, uint64(10+len(more)))
	})
	t.Run("without a flush", func(t *testing.T) {
		bad := bytes.Clone(data)
		header(bad, 0, sizeField, 68)
		header(bad, 0, checkpointField, 0)
		header(bad, 0, metadataField, 0)
		check(t, bad, longs(count(1, 5)), 2, 0)
	})
	t.Run("in async-profiler's way", func(t *testing.T) {
		b := plain(count(1, 5)...)
		b.Header.Minor = 0
		data, l := b.Build()
		header(data, 0, sizeField, 1<<30)
		header(data, 0, checkpointField, 0)
		header(data, 0, metadataField, 0)
		rec, got, errs := salvage(t, data[:l.Events[4].End()-2])
		assert.Equal(t, longs(count(1, 4)), got)
		require.Len(t, errs, 1)
		isAt(t, errs[0], mmapjfr.ErrUnfinished, 0, 0)
		assert.Equal(t, uint64(4), rec.Salvaged()[0].AfterFlush)
		assert.Zero(t, rec.Salvaged()[0].Flushed)
	})
}

// The last flush of these vouches for 46 events; the rest is in the file, whole.
func TestSalvageOfKilledMachines(t *testing.T) {
	for _, name := range []string{"jdk25-killed", "jdk25-live", "jdk17-live"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("../testdata/" + name + ".jfr")
			require.NoError(t, err)
			rec, err := mmapjfr.OpenBytes(data, mmapjfr.Salvage())
			require.NoError(t, err)
			events, errs := walk(t, rec.Select())
			require.Len(t, errs, 1)
			require.ErrorIs(t, errs[0], mmapjfr.ErrUnfinished)
			assert.Len(t, events, 46+1850)
			assert.Equal(t, uint64(1850), rec.Salvaged()[0].AfterFlush)
			last := events[len(events)-1]
			assert.Equal(t, "gen.Growing$Common", last.Type().Name())
			assert.True(t, last.Get(mmapjfr.Path("stackTrace")).IsMissing(), "it was to be written with the next flush")
			sameEverywhere(t, rec, events)
		})
	}
}

func TestSalvageFindsCheckpoints(t *testing.T) {
	build := func() ([]byte, *jfrtest.Layout) {
		b := jfrtest.NewChunk()
		ty := b.Event("test.N", jfrtest.Of("n", "int"), jfrtest.Const("symbol", "jdk.types.Symbol"))
		for n := range 6 {
			b.Checkpoint(0).Add("jdk.types.Symbol", n+1, fmt.Sprint("symbol ", n))
			b.Emit(ty, start, n, n+1)
		}
		return b.Build()
	}
	symbols := func(t *testing.T, data []byte) (list []string) {
		t.Helper()
		rec, _, errs := salvage(t, data)
		assert.NotEmpty(t, errs)
		for ev, err := range rec.Events() {
			if err == nil {
				v := ev.Get(mmapjfr.Path("symbol"))
				assert.Equal(t, v.Str() == "", v.IsMissing())
				list = append(list, v.Str())
			}
		}
		return list
	}
	whole := []string{"symbol 0", "symbol 1", "symbol 2", "symbol 3", "symbol 4", "symbol 5"}
	t.Run("of a broken chain", func(t *testing.T) {
		data, l := build()
		d := l.Checkpoints[3].Delta
		copy(data[d.Offset:], bytes.Repeat([]byte{0xff}, int(d.Size))) // -1
		assert.Equal(t, whole, symbols(t, data))
	})
	t.Run("of a chain that was never begun", func(t *testing.T) {
		data, _ := build()
		header(data, 0, checkpointField, 1<<50)
		assert.Equal(t, whole, symbols(t, data))
	})
	t.Run("of a header that knows of none", func(t *testing.T) {
		data, _ := build()
		header(data, 0, checkpointField, 0)
		assert.Equal(t, whole, symbols(t, data))
	})
	t.Run("of a chain that ends too early", func(t *testing.T) {
		data, l := build()
		d := l.Checkpoints[3].Delta
		copy(data[d.Offset:], append(bytes.Repeat([]byte{0x80}, int(d.Size-1)), 0))
		assert.Equal(t, whole, symbols(t, data))
	})
	t.Run("but for one that is lost", func(t *testing.T) {
		data, l := build()
		clear(l.Checkpoints[2].Of(data))
		assert.Equal(t, []string{"symbol 0", "symbol 1", "", "symbol 3", "symbol 4", "symbol 5"}, symbols(t, data))
	})
}

func TestSalvageOfAClock(t *testing.T) {
	build := func(from int) *jfrtest.Builder {
		b := plain(count(from, from+4)...)
		b.Header.StartTicks += int64(from) * 1e9
		b.Header.StartNanos += int64(from) * 1e9
		b.Checkpoint(0)
		return b
	}
	for name, field := range map[string]int{"ticks/s": ticksPerSecondsField, "nanos": startNanosField, "ticks": startTicksField} {
		for what, v := range map[string]uint64{"0": 0, "-1": 1<<64 - 1, "absurd": 1 << 62} {
			t.Run(name+" "+what+" from a copy", func(t *testing.T) {
				a := build(1)
				a.Checkpoint(jfrtest.MaskFlush).CarryHeader(0)
				data := a.Bytes()
				want := openBytes(t, bytes.Clone(data)).Chunks()[0]
				header(data, 0, field, v)
				rec, got, errs := salvage(t, data)
				c := rec.Chunks()[0]
				assert.Len(t, got, 5)
				require.Len(t, errs, 1)
				isAt(t, errs[0], mmapjfr.ErrCorrupt, 0, 32)
				assert.True(t, rec.Salvaged()[0].ClockCopied)
				assert.Equal(t, want.Start(), c.Start())
				assert.Equal(t, engine.ChunkTicksToTime(want, 12_345_678), engine.ChunkTicksToTime(c, 12_345_678))
			})
			t.Run(name+" "+what+" from the chunk before", func(t *testing.T) {
				data, l := jfrtest.Concat(build(1), build(2))
				want := engine.ChunkTicksToTime(openBytes(t, bytes.Clone(data)).Chunks()[1], 2_500_000_000)
				header(data, l[1].Chunk.Offset, field, v)
				rec, got, errs := salvage(t, data)
				assert.Len(t, got, 10)
				require.Len(t, errs, 1)
				isAt(t, errs[0], mmapjfr.ErrCorrupt, 1, l[1].Chunk.Offset+32)
				assert.Equal(t, 0, rec.Salvaged()[0].ClockFrom)
				assert.InDelta(t, want.UnixNano(), engine.ChunkTicksToTime(rec.Chunks()[1], 2_500_000_000).UnixNano(), 1000)
			})
			t.Run(name+" "+what+" from none", func(t *testing.T) {
				b := build(2)
				far := build(900)
				data, _ := jfrtest.Concat(b, far)
				header(data, 0, field, v)
				rec, got, errs := salvage(t, data)
				assert.Len(t, got, 10)
				assert.NotEmpty(t, errs)
				assert.Equal(t, -1, rec.Salvaged()[0].ClockFrom)
			})
		}
	}
}

// sameEverywhere checks that all ways to an event lead to these.
func sameEverywhere(t *testing.T, rec *mmapjfr.Recording, events []mmapjfr.Event) {
	t.Helper()
	want := offsetsOf(events)
	var mu sync.Mutex
	var parallel, batches []uint64
	_ = rec.Select().Parallel(context.Background(), func(_ int, ev mmapjfr.Event) error {
		mu.Lock()
		defer mu.Unlock()
		parallel = append(parallel, ev.Offset())
		return nil
	})
	slices.Sort(parallel)
	assert.Equal(t, want, parallel)
	_ = engine.SelectionBatches(rec.Select(), context.Background(), func(_ int, b *mmapjfr.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		for i := range engine.BatchLen(b) {
			batches = append(batches, engine.BatchEvent(b, i).Offset())
		}
		return nil
	})
	slices.Sort(batches)
	assert.Equal(t, want, batches)

	known := make(map[uint64]bool)
	var first mmapjfr.Event
	for n, ev := range events {
		known[ev.Offset()] = true
		again, err := rec.EventAtOffset(ev.Offset())
		require.NoError(t, err)
		require.Equal(t, uint64(n), again.Ordinal())
		again, err = rec.EventByOrdinal(uint64(n))
		require.NoError(t, err)
		require.Equal(t, ev.Offset(), again.Offset())
		if first.IsZero() || ev.StartNanos() < first.StartNanos() {
			first = ev
		}
	}
	for offset := range uint64(min(rec.Size(), 20_000)) {
		_, err := rec.EventAtOffset(offset)
		require.Equal(t, known[offset], err == nil, "an event at %#x", offset)
	}
	at, err := rec.FirstEventSince(first.Start().Add(-time.Hour))
	require.NoError(t, err)
	assert.Equal(t, first.StartNanos(), at.StartNanos())

	counted := uint64(0)
	for _, census := range engine.RecordingIndex(rec).CountEvents(context.Background(), 1, nil) {
		require.NoError(t, census.Err)
		for i, id := range census.IDs {
			if id != schema.MetadataID && id != schema.CheckpointID {
				counted += census.Counts[i].Events
			}
		}
	}
	assert.Equal(t, len(events), int(counted))

	for range 2 { // before and after blocks have been cut
		got, _ := walk(t, rec.Select(mmapjfr.Types(events[0].Type().Name())))
		n := 0
		for _, ev := range events {
			if ev.Type().Name() == events[0].Type().Name() {
				require.Equal(t, ev.Offset(), got[n].Offset())
				n++
			}
		}
		assert.Len(t, got, n)
		got, _ = walk(t, rec.Select(mmapjfr.Between(first.Start().Add(-time.Hour), first.Start().Add(10000*time.Hour))))
		assert.Equal(t, want, offsetsOf(got))
	}
}

// TestSalvageOfDamageInside makes holes of different sizes and looks everywhere for what
// is around them.
func TestSalvageOfDamageInside(t *testing.T) {
	build := func() *jfrtest.Builder { return plain(count(0, 4999)...) }
	_, l := build().Build()
	for name, hole := range map[string][2]int{
		"one event": {7, 7}, "a page": {100, 450}, "more than a block": {1000, 4800}, "all before the last": {0, 4990},
	} {
		t.Run(name, func(t *testing.T) {
			data, _ := jfrtest.Concat(build(), plain(5000))
			from, to := l.Events[hole[0]].Offset, l.Events[hole[1]].End()
			clear(data[from:to])
			rec, got, errs := salvage(t, data)
			assert.Equal(t, slices.Concat(longs(count(0, hole[0]-1)), longs(count(hole[1]+1, 5000))), got)
			require.Len(t, errs, 1)
			isAt(t, errs[0], mmapjfr.ErrCorrupt, 0, from)
			require.Len(t, rec.Salvaged(), 1)
			assert.Equal(t, []mmapjfr.ByteRange{{From: uint64(from), To: uint64(to)}}, rec.Salvaged()[0].Lost)
			err := rec.Select().Parallel(context.Background(), func(int, mmapjfr.Event) error { return nil })
			require.ErrorIs(t, err, mmapjfr.ErrCorrupt)
			events, _ := walk(t, rec.Select())
			sameEverywhere(t, rec, events)
		})
	}
}

// A saved index is of chunks that are whole.
func TestSalvageAndSavedIndexes(t *testing.T) {
	data, l := jfrtest.Concat(plain(count(1, 9)...), plain(count(10, 19)...))
	clear(l[0].Events[3].Of(data))
	path := t.TempDir() + "/a.jfr"
	require.NoError(t, os.WriteFile(path, data, 0o600))
	for range 2 {
		save(t, path)
		rec := openSaved(t, path, mmapjfr.Salvage())
		events, errs := walk(t, rec.Select())
		assert.Len(t, events, 18)
		assert.Len(t, errs, 1)
		ev, err := rec.EventByOrdinal(3)
		require.NoError(t, err)
		assert.Equal(t, int64(5), ev.Int(mmapjfr.Path("n")))
		require.NoError(t, rec.Close())
		require.NoError(t, os.Remove(savedIn(t, path)))
	}
	save(t, path, mmapjfr.Salvage())
	ev, err := openSaved(t, path).EventByOrdinal(3)
	require.NoError(t, err)
	assert.Equal(t, int64(10), ev.Int(mmapjfr.Path("n")), "the strict walk over the first chunk ends before")
}

// TestSalvageOfHolesThatTouch: the checkpoint between two damaged parts is a sure place, but
// can itself not be read.
func TestSalvageOfHolesThatTouch(t *testing.T) {
	b, ty := numbered(count(0, 9)...)
	b.Checkpoint(0).Add("jdk.types.Symbol", 1, "a symbol")
	for _, n := range count(10, 19) {
		b.Emit(ty, start, n, "text")
	}
	b.Checkpoint(0)
	data, l := b.Build()
	pool := l.Checkpoints[0].Pools[0]
	from, to := l.Events[5].Offset, l.Events[14].End()
	clear(data[from:l.Events[9].End()])
	clear(data[pool.Offset:to])
	rec, got, errs := salvage(t, data)
	assert.Equal(t, longs(slices.Concat(count(0, 4), count(15, 19))), got)
	assert.NotEmpty(t, errs)
	assert.Equal(t, []mmapjfr.ByteRange{{From: uint64(from), To: uint64(to)}}, rec.Salvaged()[0].Lost)
	events, _ := walk(t, rec.Select())
	sameEverywhere(t, rec, events)
}
