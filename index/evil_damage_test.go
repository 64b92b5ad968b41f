package index_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/corrupt"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/wire"
)

// What a question may cost. A step is a number, a text or a frame that is read, or a
// round of a loop whose length a file decides on; see [wire.Step]. Only builds with the
// tag jfrdebug count them.
const (
	// stepsPerByte and leastSteps bound the steps of a question that takes all of a
	// recording: types, constants, blocks, a census. The nearest to the first one
	// are classes of few bytes that flatten to many fields.
	stepsPerByte = 16
	leastSteps   = 1 << 16
	// stepsOfOne bounds those that ask for a single event or constant, once the whole has
	// been read: they step through a cell of 2 KiB.
	stepsOfOne = 1 << 13
	// bytesPerByte and leastBytes bound what such a question allocates in all. The
	// nearest to the first bound are the same classes, and to the second the counts of a
	// census.
	bytesPerByte = 256
	leastBytes   = 1 << 20
)

// question is something that can be asked of an index.
type question struct {
	name string
	most int // steps; those of a whole walk if it is 0
	ask  func(x *index.Index)
}

// questions are all that go through the recording, in an order in which each has to do
// its own work, and some that do not.
var questions = []question{
	{"types", 0, func(x *index.Index) {
		for _, c := range x.Chunks() {
			_, _ = c.Types()
		}
	}},
	{"all types", 0, func(x *index.Index) {
		for _, c := range x.Chunks() {
			_, _ = c.AllTypes()
		}
	}},
	{"constants", 0, func(x *index.Index) {
		for _, c := range x.Chunks() {
			_, _ = c.Constants()
		}
	}},
	{"frames", 0, func(x *index.Index) {
		for _, c := range x.Chunks() {
			_, _, _ = walk(c)
		}
	}},
	{"blocks", 0, func(x *index.Index) {
		for _, c := range x.Chunks() {
			_ = c.Blocks()
		}
	}},
	{"census", 0, func(x *index.Index) {
		for range x.CountEvents(context.Background(), 1, nil) {
		}
	}},
	{"fields of all events", 0, func(x *index.Index) { eachEvent(x, layOut) }},
	{"an event by its place", stepsOfOne, func(x *index.Index) {
		c := x.Chunks()[0]
		_, _, _ = c.EventAt(uint64(len(c.Data()) / 2))
	}},
	{"an event by its number", stepsOfOne, func(x *index.Index) {
		c := x.Chunks()[0]
		c.EventN(c.Blocks().Events() / 2)
	}},
	{"a constant", stepsOfOne, func(x *index.Index) {
		c := x.Chunks()[0]
		if k, err := c.Constants(); err == nil {
			if class := k.Named("java.lang.Thread"); class != nil {
				k.Lookup(class, 1)
				k.Lookup(class, -1)
			}
		}
	}},
	{"annotations of all types", 0, func(x *index.Index) {
		for _, c := range x.Chunks() {
			types, err := c.Types()
			if err != nil {
				continue
			}
			for _, class := range types.Types {
				if a := schema.FindAnnotation(class.Annotations, "jdk.jfr.Category"); a != nil {
					a.Texts("value")
				}
			}
		}
	}},
	{"an annotation", 0, func(x *index.Index) {
		types, err := x.Chunks()[0].Types()
		if err != nil {
			return
		}
		for _, class := range types.Types {
			if len(class.Annotations) > 0 {
				class.Annotations[0].Values()
				break
			}
		}
	}},
}

func eachEvent(x *index.Index, do func(c *index.Chunk, class *schema.Type, rec index.EventHeader)) {
	for _, c := range x.Chunks() {
		types, err := c.Types()
		if err != nil {
			continue
		}
		all, _, _ := walk(c)
		for _, rec := range all {
			if class := types.ByID(rec.Type); class != nil {
				do(c, class, rec)
			}
		}
	}
}

func layOut(c *index.Chunk, class *schema.Type, rec index.EventHeader) {
	if plan, err := class.Plan(); err == nil && plan.NumSlots() <= len(offsets) {
		plan.Layout(c.Data()[:rec.End()], int(rec.Body()), int(rec.End()), offsets)
	}
}

// offsets has room for the slots of any class.
var offsets = make([]uint32, 1<<18)

// costs asks all questions of a recording, and checks what each takes of time and
// memory.
func costs(t testing.TB, name string, data []byte) {
	var x *index.Index
	ask := func(q question) {
		most := uint64(q.most)
		if most == 0 {
			most = stepsPerByte*uint64(len(data)) + leastSteps
		}
		before := wire.Steps()
		got := allocated(func() { q.ask(x) })
		assert.LessOrEqual(t, wire.Steps()-before, most, "%s: %s: steps for a recording of %d bytes", name, q.name, len(data))
		assert.LessOrEqual(t, got, uint64(bytesPerByte*len(data)+leastBytes), "%s: %s: bytes for a recording of %d", name, q.name, len(data))
	}
	ask(question{"opening", 0, func(*index.Index) { x, _ = index.New(data) }})
	if x == nil {
		return
	}
	for _, q := range questions {
		ask(q)
	}
}

// evil are recordings that are evil from the start, and how large they are made.
func evil() (list []corrupt.Evil, n func(corrupt.Evil) int) {
	few := corrupt.FewBytes()
	large, deep := longtest.Cases(15_000, 400_000), longtest.Cases(2_000, 20_000)
	if damageAll() {
		large = 10_000_000
	}
	names := make(map[string]int)
	for _, e := range few {
		names[e.Name] = large
		if e.Name == "an event that looks like many, one inside the other" {
			names[e.Name] = 8 << 20 // there are guesses in large chunks alone
		}
	}
	for _, e := range corrupt.Deep() {
		names[e.Name] = deep
		if damageAll() || e.Name == "elements of metadata" {
			names[e.Name] = 1_000_000
		}
	}
	return slices.Concat(corrupt.Rings(), corrupt.Deep(), few), func(e corrupt.Evil) int {
		if n, ok := names[e.Name]; ok {
			return n
		}
		return 300 // of rings
	}
}

// TestDamageThatIsEvil: rings, nesting without end, and few bytes that stand for much
// cost no more than other bytes do, and what is wrong is reported.
func TestDamageThatIsEvil(t *testing.T) {
	list, n := evil()
	for _, e := range list {
		t.Run(e.Name, func(t *testing.T) {
			data := e.Make(n(e))
			t.Logf("%d bytes", len(data))
			costs(t, e.Name, data)
			x, err := index.New(data)
			require.NoError(t, err)
			frames := 0
			for _, c := range x.Chunks() {
				_, err := c.Types()
				wantSentinel(t, err)
				k, err := c.Constants()
				wantSentinel(t, err)
				if err == nil {
					wantSentinel(t, k.Err())
				}
				all, _, err := walk(c)
				wantSentinel(t, err)
				frames += len(all)
			}
			require.LessOrEqual(t, frames, len(data)/2)
			drive(t, e.Make(60))
		})
	}
}

// TestDamageCosts: neither does damage of any kind make a recording cost more.
func TestDamageCosts(t *testing.T) {
	for _, a := range corrupt.Small(t) {
		for _, s := range []corrupt.Set{a.Bits(), a.Random(), a.Doubled(), a.Swapped(), a.Numbers()} {
			n := some(20)
			if damageAll() {
				n = 2000 // what each has allocated is asked of all goroutines
			}
			for i := range s.Spread(n) {
				c := s.At(i)
				costs(t, c.Name, c.Data)
			}
		}
	}
}

// TestDamageIsCounted: the steps that the other tests bound are those that there are.
func TestDamageIsCounted(t *testing.T) {
	if !wire.Debug {
		t.Skip("steps are counted with -tags jfrdebug")
	}
	data := testdata(t, "jdk25-profile")
	x := newIndex(t, data)
	for _, q := range questions {
		before := wire.Steps()
		q.ask(x)
		got := wire.Steps() - before
		t.Logf("%s: %.2f steps a byte", q.name, float64(got)/float64(len(data)))
		if q.name != "an annotation" && q.most == 0 {
			assert.Greater(t, got, uint64(100), q.name)
		}
	}
	all, _, err := walk(x.Chunks()[0])
	require.NoError(t, err)
	before := wire.Steps()
	_, _, _ = walk(x.Chunks()[0])
	assert.GreaterOrEqual(t, wire.Steps()-before, uint64(len(all)), "one for each frame")
	require.Less(t, uint64(len(all)), uint64(math.MaxUint32))
}
