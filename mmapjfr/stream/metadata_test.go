package stream_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

func names(types []mmapjfr.Type) string {
	var list []string
	for _, t := range types {
		list = append(list, t.Name())
	}
	return strings.Join(list, " ")
}

// describing returns a chunk with flushes whose events are of types of these names, and
// whose metadata describes just those.
func describing(number int, flushes ...string) *jfrtest.Builder {
	b := chunk(number)
	base := b.Classes()[:len(b.Classes())-1] // without test.Tick
	base = append([]*jfrtest.Class(nil), base...)
	types := map[string]*jfrtest.Class{}
	n := 0
	for i, f := range flushes {
		classes := append([]*jfrtest.Class(nil), base...)
		for _, name := range strings.Fields(f) {
			if types[name] == nil {
				types[name] = b.Event(name, jfrtest.Of("n", "long"))
			}
			classes = append(classes, types[name])
			n++
			b.Emit(types[name], ticks(b, n), n)
		}
		b.Metadata(&jfrtest.Metadata{ID: int64(100*number + i), Classes: classes})
		b.Checkpoint(jfrtest.MaskFlush)
	}
	return b
}

func TestMetadata(t *testing.T) {
	data := concat(
		describing(0, "a.B a.A", "a.A a.B", "a.B a.C"),
		describing(1, "a.C a.B"),
		describing(2, "a.D"),
	)
	want := []string{
		"types a.A a.B, added a.A a.B, removed ", "B1", "A2", "flush", "A3", "B4", "flush",
		"types a.B a.C, added a.C, removed a.A", "B5", "C6", "flush",
		"C1", "B2", "flush", // the same ones
		"types a.D, added a.D, removed a.B a.C", "D1", "flush",
	}
	var kept []stream.Metadata
	for _, reuse := range []bool{true, false} {
		r, w := io.Pipe()
		go func() {
			_, _ = w.Write(data)
			_ = w.Close()
		}()
		s := stream.OpenReader(r)
		require.NoError(t, s.SetReuse(reuse))
		assert.Equal(t, want, told(t, s, &kept))
	}
	// A file that is finished has the types of the end of each chunk from the beginning.
	s := openFile(t, written(t, data))
	assert.Equal(t, []string{
		"types a.B a.C, added a.B a.C, removed ", "B1", "A2", "flush", "A3", "B4", "flush", "B5", "C6", "flush",
		"C1", "B2", "flush",
		"types a.D, added a.D, removed a.B a.C", "D1", "flush",
	}, told(t, s, &kept))
	// They stay valid.
	for _, m := range kept {
		for _, typ := range m.Types {
			assert.True(t, strings.HasPrefix(typ.Name(), "a."))
			assert.Equal(t, "n", typ.Fields()[1].Name())
		}
	}
}

// told returns what a stream calls handlers with, in order.
func told(t *testing.T, s *stream.Stream, kept *[]stream.Metadata) (list []string) {
	t.Helper()
	var c called
	s.OnEvent(func(ev mmapjfr.Event) error { return c.event(ev.Type().SimpleName())(ev) })
	s.OnFlush(func() error { c.say("flush"); return nil })
	s.OnMetadata(func(m stream.Metadata) error {
		*kept = append(*kept, m)
		c.say("types " + names(m.Types) + ", added " + names(m.Added) + ", removed " + names(m.Removed))
		return nil
	})
	s.OnError(func(err error) { assert.NoError(t, err) })
	require.NoError(t, s.Start(t.Context()))
	return c
}

// One that comes later gets all there are.
func TestLateHandlerOfMetadata(t *testing.T) {
	s := stream.OpenReader(strings.NewReader(string(describing(0, "a.A", "a.A").Bytes())))
	var all []stream.Metadata
	first := true
	s.OnFlush(func() error {
		return onlyOnce(&first, func() error {
			s.OnMetadata(func(m stream.Metadata) error { all = append(all, m); return nil })
			return nil
		})
	})
	require.NoError(t, s.Start(t.Context()))
	require.Len(t, all, 1)
	assert.Equal(t, "a.A", names(all[0].Added))
}

// Metadata that cannot be read is reported when it is read, not with each flush.
func TestMetadataThatIsNone(t *testing.T) {
	b := chunk(0)
	b.Insert([]byte{5, 0, 1, 1, 1}) // looks like metadata, and ends too early
	const flushes = 10
	for n := range flushes {
		b.Emit(b.Lookup("test.Tick"), ticks(b, n), n)
		b.Checkpoint(jfrtest.MaskFlush)
	}
	b.Bare = true
	s := stream.OpenReader(strings.NewReader(string(b.Bytes())))
	n := noting(s)
	s.OnMetadata(func(stream.Metadata) error { assert.Fail(t, "no metadata is there"); return nil })
	require.NoError(t, s.Start(t.Context()))
	assert.Equal(t, flushes, n.flushes)
	assert.Len(t, n.events, flushes, "no event is delivered")
	assert.LessOrEqual(t, len(n.errs), 3, "for the chunk, the handler of metadata and the events")
}
