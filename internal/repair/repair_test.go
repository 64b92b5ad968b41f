package repair_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/internal/repair"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

var damagedCases = flag.Int("damaged", 25, "the number of random leftovers to repair without asking the JDK")

// TestWholeRecordingsStay repairs what is not damaged.
func TestWholeRecordingsStay(t *testing.T) {
	whole := 0
	for _, path := range longtest.Recordings(t) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		rec, err := mmapjfr.OpenBytes(data)
		require.NoError(t, err)
		finished := true
		for _, c := range rec.Chunks() {
			finished = finished && c.Finished()
		}
		if filepath.Base(path) == "concat-jdk17-jdk25.jfr" || filepath.Base(path) == "concat-jdk25-jdk25.jfr" || !finished {
			continue
		}
		got, report := repaired(t, data)
		assert.True(t, bytes.Equal(data, got), path)
		assert.True(t, report.Whole(), path)
		for _, c := range report.Chunks {
			assert.Equal(t, repair.Copied, c.Action)
		}
		whole++
	}
	assert.GreaterOrEqual(t, whole, longtest.Cases(5, 18))
}

// event is an event by what does not change when it is written elsewhere.
type event struct {
	name string
	time int64
	body string
}

// eventsOf returns the events that a recording delivers, and how many errors.
func eventsOf(t *testing.T, data []byte, opts ...mmapjfr.Option) (list []event) {
	t.Helper()
	rec := opentest.Bytes(t, data, opts...)
	for ev, err := range rec.Events() {
		if err == nil {
			list = append(list, eventOf(ev))
		}
	}
	return list
}

func eventOf(ev mmapjfr.Event) event {
	b := engine.EventBytes(ev)
	form := engine.ChunkIndex(ev.Chunk()).IntEncoding()
	_, n := form.Int(b)
	_, m := form.Long(b[n:])
	return event{ev.Type().Name(), engine.ChunkTicksToTime(ev.Chunk(), engine.EventStartTicks(ev)).UnixNano(), string(b[n+m:])}
}

// requireSound looks whether a repaired recording is sound, and has the events that
// salvage reads of the damaged one.
func requireSound(t *testing.T, name string, damaged, whole []byte) {
	t.Helper()
	assert.Equal(t, eventsOf(t, damaged, mmapjfr.Salvage()), eventsOf(t, whole), name)
	rec := opentest.Bytes(t, whole)
	report, err := verify.Check(t.Context(), rec)
	require.NoError(t, err)
	for _, f := range report.Findings {
		assert.NotEqual(t, verify.Error, f.Kind.Severity(), "%s: %#x: %s: %s", name, f.Offset, f.Kind, f.Text)
	}
}

// TestRandomLeftovers repairs random ones, by which no JDK is asked.
func TestRandomLeftovers(t *testing.T) {
	for seed := range uint64(min(*damagedCases, longtest.Cases(2, *damagedCases))) {
		requireRepairs(t, randomLeftover(t, 1_000_000+seed))
		if t.Failed() {
			return
		}
	}
}

// TestFinds repairs random leftovers that were not repaired well once.
func TestFinds(t *testing.T) {
	for _, seed := range []uint64{
		1_000_046, // types of two other chunks, in turn, in the place of lost ones
		1_000_073, // a header that leads to no checkpoint
		1_000_141, // types that were lent, and taken back
		1_000_334, // two types of one number
		1_000_461, // older metadata that says other things of a type than the newest
		1_000_575, // a clock that stands, and nothing to tell how fast it went
	} {
		requireRepairs(t, randomLeftover(t, seed))
	}
}

func requireRepairs(t *testing.T, l leftover) {
	t.Helper()
	data := l.joined()
	whole, _ := repaired(t, data)
	if whole == nil {
		return
	}
	requireSound(t, l.name, data, whole)
	again, report := repaired(t, whole)
	assert.Equal(t, eventsOf(t, whole), eventsOf(t, again), l.name)
	assert.True(t, report.Whole(), l.name)
	// Numbers of types that were given once are given anew.
	if !slices.ContainsFunc(report.Chunks, func(c repair.Chunk) bool { return c.Renumbered }) {
		assert.True(t, bytes.Equal(whole, again), "%s: repairing it again changes it", l.name)
	}
}

// TestFixedLeftovers does the same with those of real virtual machines.
func TestFixedLeftovers(t *testing.T) {
	for i, l := range fixed(t) {
		if !longtest.Every(i, 3) {
			continue
		}
		whole, report := repaired(t, l.joined())
		if whole == nil {
			assert.Contains(t, l.name, "unflushed")
			continue
		}
		requireSound(t, l.name, l.joined(), whole)
		assert.Positive(t, report.Events(), l.name)
	}
}

// TestKeptAnswers compares with what the JDK counted in the repositories that are kept,
// up to the last flush of each file: nothing of that may be lost.
func TestKeptAnswers(t *testing.T) {
	for _, l := range repositories(t) {
		whole, _ := repaired(t, l.joined())
		got := make(map[string]uint64)
		if whole != nil {
			got = counted(t, whole)
		}
		counts := 0
		for _, f := range jvmtest.NewReplay(t, l.name).Expected.Files {
			if f.Removed {
				continue
			}
			for name, n := range f.Events {
				assert.GreaterOrEqual(t, got[name], n, "%s: %s", l.name, name)
				got[name] -= min(n, got[name]) // the next file has others
				counts++
			}
		}
		assert.Equal(t, whole != nil, counts > 0, l.name)
	}
}

// built is a recording with an event, a thread and a stack, and room for mistakes.
func built(change func(b *jfrtest.Builder, ty *jfrtest.Class)) []byte {
	b := jfrtest.NewChunk()
	ty := b.Event("test.Event", jfrtest.EventThread(), jfrtest.Of("text", jfrtest.StringClass))
	b.Constant("java.lang.Thread", 1, "os", 1, "main", 1, 0, false)
	b.Emit(ty, 1_000_500, 1, "x")
	if change != nil {
		change(b, ty)
	}
	return b.Bytes()
}

func TestEmptyPoolsAreLeftOut(t *testing.T) {
	data := built(func(b *jfrtest.Builder, _ *jfrtest.Class) { b.Checkpoint(0).Pool("java.lang.Thread") })
	whole, report := repaired(t, data)
	assert.Equal(t, repair.Rewritten, report.Chunks[0].Action)
	requireSound(t, "empty pool", data, whole)
	assert.Less(t, len(whole), len(data)+100)
}

func TestUnreadableEventsAreCounted(t *testing.T) {
	data := built(func(b *jfrtest.Builder, ty *jfrtest.Class) {
		b.EmitRaw(jfrtest.EventOptions{}, 4711, []byte{1})
		b.EmitRaw(jfrtest.EventOptions{}, ty.ID, nil)
		b.Emit(ty, 1_000_600, 1, "y")
	})
	rec, err := mmapjfr.OpenBytes(data) // Salvage sees no events in these bytes
	require.NoError(t, err)
	var out bytes.Buffer
	report, err := repair.Write(t.Context(), &out, rec)
	require.NoError(t, err)
	whole, c := out.Bytes(), report.Chunks[0]
	assert.Equal(t, []uint64{2, 1, 1}, []uint64{c.Events, c.Undescribed, c.Unreadable})
	assert.False(t, report.Whole())
	assert.Error(t, c.Err)
	assert.Len(t, eventsOf(t, whole), 2)
}

func TestMissingConstantsAreCounted(t *testing.T) {
	data := built(func(b *jfrtest.Builder, ty *jfrtest.Class) { b.Emit(ty, 1_000_600, 99, "y") })
	whole, report := repaired(t, data)
	assert.True(t, bytes.Equal(data, whole), "recorders leave constants out")
	assert.Equal(t, []repair.Missing{{Type: "java.lang.Thread", References: 1}}, report.Chunks[0].Missing)
}

// TestUnfinishedHeaders repairs a chunk whose header says nothing of what is in it.
func TestUnfinishedHeaders(t *testing.T) {
	data := built(nil)
	binary.BigEndian.PutUint64(data[8:], 1<<30)
	clear(data[16:32]) // checkpoint, metadata
	clear(data[40:48]) // duration
	whole, report := repaired(t, data)
	assert.Equal(t, uint64(1), report.Events())
	requireSound(t, "unfinished", data, whole)
	assert.Equal(t, uint64(len(whole)), binary.BigEndian.Uint64(whole[8:]))
	assert.NotZero(t, binary.BigEndian.Uint64(whole[16:]))
	assert.NotZero(t, binary.BigEndian.Uint64(whole[24:]))
	assert.Zero(t, whole[64], "it is finished")
	rec, err := mmapjfr.OpenBytes(whole)
	require.NoError(t, err)
	for ev := range rec.Events() {
		assert.Equal(t, rec.End(), ev.End(), "the chunk ends with its last event")
	}
}

// TestChainsAreMadeAnew repairs chunks that are whole but for what leads to checkpoints.
func TestChainsAreMadeAnew(t *testing.T) {
	data := sample(t, "jdk25-flushed")
	clear(data[16:24])
	whole, _ := repaired(t, data)
	requireSound(t, "the header leads to none", data, whole)
	none := int64(0)
	data = built(func(b *jfrtest.Builder, _ *jfrtest.Class) {
		b.Checkpoint(0).Add("java.lang.Thread", 7, "os", 7, "seven", 7, 0, false)
		b.Checkpoint(0).Delta = &none
	})
	whole, _ = repaired(t, data)
	requireSound(t, "the chain ends too early", data, whole)
}

// TestOnlyTheLastChunkIsFinal joins two that say they are.
func TestOnlyTheLastChunkIsFinal(t *testing.T) {
	one := built(func(b *jfrtest.Builder, _ *jfrtest.Class) { b.Header.Flags |= jfrtest.FlagFinal })
	whole, _ := repaired(t, append(bytes.Clone(one), one...))
	rec, err := mmapjfr.OpenBytes(whole)
	require.NoError(t, err)
	assert.False(t, engine.ChunkFinal(rec.Chunks()[0]))
	assert.True(t, engine.ChunkFinal(rec.Chunks()[1]))
}

// TestClocksThatStandAreSet repairs a recording whose clock is nowhere, and one whose
// clock only looks odd.
func TestClocksThatStandAreSet(t *testing.T) {
	for rate, want := range map[int64]int64{0: 1e9, -1: 1e9, 1: 1e9, 1 << 62: 1e9, 1000: 1000, 24e6: 24e6} {
		whole, report := repaired(t, built(func(b *jfrtest.Builder, _ *jfrtest.Class) { b.Header.TickRate = rate }))
		assert.Equal(t, want != rate, report.Chunks[0].ClockAssumed, rate)
		assert.Equal(t, want == rate, report.Whole(), rate)
		rec, err := mmapjfr.OpenBytes(whole)
		require.NoError(t, err)
		assert.Equal(t, want, engine.ChunkTicksPerSecond(rec.Chunks()[0]))
	}
}

// TestMachinesGetNumbersOfTheirOwn joins recordings in which the same numbers stand for
// different types.
func TestMachinesGetNumbersOfTheirOwn(t *testing.T) {
	data := sample(t, "concat-jdk17-jdk25")
	whole, report := repaired(t, data)
	assert.Equal(t, []bool{false, true}, []bool{report.Chunks[0].Renumbered, report.Chunks[1].Renumbered})
	requireSound(t, "joined", data, whole)
	rec, err := mmapjfr.OpenBytes(whole)
	require.NoError(t, err)
	numbers := make(map[int64]string)
	for _, c := range rec.Chunks() {
		types, err := c.Types()
		require.NoError(t, err)
		for _, ty := range types {
			before, ok := numbers[ty.ID()]
			require.False(t, ok, "%s and %s", before, ty.Name())
			numbers[ty.ID()] = ty.Name()
		}
	}
}

// TestStandIns repairs a stack whose method is nowhere.
func TestStandIns(t *testing.T) {
	data := sample(t, "jdk25-profile")
	t.Run("2.1", func(t *testing.T) { requireStandIns(t, data, "jdk.types.Method") })
	t.Run("1.0", func(t *testing.T) { requireStandIns(t, jfrtest.Version1(data), "com.oracle.jfr.types.Method") })
}

func requireStandIns(t *testing.T, data []byte, methods string) {
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	method, ok := rec.Type(methods)
	require.True(t, ok)
	k, err := engine.ChunkIndex(rec.Chunks()[0]).Constants()
	require.NoError(t, err)
	before := 0
	for i, p := range k.Pools() {
		if int64(p.Type) == method.ID() && before == 0 {
			before = i + 1
			data = bytes.Clone(data)
			for at := p.Offset; at < p.Offset+p.Size; at++ {
				data[at] = 0xff // keys and references that are nowhere
			}
		}
	}
	require.NoError(t, rec.Close())
	whole, report := repaired(t, data)
	assert.Positive(t, report.Chunks[0].Placeholders)
	requireSound(t, "no methods", data, whole)
	marked := 0
	again, err := mmapjfr.OpenBytes(whole)
	require.NoError(t, err)
	for ev, err := range again.Events() {
		require.NoError(t, err)
		for fr := range ev.StackTrace().Frames() {
			require.False(t, fr.Method().IsZero())
			if fr.Method().Name() == "(missing)" {
				marked++
			}
		}
	}
	assert.Positive(t, marked)
}

// TestVersion1IsRepaired repairs a recording of format 1.0 that ends with a chunk as a
// virtual machine leaves it that is killed: without sizes, places, times and metadata.
func TestVersion1IsRepaired(t *testing.T) {
	data := jfrtest.Version1(sample(t, "jdk17-chunks"))
	same, _ := repaired(t, data)
	require.True(t, bytes.Equal(data, same), "nothing is to be done")
	rec, err := jfrtest.Decode(data)
	require.NoError(t, err)
	last := rec.Chunks[2]
	clear(data[last.Offset+8:][:48])
	data = data[:last.Metadata[0].Offset]

	whole, report := repaired(t, data)
	assert.Len(t, report.Chunks, 3)
	got, err := jfrtest.Decode(whole)
	require.NoError(t, err)
	for i, c := range got.Chunks {
		assert.Equal(t, []uint16{1, 0}, []uint16{c.Header.Major, c.Header.Minor})
		assert.Equal(t, byte(jfrtest.FlagCompressed), c.Header.Flags, "1.0 knows no final chunk")
		assert.Equal(t, last.Header.TickRate, c.Header.TickRate)
		require.Len(t, c.Events, len(rec.Chunks[i].Events), "all lie before the metadata")
	}
	answer := said.OfBytes(t, "jdk17-chunks-v1-repaired.jfr", whole, "summary")
	require.Empty(t, answer.Refusal)
	told, err := oracle.ParseSummary(bytes.NewReader(answer.Out))
	require.NoError(t, err)
	for name, n := range counted(t, whole) {
		assert.Equal(t, n, told.Types[name].Events, name)
	}
}

func TestNothing(t *testing.T) {
	rec, err := mmapjfr.OpenBytes(built(nil)[:68], mmapjfr.Salvage())
	require.NoError(t, err)
	_, err = repair.Write(t.Context(), &bytes.Buffer{}, rec)
	assert.ErrorIs(t, err, repair.ErrNothing)
	assert.ErrorIs(t, err, mmapjfr.ErrCorrupt)
}

func TestProgress(t *testing.T) {
	data := sample(t, "jdk17-chunks")
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	sum := uint64(0)
	_, err = repair.Write(t.Context(), &bytes.Buffer{}, rec, repair.Progress(func(n uint64) { sum += n }))
	require.NoError(t, err)
	assert.Equal(t, 2*uint64(len(data)), sum)
}

type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

func TestErrors(t *testing.T) {
	rec, err := mmapjfr.OpenBytes(sample(t, "jdk25-profile"))
	require.NoError(t, err)
	wrong := errors.New("no room")
	_, err = repair.Write(t.Context(), full{wrong}, rec)
	assert.ErrorIs(t, err, wrong)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(wrong)
	_, err = repair.Write(ctx, &bytes.Buffer{}, rec)
	assert.ErrorIs(t, err, wrong)
	require.NoError(t, rec.Close())
	_, err = repair.Write(t.Context(), &bytes.Buffer{}, rec)
	assert.ErrorIs(t, err, mmapjfr.ErrClosed)
}
