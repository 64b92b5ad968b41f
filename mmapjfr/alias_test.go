//go:build !nounsafe

package mmapjfr_test

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// within reports whether a string lies in the bytes.
func within(data []byte, s string) bool {
	base := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	at := uintptr(unsafe.Pointer(unsafe.StringData(s)))
	return at >= base && at+uintptr(len(s)) <= base+uintptr(len(data))
}

// TestViewsAliasTheRecordingWhereTheyCan, and strings never do: they are kept, each text
// once.
func TestViewsAliasTheRecordingWhereTheyCan(t *testing.T) {
	for _, c := range []struct {
		name      string
		text      jfrtest.Text
		want      string
		raw       bool
		converted bool
	}{
		{name: "UTF-8 of ASCII", text: jfrtest.UTF8("plain"), want: "plain"},
		{name: "UTF-8", text: jfrtest.UTF8("Größe €😀"), want: "Größe €😀"},
		{name: "UTF-8 in big-endian", text: jfrtest.UTF8("Größe"), want: "Größe", raw: true},
		{name: "malformed UTF-8", text: jfrtest.UTF8("a\xffb"), want: "a\ufffdb", converted: true},
		{name: "Latin-1 of ASCII", text: jfrtest.Latin1("plain"), want: "plain"},
		{name: "Latin-1", text: jfrtest.Latin1("Größe"), want: "Größe", converted: true},
		{name: "chars of ASCII", text: jfrtest.UTF16("plain"), want: "plain"},
		{name: "chars of ASCII in big-endian", text: jfrtest.UTF16("plain"), want: "plain", raw: true, converted: true},
		{name: "chars", text: jfrtest.UTF16("Größe"), want: "Größe", converted: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := jfrtest.NewChunk()
			if c.raw {
				b.Uncompressed()
			}
			ty := b.Event("E", jfrtest.Of("text", jfrtest.StringClass))
			b.Emit(ty, 1, c.text)
			b.Emit(ty, 2, c.text)
			rec, _ := openBuilt(t, b)
			data := rec.Data()
			p := mmapjfr.Path("text")
			events := all(t, rec)
			require.Len(t, events, 2)
			one, again, other := events[0].Str(p), events[0].Get(p).Str(), events[1].Str(p)
			assert.Equal(t, c.want, one)
			assert.False(t, within(data, one), "within the recording")
			assert.Same(t, unsafe.StringData(one), unsafe.StringData(again), "the second time")
			assert.Same(t, unsafe.StringData(one), unsafe.StringData(other), "of another event")
			view := events[0].StrView(p)
			assert.Equal(t, c.want, view)
			assert.Equal(t, !c.converted, within(data, view), "the view")
			assert.Equal(t, c.converted, unsafe.StringData(view) == unsafe.StringData(one), "kept")
			var strs, views []string
			require.NoError(t, engine.SelectionBatches(rec.Select(), t.Context(), func(_ int, b *mmapjfr.Batch) error {
				strs = slices.Clone(engine.BatchStrings(b, p))
				views = slices.Clone(engine.BatchStringViews(b, p))
				return nil
			}))
			assert.Equal(t, []string{c.want, c.want}, strs)
			assert.Equal(t, []string{c.want, c.want}, views)
			assert.Same(t, unsafe.StringData(one), unsafe.StringData(strs[1]), "of a column")
			assert.Equal(t, !c.converted, within(data, views[1]), "of a column of views")
			assert.False(t, within(data, string(events[0].Get(p).AppendStr(nil))), "appended")
		})
	}
}

// TestNamesAreCopies: names of types and fields and annotations live on.
func TestNamesAreCopies(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	data := rec.Data()
	types, err := rec.Types()
	require.NoError(t, err)
	for _, typ := range types {
		texts := append([]string{typ.Name(), typ.Super(), typ.Label(), typ.Description()}, typ.Category()...)
		for _, f := range typ.Fields() {
			texts = append(texts, f.Name(), f.Label(), f.Description())
			for _, a := range f.Annotations() {
				for _, v := range a.Values() {
					texts = append(append(texts, v.Name), v.Texts...)
				}
			}
		}
		for _, s := range typ.Settings() {
			texts = append(texts, s.Name(), s.Default())
		}
		for _, s := range texts {
			require.False(t, within(data, s), s)
		}
	}
}
