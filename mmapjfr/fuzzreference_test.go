package mmapjfr_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// FuzzGenerated compares recordings that are right with what the reference decoder makes
// of them: which events there are, all of their fields, and all constants.
func FuzzGenerated(f *testing.F) {
	for _, in := range fuzzInputs() {
		f.Add(in.program)
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		data := jfrtest.Generate(program[:min(len(program), 2048)])
		want, err := jfrtest.Decode(data)
		if err != nil {
			t.Fatalf("the reference decoder: %v", err)
		}
		rec, err := mmapjfr.OpenBytes(data)
		require.NoError(t, err)
		if d := disagreement(rec, want); d != "" {
			t.Fatal(d)
		}
		require.NoError(t, rec.Close())
	})
}

// FuzzEdited compares recordings that may be wrong anywhere with what the reference
// decoder makes of them. What that understands must be understood.
func FuzzEdited(f *testing.F) {
	for _, in := range fuzzInputs() {
		f.Add(in.which, in.program, in.edits)
	}
	f.Fuzz(func(t *testing.T, which uint8, program, edits []byte) {
		data := fuzzed(which, program, edits)
		want, err := jfrtest.Decode(data)
		if err != nil || !sound(want) {
			return
		}
		rec, err := mmapjfr.OpenBytes(data)
		require.NoError(t, err)
		if d := disagreement(rec, want); d != "" {
			t.Fatal(d)
		}
	})
}

// sound reports whether every class of a recording can be read, so that nothing is wrong
// with it. The reference decoder does not mind a class that nothing is of, nor an event of
// a class that has no fields because it is a number.
func sound(rec *jfrtest.Recording) bool {
	for _, c := range rec.Chunks {
		for _, class := range c.Classes {
			if !whole(c, class, 0) {
				return false
			}
		}
		for i := range c.Events {
			if class := c.Classes[c.Events[i].TypeID]; class != nil && len(class.Fields) == 0 {
				return false
			}
		}
		for _, cp := range c.Checkpoints {
			for _, pool := range cp.Pools {
				if c.Classes[pool.Class] == nil {
					return false
				}
			}
		}
	}
	return true
}

// whole reports whether all that lies inside values of the class is described.
func whole(c *jfrtest.Chunk, class *jfrtest.Class, depth int) bool {
	if class == nil || depth > 16 {
		return false
	}
	for i := range class.Fields {
		f := &class.Fields[i]
		to := c.Classes[f.ClassID]
		if to == nil || f.Dimension < 0 || f.Dimension > 1 || !f.ConstantPool && !whole(c, to, depth+1) {
			return false
		}
	}
	return len(class.Fields) > 0 || depth == 0 || slices.Contains(primitives, class.Name)
}

var primitives = []string{"boolean", "byte", "char", "short", "int", "long", "float", "double", jfrtest.StringClass}

// disagreement says how a recording differs from the reference decoder's; "" if it
// does not.
func disagreement(rec *mmapjfr.Recording, want *jfrtest.Recording) string {
	if len(rec.Chunks()) != len(want.Chunks) {
		return fmt.Sprintf("%d chunks, want %d", len(rec.Chunks()), len(want.Chunks))
	}
	next := 0
	all := expected(want)
	for ev, err := range rec.Events() {
		if errors.Is(err, mmapjfr.ErrUnfinished) || errors.Is(err, mmapjfr.ErrUnknownType) {
			continue
		}
		if err != nil {
			return fmt.Sprintf("an error: %v", err)
		}
		if want.Chunks[ev.Chunk().Number()].Classes[ev.Type().ID()] == nil {
			continue // only older metadata describes it, which the reference decoder does not read
		}
		if next == len(all) {
			return fmt.Sprintf("there is no event at %#x", ev.Offset())
		}
		x := all[next]
		if d := x.in.event(ev, x.event); d != "" {
			return d
		}
		if ev.Ordinal() != x.ordinal {
			return fmt.Sprintf("event %d has the ordinal %d", x.ordinal, ev.Ordinal())
		}
		if at, err := rec.EventAtOffset(ev.Offset()); err != nil || at.Ordinal() != x.ordinal {
			return fmt.Sprintf("event at %#x: %v", ev.Offset(), err)
		}
		if nth, err := rec.EventByOrdinal(x.ordinal); err != nil || nth.Offset() != ev.Offset() {
			return fmt.Sprintf("event %d: %v", x.ordinal, err)
		}
		next++
	}
	if next != len(all) {
		return fmt.Sprintf("%d events, want %d", next, len(all))
	}
	if _, err := rec.EventByOrdinal(math.MaxUint64); !errors.Is(err, mmapjfr.ErrNoEvent) {
		return fmt.Sprintf("an event after the last one: %v", err)
	}
	for n, c := range want.Chunks {
		if d := constantsDisagree(rec.Chunks()[n], c); d != "" {
			return fmt.Sprintf("chunk %d: %s", n, d)
		}
	}
	return ""
}

// expectation is an event that a recording has to have.
type expectation struct {
	in      *comparer
	event   *jfrtest.Event
	ordinal uint64
}

// expected returns the events of types that are described.
func expected(want *jfrtest.Recording) (list []expectation) {
	ordinal := uint64(0)
	for _, c := range want.Chunks {
		in := newComparer(c)
		for i := range c.Events {
			if c.Classes[c.Events[i].TypeID] != nil {
				list = append(list, expectation{in, &c.Events[i], ordinal})
			}
			ordinal++
		}
	}
	return list
}

// constantsDisagree compares all constants of a chunk.
func constantsDisagree(got mmapjfr.Chunk, want *jfrtest.Chunk) string {
	if err := got.ConstantsErr(); err != nil {
		return err.Error()
	}
	types, err := got.Types()
	if err != nil {
		return err.Error()
	}
	c := newComparer(want)
	names := map[string]int{}
	for _, typ := range types {
		names[engine.TypeRecordedName(typ)]++
	}
	for _, typ := range types {
		if names[engine.TypeRecordedName(typ)] > 1 {
			continue
		}
		n := 0
		for key, v := range engine.ChunkConstants(got, typ) {
			n++
			f := &jfrtest.Field{Class: engine.TypeRecordedName(typ)}
			if d := c.value(v, f, jfrtest.Constant{Class: typ.ID(), Key: key}); d != "" {
				return fmt.Sprintf("%s %d%s", engine.TypeRecordedName(typ), key, d)
			}
		}
		if n != len(want.Pools[typ.ID()]) {
			return fmt.Sprintf("%d constants of %s, want %d", n, engine.TypeRecordedName(typ), len(want.Pools[typ.ID()]))
		}
	}
	return ""
}
