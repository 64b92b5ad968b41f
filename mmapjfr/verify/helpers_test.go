package verify_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// check checks a recording.
func check(t testing.TB, data []byte, workers int, opts ...verify.Option) *verify.Report {
	t.Helper()
	rec := opentest.Bytes(t, data, mmapjfr.Workers(workers))
	r, err := verify.Check(t.Context(), rec, opts...)
	require.NoError(t, err)
	return r
}

// kindsOf returns what there is in a report, and how often.
func kindsOf(r *verify.Report) map[verify.Kind]uint64 {
	found := map[verify.Kind]uint64{}
	for _, c := range r.Counts {
		found[c.Kind] = c.Count
	}
	return found
}

// begin is the tick at which the chunks of the builder begin, and soon one in them.
const (
	begin = 1_000_000
	soon  = begin + 500
)

// plain returns a builder of a sound chunk with an event type of which others can be
// made: its fields are startTime, duration, thread, number and text.
func plain() (*jfrtest.Builder, *jfrtest.Class) {
	b := jfrtest.NewChunk()
	b.Header.DurationNanos = 1e9
	ty := b.Event("test.Event", jfrtest.Duration(), jfrtest.EventThread(), jfrtest.Of("number", "int"), jfrtest.Of("text", jfrtest.StringClass))
	b.Constant("java.lang.Thread", 1, "os", 1, "main", 1, 0, false)
	b.Constant(jfrtest.StringClass, 7, jfrtest.Latin1("pooled"))
	b.Emit(ty, soon, 10, 1, -1, "text")
	b.Emit(ty, soon+1, 0, 0, 300, jfrtest.Pooled(7))
	return b, ty
}

// elementAt returns where an element of a tree lies in the metadata event that holds
// the tree.
func elementAt(t testing.TB, data []byte, event jfrtest.Span, root, wanted *jfrtest.Element) int64 {
	t.Helper()
	nth, n := -1, 0
	var count func(e *jfrtest.Element)
	count = func(e *jfrtest.Element) {
		if e == wanted {
			nth = n
		}
		n++
		for _, c := range e.Children {
			count(c)
		}
	}
	count(root)
	require.GreaterOrEqual(t, nth, 0)
	cur := wire.NewCursor(data, int(event.Offset), wire.Compressed)
	cur.Int() // size
	for range 4 {
		cur.Long() // type, start, duration, id
	}
	for range cur.Int() {
		cur.Text()
	}
	var places []int64
	var walk func()
	walk = func() {
		places = append(places, int64(cur.Pos()))
		cur.Int()
		for range 2 * cur.Int() {
			cur.Int()
		}
		for range cur.Int() {
			walk()
		}
	}
	walk()
	require.True(t, cur.OK())
	return places[nth]
}

// typeNamed returns the element of a type.
func typeNamed(root *jfrtest.Element, name string) *jfrtest.Element {
	for _, e := range root.Children[0].Children {
		for _, a := range e.Attributes {
			if a.Name == "name" && a.Value == name {
				return e
			}
		}
	}
	return nil
}

// recording is a recording of the tests.
type recording struct {
	name string
	data []byte
}

// recordings returns the project's own recordings and, where the folder is present,
// those of other producers, unpacked.
func recordings(t testing.TB) (all []recording) {
	t.Helper()
	for _, path := range append(longtest.Recordings(t), longtest.Others(t)...) {
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		if name != "7u40" && name != "8u40" {
			all = append(all, recording{name, longtest.Read(t, path)})
		}
	}
	return all
}
