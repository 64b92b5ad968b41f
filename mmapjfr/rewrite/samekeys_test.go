package rewrite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// textEdits edit the texts of some fields.
type textEdits func(of rewrite.Place) rewrite.TextEdit

func (e textEdits) Text(of rewrite.Place) rewrite.TextEdit { return e(of) }
func (textEdits) Number(rewrite.Place) rewrite.NumberEdit  { return nil }

func (textEdits) Array(rewrite.Place) rewrite.ArrayEdit               { return nil }
func (textEdits) Described(_ rewrite.Description, text string) string { return text }
func louder(text string, _ rewrite.Values) (string, bool) {
	return text + "!", !strings.HasPrefix(text, "quiet")
}
func replaced(by string) rewrite.TextEdit {
	return func(string, rewrite.Values) (string, bool) { return by, true }
}

// orders returns a chunk with events that have a text, a pooled text and a thread each.
func orders(events int, quiet func(i int) bool) []byte {
	b := jfrtest.NewChunk()
	order := b.Event("shop.Order", jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("pooled", jfrtest.StringClass), jfrtest.Const("thread", "java.lang.Thread"))
	for i := range 20 {
		b.Constant(jfrtest.StringClass, int64(i), fmt.Sprintf("pooled text %d", i))
		b.Constant("java.lang.Thread", int64(i), fmt.Sprintf("thread %d", i), int64(i), jfrtest.Pooled(int64(i)), int64(i), 0, false)
	}
	for i := range events {
		text := fmt.Sprintf("order number %d of a customer", i)
		if quiet(i) {
			text = "quiet " + text
		}
		b.Emit(order, int64(i), text, jfrtest.Pooled(int64(i%20)), i%20)
	}
	return b.Bytes()
}

// TestChunksThatShareConstants edits more events than memory is used for, so that one chunk becomes several.
func TestChunksThatShareConstants(t *testing.T) {
	for name, quiet := range map[string]func(i int) bool{
		"all": func(int) bool { return false }, "some": func(i int) bool { return i%64 > 8 }, "few": func(i int) bool { return i%1000 > 0 }, "none": func(int) bool { return true },
	} {
		t.Run(name, func(t *testing.T) {
			rec := open(t, orders(longtest.Cases(8_000, 20_000), quiet))
			edits := textEdits(func(of rewrite.Place) rewrite.TextEdit {
				if of.Field == "pooled" {
					return nil
				}
				return louder
			})
			want, _ := rewritten(t, &rewrite.Plan{Edits: edits, Anew: true}, rec)
			got, report := rewritten(t, &rewrite.Plan{Edits: edits, ChunkSize: 64 << 10}, rec)
			assert.Equal(t, 1, report.Edited)
			if name == "all" {
				assert.Greater(t, report.Chunks, 5)
			}
			if name == "none" {
				assert.Equal(t, 1, report.Chunks)
			}
			copied := open(t, got)
			assert.True(t, ndjson(t, print.Options{}, open(t, want)) == ndjson(t, print.Options{}, copied))
			clean(t, copied)
		})
	}
}

// TestPooledTextsThatNothingRefersTo: an edit of a field replaces references to pooled texts. Then these are gone.
func TestPooledTextsThatNothingRefersTo(t *testing.T) {
	b := jfrtest.NewChunk()
	login := b.Event("shop.Login", jfrtest.Of("name", jfrtest.StringClass), jfrtest.Of("names", jfrtest.StringClass).Array(), jfrtest.Of("note", jfrtest.StringClass))
	b.Constant(jfrtest.StringClass, 1, "secret one")
	b.Constant(jfrtest.StringClass, 2, "secret two")
	b.Constant(jfrtest.StringClass, 3, "secret three, which nothing refers to")
	b.Constant(jfrtest.StringClass, 4, "kept")
	b.Emit(login, 1, jfrtest.Pooled(1), []any{jfrtest.Pooled(2), "x"}, jfrtest.Pooled(4))
	rec := open(t, b.Bytes())
	got, report := rewritten(t, &rewrite.Plan{Edits: textEdits(func(of rewrite.Place) rewrite.TextEdit {
		if strings.HasPrefix(of.Field, "name") {
			return replaced("gone")
		}
		return nil
	})}, rec)
	assert.Equal(t, 1, report.Edited)
	assert.NotContains(t, string(got), "secret")
	events := ndjson(t, print.Options{}, open(t, got))
	assert.Contains(t, events, `"name":"gone","names":["gone","gone"],"note":"kept"`)
	clean(t, open(t, got))
}

// TestWhatForcesNewKeys: one chunk that must be made anew makes others of its virtual machine so.
func TestWhatForcesNewKeys(t *testing.T) {
	rec := open(t, orders(10, func(int) bool { return true }))
	edits := textEdits(func(rewrite.Place) rewrite.TextEdit { return louder })
	for name, plan := range map[string]rewrite.Plan{
		"anew": {Anew: true}, "joined": {Join: true}, "one clock": {OneClock: true}, "converted": {Convert: true},
		"prefixed": {Prefix: func(mmapjfr.Chunk) string { return "a" }}, "dropped": {Drop: func(t mmapjfr.Type) bool { return t.Name() == "shop.Order" }},
		"selected": {Keep: func(mmapjfr.Event) bool { return true }},
	} {
		plan.Edits = edits
		_, report := rewritten(t, &plan, rec, rec)
		assert.Zero(t, report.Edited, name)
	}
	whole := orders(10, func(int) bool { return true })
	unfinished := append([]byte(nil), whole...)
	unfinished[64] = 3 // the file state
	_, report := rewritten(t, &rewrite.Plan{Edits: edits}, open(t, append(whole, unfinished...)))
	assert.Zero(t, report.Edited)
	assert.Equal(t, 2, report.Made)
}

// TestPoolsThatNothingLeadsTo: no event type leads to the type of a pool. Then neither is in the copy.
func TestPoolsThatNothingLeadsTo(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Emit(b.Event("shop.Login", jfrtest.Of("name", jfrtest.StringClass)), 1, "ann")
	b.Constant("jdk.types.GCName", 1, "G1")
	got, report := rewritten(t, &rewrite.Plan{Edits: textEdits(func(rewrite.Place) rewrite.TextEdit { return louder })}, open(t, b.Bytes()))
	assert.Equal(t, 1, report.Edited)
	assert.NotContains(t, string(got), "G1")
	clean(t, open(t, got))
}

// TestEditedTextsStayPooled: a long text that an edit puts in the place of a pooled one is a constant, once in a chunk,
// whatever the edits of other fields make of the same one.
func TestEditedTextsStayPooled(t *testing.T) {
	b := jfrtest.NewChunk()
	login := b.Event("shop.Query", jfrtest.Of("sql", jfrtest.StringClass), jfrtest.Of("list", jfrtest.StringClass).Array(), jfrtest.Of("note", jfrtest.StringClass))
	b.Constant(jfrtest.StringClass, 1, "select a from t where b = 'Smith'")
	b.Constant("java.lang.Thread", 1, jfrtest.Pooled(1), 1, "x", 1, 0, false)
	for range 100 {
		b.Emit(login, 1, jfrtest.Pooled(1), []any{jfrtest.Pooled(1), "x"}, jfrtest.Pooled(1))
	}
	rec := open(t, b.Bytes())
	edits := textEdits(func(of rewrite.Place) rewrite.TextEdit {
		if of.Type != "shop.Query" || of.Field == "note" {
			return nil
		}
		return replaced("select a from t where b = ?")
	})
	want, _ := rewritten(t, &rewrite.Plan{Edits: edits, Anew: true}, rec)
	got, report := rewritten(t, &rewrite.Plan{Edits: edits}, rec)
	assert.Equal(t, 1, report.Edited)
	events := ndjson(t, print.Options{}, open(t, got))
	assert.Equal(t, 100, strings.Count(events, `"sql":"select a from t where b = ?","list":["select a from t where b = ?"`))
	assert.Equal(t, 100, strings.Count(events, `"note":"select a from t where b = 'Smith'"`))
	for _, data := range [][]byte{want, got} {
		assert.Equal(t, 1, strings.Count(string(data), "b = 'Smith'"))
		assert.Equal(t, 101, strings.Count(string(data), "b = ?")) // 100 lists have a text of their own, too
		assert.Equal(t, events, ndjson(t, print.Options{}, open(t, data)))
		clean(t, open(t, data))
	}
}
