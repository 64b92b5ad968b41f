package summary_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// TestPoolsAgreeWithPlainReader compares with a reader that decodes everything.
func TestPoolsAgreeWithPlainReader(t *testing.T) {
	each(t, func(t *testing.T, name string, data []byte) {
		rec, err := jfrtest.Decode(data)
		s := extend(t, data)
		if err != nil {
			assert.NotEmpty(t, s.Faults)
			return
		}
		want := make(map[string]summary.Pool)
		for i, c := range rec.Chunks {
			pools, constants := 0, 0
			for _, cp := range c.Checkpoints {
				pools += len(cp.Pools)
				for _, p := range cp.Pools {
					constants += len(p.Keys)
					sum := want[c.Classes[p.Class].Name]
					sum.Type = c.Classes[p.Class].Name
					sum.Pools++
					sum.Constants += uint64(len(p.Keys))
					want[sum.Type] = sum
				}
			}
			assert.EqualValues(t, pools, s.Chunks[i].Pools)
			assert.EqualValues(t, constants, s.Chunks[i].Constants)
		}
		got := make(map[string]summary.Pool)
		all := uint64(0)
		for i, p := range s.Pools {
			assert.True(t, i == 0 || p.Bytes <= s.Pools[i-1].Bytes, "the largest first")
			all += p.Bytes
			p.Bytes = 0
			got[p.Type] = p
		}
		assert.Equal(t, want, got)
		checkpoints := counts(s)["jdk.Checkpoint"].Bytes
		assert.Less(t, all, checkpoints)
		assert.Greater(t, 2*all, checkpoints, "most of a checkpoint is pools")
	})
}

func TestSizeOfPools(t *testing.T) {
	b := jfrtest.NewChunk()
	cp := b.Checkpoint(jfrtest.MaskStatics)
	cp.Add("jdk.types.Symbol", 1, "abc") // key, encoding, length and three letters
	cp.Add("jdk.types.Symbol", 200, "")  // a key of two bytes, and only the encoding
	b.Checkpoint(0).Add("jdk.types.FrameType", 1, "x")
	first := b.Bytes()
	b.Header.StartNanos++ // equal chunks count once
	s := extend(t, slices.Concat(first, b.Bytes(), first))
	assert.Equal(t, []summary.Pool{
		{Type: "jdk.types.Symbol", Pools: 2, Constants: 4, Bytes: 18},
		{Type: "jdk.types.FrameType", Pools: 2, Constants: 2, Bytes: 8},
	}, s.Pools)
}

// TestTimesAgreeWithPlainReading compares with one event after the other.
func TestTimesAgreeWithPlainReading(t *testing.T) {
	each(t, func(t *testing.T, name string, data []byte) {
		type span struct{ first, last time.Time }
		want := make(map[string]span)
		for ev, err := range open(t, data)[0].Events() {
			if err != nil {
				continue
			}
			at := ev.Start()
			s, ok := want[ev.Type().Name()]
			if !ok || at.Before(s.first) {
				s.first = at
			}
			if !ok || at.After(s.last) {
				s.last = at
			}
			want[ev.Type().Name()] = s
		}
		got := make(map[string]span)
		for _, typ := range extend(t, data).Types {
			if typ.First.IsZero() {
				assert.True(t, typ.Events == 0 || !typ.Type.IsEvent(), typ.Name)
				continue
			}
			s, ok := got[typ.Name] // several may have one name
			if !ok || typ.First.Before(s.first) {
				s.first = typ.First
			}
			if !ok || typ.Last.After(s.last) {
				s.last = typ.Last
			}
			got[typ.Name] = s
		}
		assert.Equal(t, want, got)
	})
}

// TestTimesByTheClockOfTheChunk takes types of one number in different machines.
func TestTimesByTheClockOfTheChunk(t *testing.T) {
	a, b := jfrtest.NewChunk(), jfrtest.NewChunk()
	one, two := a.Event("test.A"), a.Event("test.B")
	a.Emit(one, 1_000_000+5)
	a.Emit(two, 1_000_000+7)
	a.Emit(one, 1_000_000+6)
	other := b.Event("test.B")
	require.Equal(t, one.ID, other.ID)
	b.Header.StartNanos += 1e9
	b.Header.TickRate /= 10
	b.Emit(other, 1_000_000+3)
	s := extend(t, joined(a, b))
	start := time.Unix(1_700_000_000, 0).UTC()
	got := make(map[string][2]time.Duration)
	for _, typ := range s.Types {
		if !typ.First.IsZero() {
			got[typ.Name] = [2]time.Duration{typ.First.Sub(start), typ.Last.Sub(start)}
		}
	}
	assert.Equal(t, map[string][2]time.Duration{
		"test.A": {5, 6}, "test.B": {7, time.Second + 30},
	}, got)
}

// TestFaultsAreToldOnce: what a walk over the frames finds is found again when events
// are read; what is inside events and checkpoints is found only then.
func TestFaultsAreToldOnce(t *testing.T) {
	for name, data := range damaged(t) {
		before := faults(collect(t, data))
		s := extend(t, data)
		assert.Equal(t, before, faults(s)[:len(before)], name)
		seen := make(map[string]bool)
		for _, err := range faults(s) {
			assert.False(t, seen[err.Error()], "%s: %v", name, err)
			seen[err.Error()] = true
		}
	}
	b := jfrtest.NewChunk()
	ev := b.Event("test.Event", jfrtest.Of("text", jfrtest.StringClass))
	b.EmitRaw(jfrtest.EventOptions{}, ev.ID, []byte{1, 3, 100}) // a string beyond the event's end
	b.EmitRaw(jfrtest.EventOptions{}, 9000, []byte{1})          // has a row of its own
	cp := b.Checkpoint(0)
	cp.PoolID(9001)
	s := collect(t, b.Bytes())
	assert.Empty(t, s.Faults)
	require.NoError(t, s.ReadPools(t.Context(), nil))
	require.Len(t, s.Faults, 1)
	assert.ErrorContains(t, s.Faults[0].Err, "type 9001 is not described")
	require.NoError(t, s.ReadTimes(t.Context(), nil))
	require.Len(t, s.Faults, 2)
	assert.ErrorIs(t, s.Faults[1].Err, mmapjfr.ErrCorrupt)
	require.NoError(t, s.ReadTimes(t.Context(), nil))
	assert.Len(t, s.Faults, 2)
}

// TestSpaceAddsUp to the byte, whatever the recording is like.
func TestSpaceAddsUp(t *testing.T) {
	check := func(t *testing.T, s *summary.Summary) map[summary.SpaceKind]uint64 {
		sum := uint64(0)
		kinds := make(map[summary.SpaceKind]uint64)
		for _, p := range s.Space() {
			require.LessOrEqual(t, p.Bytes, uint64(s.Size()))
			kinds[p.Kind] += p.Bytes
			sum += p.Bytes
		}
		require.EqualValues(t, s.Size(), sum)
		return kinds
	}
	each(t, func(t *testing.T, name string, data []byte) {
		s := collect(t, data)
		kinds := check(t, s)
		assert.EqualValues(t, 68*len(s.Chunks), kinds[summary.HeadersSpace])
		assert.Equal(t, counts(s)["jdk.Metadata"].Bytes, kinds[summary.MetadataSpace])
		assert.Equal(t, counts(s)["jdk.Checkpoint"].Bytes, kinds[summary.ConstantsSpace])
		if len(s.Faults) == 0 {
			assert.Zero(t, kinds[summary.OtherSpace])
		}
		for n := 1000; n < len(data); n += 20_011 {
			check(t, collect(t, data[:n]))
		}
	})
	for name, data := range damaged(t) {
		assert.Equal(t, name == "broken" || name == "in between" || name == "trailing" || name == "truncated",
			check(t, collect(t, data))[summary.OtherSpace] > 0, name)
	}
}

func TestSpaceByCategory(t *testing.T) {
	category := func(path ...string) jfrtest.Annotation {
		a := jfrtest.Annotation{Class: "jdk.jfr.Category"}
		for i, name := range path {
			a.Values = append(a.Values, jfrtest.Attribute{Name: "value-" + string(rune('0'+i)), Value: name})
		}
		return a
	}
	b := jfrtest.NewChunk()
	gc := b.Event("test.GC").Annotate(category("Java Virtual Machine", "GC"))
	heap := b.Event("test.Heap").Annotate(category("Java Virtual Machine", "Heap"))
	app := b.Event("test.App").Annotate(category("Java Application"))
	b.Event("test.None").Annotate(category("Never"))
	b.Emit(b.Event("test.Plain"), 1)
	for range 2 {
		b.Emit(gc, 1)
		b.Emit(heap, 1)
		b.Emit(app, 1)
	}
	b.EmitRaw(jfrtest.EventOptions{}, 9000, []byte{1})
	s := collect(t, b.Bytes())
	size := func(name string) uint64 { return counts(s)[name].Bytes }
	got := make(map[string]uint64)
	for _, p := range s.Space() {
		if p.Kind == summary.EventsSpace {
			got[p.Name] = p.Bytes
		}
	}
	assert.Equal(t, map[string]uint64{
		"Java Virtual Machine": size("test.GC") + size("test.Heap"),
		"Java Application":     size("test.App"),
		"Uncategorized":        size("test.Plain") + size("9000 (missing event metadata)"),
	}, got)
	assert.Equal(t, "Java Virtual Machine", s.Space()[0].Name, "the largest first")
}
