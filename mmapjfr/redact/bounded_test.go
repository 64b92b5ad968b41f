package redact

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// countedEdits counts long texts that are edited, and those of them with a memo.
type countedEdits struct {
	rewrite.Edits
	texts, with int
}

func (c *countedEdits) Text(of rewrite.Place) rewrite.TextEdit {
	edit := c.Edits.Text(of)
	if edit == nil {
		return nil
	}
	return func(text string, values rewrite.Values) (string, bool) {
		if len(text) > 1000 {
			c.texts++
			if values.Memo() != nil {
				c.with++
			}
		}
		return edit(text, values)
	}
}

// TestLongPooledTexts: a long pooled text that many events refer to is searched once, and is in the copy once.
func TestLongPooledTexts(t *testing.T) {
	for name, text := range map[string]string{"ASCII": strings.Repeat("a word ", 3000) + "password=S", "Latin-1": strings.Repeat("\u00e9 word ", 3000) + "password=S"} {
		b := jfrtest.NewChunk()
		e := b.Event("shop.E", jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("other", jfrtest.StringClass))
		if name == "ASCII" {
			b.Constant(jfrtest.StringClass, 1, text)
		} else {
			b.Constant(jfrtest.StringClass, 1, jfrtest.Latin1(text))
		}
		for range 100 {
			b.Emit(e, 1, jfrtest.Pooled(1), jfrtest.Pooled(1))
		}
		r := parsed(t, "secret-keys password", "constant secret", `constant "W" /word/ in shop.E:other`)
		counted := &countedEdits{Edits: r}
		data := redactedBy(t, counted, open(t, b.Bytes()))
		assert.Equal(t, 200, counted.texts, name)
		assert.Equal(t, 200, counted.with, name)
		assert.NotContains(t, string(data), "password=S")
		assert.Less(t, len(data), 4*len(text), "two texts are in the pool: %s", name)
		assert.EqualValues(t, 200+100*3001, r.Report().Count(), name)
		for _, p := range r.programs {
			for i := range p.edited {
				require.Nil(t, p.edited[i].Load(), "a text was searched without the memo")
			}
		}
	}
}

// TestManyNames finds the longest of many learned names, as words.
func TestManyNames(t *testing.T) {
	var s nameSet
	for i := range 20_000 {
		s.add(fmt.Sprint("user", i))
	}
	s.add("ann")
	s.add("Ann Lee")
	var got []string
	text := "ANN LEE and ann, joann, ann_x and user19999, user20000"
	s.find(&environment{next: len(text)}, text, func(from, to int) { got = append(got, text[from:to]) })
	assert.Equal(t, []string{"ANN LEE", "ann", "user19999"}, got)
}

// countedContext is done once it has been asked some times.
type countedContext struct {
	context.Context
	left, asked int
}

func (c *countedContext) Err() error {
	if c.asked++; c.asked > c.left {
		return context.Canceled
	}
	return nil
}

// TestLongTextsStop: each finder asks after some bytes whether the copy is still wanted, and nothing is left of a text of which
// not all was searched.
func TestLongTextsStop(t *testing.T) {
	r := New(Default(), Key{})
	r.learnName("user", "annlee")
	r.learnName("host", "build-7")
	f := r.field(rewrite.Place{Type: "test.Event", Field: "text", Event: true})
	length := longtest.Cases(140<<10, 1<<20)
	for _, part := range []string{"a word ", "password=hunter2 ", "to ann@acme.com 10.1.2.3 ", "select a from t where b = 'x', ", "%41%42 ", "x.y: https://a/b ", "4111 DE89 /home/ann ghp_eyJ. ", "aaaaaaaaaa"} {
		text := strings.Repeat(part, length/len(part))
		has, digits := featuresOf(text)
		for i := range f.prog.steps {
			if s := &f.prog.steps[i]; s.wants(text, has, digits) && s.kind != kindPrivateKey {
				e := r.env
				ctx := &countedContext{left: length}
				e.ctx, e.next = ctx, workAtOnce
				s.find(&e, text, func(from, to int) {})
				least := ctx.asked
				e.next, ctx.asked, ctx.left = workAtOnce, 0, least/2
				s.find(&e, text, func(from, to int) {})
				assert.LessOrEqual(t, ctx.asked, least/2+3, "%s in %s", kindNames[s.kind], part)
			}
		}
		for _, left := range []int{1, 40} {
			ctx := &countedContext{Context: t.Context(), left: left}
			to, rules := f.prog.compute(ctx, text, has, digits)
			if ctx.asked > left {
				assert.Empty(t, to, part)
				assert.Empty(t, rules, part)
			}
			assert.Less(t, ctx.asked, left+40, part)
		}
	}
}

// TestCopiesStop: a copy that is no longer wanted is none.
func TestCopiesStop(t *testing.T) {
	for _, pooled := range []bool{false, true} {
		b := jfrtest.NewChunk()
		e := b.Event("shop.E", jfrtest.Of("text", jfrtest.StringClass))
		text := strings.Repeat("a word password=hunter2 ", 50_000)
		if b.Constant(jfrtest.StringClass, 1, text); pooled {
			b.Emit(e, 1, jfrtest.Pooled(1))
		} else {
			b.Emit(e, 1, text)
		}
		ctx, cancel := context.WithCancel(t.Context())
		r := New(Default(), Key{})
		edits := &cancellingEdits{r, cancel}
		var out strings.Builder
		_, err := rewrite.Write(ctx, &out, []*mmapjfr.Recording{open(t, b.Bytes())}, &rewrite.Plan{Edits: edits, Workers: 1})
		require.ErrorIs(t, err, context.Canceled)
		assert.NotContains(t, out.String(), "hunter2")
	}
}

// cancellingEdits cancel the copy where a long text is edited.
type cancellingEdits struct {
	*Redactor
	cancel func()
}

func (c *cancellingEdits) Text(of rewrite.Place) rewrite.TextEdit {
	edit := c.Redactor.Text(of)
	if edit == nil {
		return nil
	}
	return func(text string, values rewrite.Values) (string, bool) {
		if len(text) > workAtOnce {
			c.cancel()
		}
		return edit(text, values)
	}
}
