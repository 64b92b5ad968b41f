package mmapjfr_test

import (
	"context"
	"errors"
	"flag"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	harm "github.com/mmapjfr/jfr/internal/corrupt"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// damageRun says how much damage is done:
//
//	go test ./mmapjfr -run Damage -damage all -timeout 0
var damageRun = flag.String("damage", "", "all: all cases of systematic damage, instead of some hundred of each kind")

func damageAll() bool { return *damageRun == "all" }

// some returns how many cases are checked, all being 0.
func some(n int) int {
	switch {
	case damageAll():
		return 0
	case raceEnabled || !longtest.Enabled():
		return n/25 + 1
	}
	return n
}

// TestDamageToSmallRecordings asks everything of each case.
func TestDamageToSmallRecordings(t *testing.T) {
	var sets []harm.Set
	for _, a := range harm.Small(t) {
		sets = append(sets, a.Prefixes(), a.Bits(), a.Random(), a.Zeroes(), a.Ones(), a.Doubled(), a.Removed(), a.Swapped(), a.Numbers())
	}
	harm.Run(t, some(40), sets, func(t testing.TB, c harm.Case) {
		rec, err := mmapjfr.OpenBytes(c.Data)
		wantPlace(t, c, err)
		if err != nil {
			return
		}
		d := &driver{t: t, rec: rec, left: 20_000}
		d.recording(len(c.Data))
		sameForAll(t, c, rec)
		require.NoError(t, rec.Close())
	})
}

// TestDamageToRecordings reads real ones, of all producers that are at hand.
func TestDamageToRecordings(t *testing.T) {
	var sets []harm.Set
	for _, a := range harm.Files(t, append(longtest.Recordings(t), longtest.Others(t)...)...) {
		sets = append(sets, a.Prefixes(), a.Bits(), a.Random(), a.Zeroes(), a.Ones(), a.Doubled(), a.Removed(), a.Swapped(), a.Numbers())
	}
	n := 1
	if damageAll() {
		n = 200
	}
	harm.Run(t, n, sets, func(t testing.TB, c harm.Case) {
		rec, err := mmapjfr.OpenBytes(c.Data)
		wantPlace(t, c, err)
		if err != nil {
			return
		}
		sameForAll(t, c, rec)
		require.NoError(t, rec.Close())
	})
}

// sameForAll reads all events in turn, in parallel and in batches, and by their places
// and numbers: there are as many each time, and all errors lie in the damage.
func sameForAll(t testing.TB, c harm.Case, rec *mmapjfr.Recording) {
	events := 0
	for ev, err := range rec.Events() {
		if wantPlace(t, c, err); err != nil {
			continue
		}
		if events++; events%50 == 1 {
			again, err := rec.EventAtOffset(ev.Offset())
			require.NoError(t, err)
			require.Equal(t, ev.Type(), again.Type())
			_ = ev.String() + ev.Value().Text()
			_ = ev.StackTrace().Len()
		}
	}
	var parallel, batched atomic.Int64
	wantPlace(t, c, rec.Select().Parallel(context.Background(), func(int, mmapjfr.Event) error {
		parallel.Add(1)
		return nil
	}))
	wantPlace(t, c, engine.SelectionBatches(rec.Select(), context.Background(), func(_ int, b *mmapjfr.Batch) error {
		batched.Add(int64(engine.BatchLen(b)))
		return nil
	}))
	require.Equal(t, int64(events), parallel.Load(), c.Name)
	require.Equal(t, int64(events), batched.Load(), c.Name)
	_, _ = rec.EventByOrdinal(uint64(events / 2))
	_, _ = rec.FirstEventSince(time.Time{})
	for _, chunk := range rec.Chunks() {
		wantPlace(t, c, chunk.ConstantsErr())
	}
}

// wantPlace checks that an error, or each of several that came together, says what is
// wrong, in a way that can be tested for, and where: in the damage or after it, as
// [harm.Case] says.
func wantPlace(t testing.TB, c harm.Case, err error) {
	if err == nil {
		return
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			wantPlace(t, c, one)
		}
		return
	}
	var more *mmapjfr.OmittedErrors
	if errors.As(err, &more) {
		return
	}
	var f *mmapjfr.FormatError
	known := slices.ContainsFunc([]error{
		mmapjfr.ErrEmpty, mmapjfr.ErrNotRecording, mmapjfr.ErrUnsupported, mmapjfr.ErrCorrupt, mmapjfr.ErrTruncated,
		mmapjfr.ErrUnfinished, mmapjfr.ErrTrailing, mmapjfr.ErrUnknownType,
	}, func(sentinel error) bool { return errors.Is(err, sentinel) })
	if !errors.As(err, &f) || !known || f.Offset < c.From {
		require.Fail(t, "an error without kind, or at another place than the damage", "%s: %v, not from %#x on", c.Name, err, c.From)
	}
}

// What a question may cost. Only builds with the tag jfrdebug count steps, see
// [wire.Step].
const (
	// stepsPerByte and leastSteps bound the steps of a question that reads all of a
	// recording, and bytesPerByte and leastBytes what it allocates in all. Each worker of
	// a walk in parallel has scratch of its own.
	stepsPerByte = 16
	leastSteps   = 1 << 17
	bytesPerByte = 256
	leastBytes   = 16 << 20
)

// question is something that can be asked of a recording.
type question struct {
	name string
	ask  func(rec *mmapjfr.Recording)
}

// eachEvent asks something of all events.
func eachEvent(ask func(ev mmapjfr.Event)) func(rec *mmapjfr.Recording) {
	return func(rec *mmapjfr.Recording) {
		for ev, err := range rec.Events() {
			if err == nil {
				ask(ev)
			}
		}
	}
}

func selected(filters ...mmapjfr.Filter) func(rec *mmapjfr.Recording) {
	return func(rec *mmapjfr.Recording) {
		for range rec.Select(filters...).Events() {
			continue
		}
	}
}

// one asks something of the first event that is no plain number: that which is evil.
func one(ask func(ev mmapjfr.Event)) func(rec *mmapjfr.Recording) {
	return func(rec *mmapjfr.Recording) {
		for ev, err := range rec.Events() {
			if err == nil && ev.Type().Name() != "damage.Number" {
				ask(ev)
				return
			}
		}
	}
}

// questions are the ways to go through a recording, and what is asked of one event.
var questions = []question{
	{"types", func(rec *mmapjfr.Recording) { _, _ = rec.Types() }},
	{"events", eachEvent(func(mmapjfr.Event) {})},
	{"ordinals", eachEvent(func(ev mmapjfr.Event) { ev.Ordinal() })},
	{"a path of all events", eachEvent(func(ev mmapjfr.Event) { ev.Int(mmapjfr.Path("n")) })},
	{"constants", func(rec *mmapjfr.Recording) {
		for _, c := range rec.Chunks() {
			types, _ := c.Types()
			for _, typ := range types {
				for range engine.ChunkConstants(c, typ) {
					continue
				}
			}
		}
	}},
	{"types by category", selected(mmapjfr.Categories("*x*"))},
	{"types by name", selected(mmapjfr.Types("damage.*"))},
	{"threads by name", selected(mmapjfr.Threads("x*"))},
	{"a time", selected(mmapjfr.Between(time.Unix(1, 0), time.Time{}))},
	{"an event by its place", func(rec *mmapjfr.Recording) { _, _ = rec.EventAtOffset(uint64(rec.Size()) / 2) }},
	{"an event by its number", func(rec *mmapjfr.Recording) { _, _ = rec.EventByOrdinal(3) }},
	{"an event by its time", func(rec *mmapjfr.Recording) { _, _ = rec.FirstEventSince(time.Unix(1, 0)) }},
	{"in parallel", func(rec *mmapjfr.Recording) {
		_ = rec.Select().Parallel(context.Background(), func(int, mmapjfr.Event) error { return nil })
	}},
	{"batches", func(rec *mmapjfr.Recording) {
		_ = engine.SelectionBatches(rec.Select(), context.Background(), func(int, *mmapjfr.Batch) error { return nil })
	}},
	{"the text of an event", one(func(ev mmapjfr.Event) { _ = ev.Value().Text() })},
	{"the fields of an event", one(func(ev mmapjfr.Event) {
		for range ev.Detached().Fields() {
			continue
		}
	})},
	{"the fields of an event as a struct", one(func(ev mmapjfr.Event) {
		for range ev.Value().Fields() {
			continue
		}
	})},
	{"the text of each field of an event", one(func(ev mmapjfr.Event) {
		for _, v := range ev.Fields() {
			if text := v.Text(); len(text) > 0 {
				return
			}
		}
	})},
	{"the thread of an event", one(func(ev mmapjfr.Event) { _ = ev.Thread().Group().Parent().Name() })},
	{"what an event does not have", one(func(ev mmapjfr.Event) { ev.Get(mmapjfr.Path("no.such.field")) })},
}

// costs asks all questions of a recording, and checks what each takes of time and
// memory.
func costs(t testing.TB, name string, data []byte) {
	rec, err := mmapjfr.OpenBytes(data, mmapjfr.Workers(1))
	if err != nil {
		return
	}
	for _, q := range questions {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		steps := wire.Steps()
		q.ask(rec)
		steps = wire.Steps() - steps
		runtime.ReadMemStats(&after)
		assert.LessOrEqual(t, steps, uint64(stepsPerByte*len(data)+leastSteps), "%s: %s: steps for a recording of %d bytes", name, q.name, len(data))
		assert.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(bytesPerByte*len(data)+leastBytes), "%s: %s: bytes for a recording of %d", name, q.name, len(data))
	}
	require.NoError(t, rec.Close())
}

// TestDamageThatIsEvil: rings, nesting without end, and few bytes that stand for much
// cost no more than other bytes do.
func TestDamageThatIsEvil(t *testing.T) {
	large, deep := longtest.Cases(15_000, 200_000), longtest.Cases(2_000, 20_000)
	if damageAll() {
		large, deep = 4_000_000, 1_000_000
	}
	ask := func(list []harm.Evil, n int) {
		for _, e := range list {
			t.Run(e.Name, func(t *testing.T) {
				costs(t, e.Name, e.Make(n))
				data := e.Make(40)
				rec := openBytes(t, data)
				d := &driver{t: t, rec: rec, left: 20_000}
				d.recording(len(data))
				sameForAll(t, harm.Case{Name: e.Name}, rec)
			})
		}
	}
	ask(harm.Rings(), 1000)
	ask(harm.Deep(), deep)
	ask(harm.FewBytes(), large)
}

// TestDamageCosts: neither does damage of any kind make a recording cost more.
func TestDamageCosts(t *testing.T) {
	n := 10
	if damageAll() {
		n = 1000 // what each has allocated is asked of all goroutines
	}
	for _, a := range harm.Small(t) {
		for _, s := range []harm.Set{a.Bits(), a.Random(), a.Doubled(), a.Swapped(), a.Numbers()} {
			for i := range s.Spread(n) {
				c := s.At(i)
				costs(t, c.Name, c.Data)
			}
		}
	}
}
