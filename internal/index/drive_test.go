package index_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// drive asks for everything that can be asked about bytes that may be anything.
// Nothing may panic, and all errors must say what and where.
func drive(t testing.TB, data []byte) {
	x, err := index.New(data)
	wantSentinel(t, err)
	if err != nil {
		require.Nil(t, x)
		return
	}
	wantSentinel(t, x.TrailingErr())
	require.NotEmpty(t, x.Chunks())
	end := uint64(0)
	for i, c := range x.Chunks() {
		require.Equal(t, i, c.Number())
		require.GreaterOrEqual(t, c.Offset(), end)
		end = c.Offset() + uint64(len(c.Data()))
		require.LessOrEqual(t, end, uint64(len(data)))
		driveChunk(t, c)
	}
}

func wantSentinel(t testing.TB, err error) {
	if !matches(err) {
		require.Fail(t, "an error without kind or place", "%v", err)
	}
	if err != nil {
		require.NotEmpty(t, err.Error())
	}
}

func driveChunk(t testing.TB, c *index.Chunk) {
	wantSentinel(t, c.LeadingErr())
	wantSentinel(t, c.TrailingErr())
	all, next, walkErr := walk(c)
	wantSentinel(t, walkErr)
	require.LessOrEqual(t, next, uint64(len(c.Data())))
	events := uint64(0)
	for i, rec := range all {
		found, n, err := c.EventAt(rec.Offset)
		if rec.IsEvent() {
			if err != nil || found != rec || n != events {
				require.NoError(t, err)
				require.Equal(t, rec, found)
				require.Equal(t, events, n)
			}
			events++
		} else {
			require.ErrorIs(t, err, index.ErrNoEvent)
		}
		_, _, err = c.EventAt(rec.Offset + 1)
		if i+1 < len(all) && all[i+1].Offset > rec.Offset+1 {
			require.ErrorIs(t, err, index.ErrNoEvent)
		}
	}
	require.Equal(t, events, c.Blocks().Events())
	require.Equal(t, message(walkErr), message(c.Blocks().Err()))

	types, err := c.Types()
	wantSentinel(t, err)
	k, kErr := c.Constants()
	wantSentinel(t, kErr)
	if err != nil {
		require.Error(t, kErr)
		return
	}
	require.NoError(t, kErr)
	wantSentinel(t, k.Err())
	complete, err := c.AllTypes()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(complete.Types), len(types.Types))
	driveTypes(t, complete)
	for _, rec := range all {
		if class := complete.ByID(rec.Type); rec.IsEvent() && class != nil {
			driveValue(t, class, c.Data()[:rec.End():rec.End()], int(rec.Body()))
		}
	}
	for i := range complete.Types {
		class := complete.Types[i]
		n := 0
		k.All(class, func(key int64, offset uint64) bool {
			at, ok := k.Lookup(class, key)
			require.True(t, ok)
			require.Equal(t, offset, at)
			driveValue(t, class, c.Data(), int(offset))
			n++
			return true
		})
		require.Equal(t, n, k.Len(class))
	}
	if c.Salvaged() == nil { // else there is more than the reference finds
		differential(t, c, complete, k, walkErr)
	}
}

func driveTypes(t testing.TB, types *schema.TypeSet) {
	for i := range types.Types {
		class := types.Types[i]
		require.Equal(t, i, class.Ordinal())
		require.NotNil(t, types.Named(class.Name))
		require.NotNil(t, types.ByID(class.ID))
		p, err := class.Plan()
		if err != nil {
			require.True(t, matches(&index.FormatError{Err: err}), "%v", err)
			continue
		}
		require.LessOrEqual(t, p.NumSlots(), types.MaxSlots())
		for j := range class.Fields {
			require.LessOrEqual(t, class.Fields[j].Slot(), p.NumSlots())
			for _, a := range class.Fields[j].Annotations {
				_ = a.Text("value")
			}
		}
	}
}

// driveValue lays out a value, if it fits, and looks into its arrays.
func driveValue(t testing.TB, class *schema.Type, b []byte, pos int) {
	p, err := class.Plan()
	if err != nil {
		return
	}
	offs := make([]uint32, p.NumSlots())
	end, ok := p.Layout(b, pos, len(b), offs)
	skipped, okToo := p.Skip(b, pos)
	require.Equal(t, ok, okToo)
	if !ok {
		for i := range min(p.NumSlots(), 20) {
			if at, ok := p.SlotOffset(b, pos, i); ok {
				require.LessOrEqual(t, at, len(b))
			}
		}
		return
	}
	require.Equal(t, end, skipped)
	require.LessOrEqual(t, end, len(b))
	for i := range min(p.NumSlots(), 50) {
		at, ok := p.SlotOffset(b, pos, i)
		if !ok || at != int(offs[i]) {
			require.Fail(t, "Seek and Layout disagree", "slot %d: %d and %d", i, at, offs[i])
		}
		if p.Slot(i).Array {
			_, first, ok := p.ArrayHeader(b, at)
			require.True(t, ok)
			require.LessOrEqual(t, first, len(b))
		}
	}
}

// differential compares with the reference decoder what both understand.
func differential(t testing.TB, c *index.Chunk, types *schema.TypeSet, k *index.Constants, walkErr error) {
	rec, err := jfrtest.Decode(c.Data())
	if err != nil || len(rec.Chunks) != 1 || walkErr != nil {
		return
	}
	want := rec.Chunks[0]
	require.Equal(t, uint64(len(want.Events)), c.Blocks().Events())
	// Where a metadata event is broken, or describes a class in a way that makes no
	// sense, the two may rightly see different classes.
	if len(types.Types) != len(want.Classes) {
		return
	}
	for id, class := range want.Classes {
		got := types.ByID(schema.TypeID(id))
		if got == nil || !reflect.DeepEqual(unnamed(class), unnamed(description(got))) {
			return
		}
		if _, err := got.Plan(); err != nil || got.Kind != schema.Struct && len(got.Fields) > 0 {
			return
		}
	}
	// The reference takes the low 32 bits of a count, the library refuses more.
	for i := range want.Events {
		e := &want.Events[i]
		if class := types.ByID(schema.TypeID(e.TypeID)); class != nil {
			p, _ := class.Plan()
			r, _, err := c.EventAt(uint64(e.Offset))
			require.NoError(t, err)
			if _, ok := p.Skip(c.Data()[:r.End()], int(r.Body())); !ok {
				return
			}
		}
	}
	if k.Err() != nil {
		return
	}
	checkConstants(t, c, want)
}
