package redact

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// recordings returns the recordings of testdata, and those of other producers if they are there.
func recordings(t testing.TB) map[string]*mmapjfr.Recording {
	all := make(map[string]*mmapjfr.Recording)
	for _, path := range append(longtest.Recordings(t), longtest.Others(t)...) {
		if rec, err := mmapjfr.OpenBytes(longtest.Read(t, path)); err == nil {
			t.Cleanup(func() { rec.Close() })
			all[filepath.Base(path)] = rec
		}
	}
	return all
}

// textIn is a text of a recording and where it lies.
type textIn struct {
	of   rewrite.Place
	text string
	key  string
}

func (t textIn) Text(string) (string, bool) { return t.key, t.key != "" }

// collect copies a recording and returns the texts that an editor is called with.
type collect struct {
	*Redactor
	texts *[]textIn
}

func (c collect) Text(of rewrite.Place) rewrite.TextEdit {
	return func(text string, v rewrite.Values) (string, bool) {
		key, _ := v.Text("key")
		*c.texts = append(*c.texts, textIn{of, strings.Clone(text), key})
		return text, false
	}
}

// textsOf returns all texts of a recording in the order in which a copy edits them.
func textsOf(t testing.TB, rec *mmapjfr.Recording) (texts []textIn) {
	t.Helper()
	c := collect{New(&Rules{}, Key{}), &texts}
	_, err := rewrite.Write(t.Context(), io.Discard, []*mmapjfr.Recording{rec}, &rewrite.Plan{Edits: c, Workers: 1})
	require.NoError(t, err)
	return texts
}

// BenchmarkEdit edits all texts of real recordings by the default rules: each time it is called, all of them once.
func BenchmarkEdit(b *testing.B) {
	var texts []textIn
	for _, rec := range recordings(b) {
		texts = append(texts, textsOf(b, rec)...)
	}
	r := New(Default(), Key{})
	edits, size := make([]rewrite.TextEdit, len(texts)), 0
	for i, t := range texts {
		edits[i] = r.Text(t.of)
		size += len(t.text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for i := range texts {
			if edits[i] != nil {
				edits[i](texts[i].text, &texts[i])
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(texts)), "ns/text")
	b.ReportMetric(float64(size)/float64(len(texts)), "B/text")
}
