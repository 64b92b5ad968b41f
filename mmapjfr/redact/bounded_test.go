package redact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
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
	s.find(text, func(from, to int) { got = append(got, text[from:to]) })
	assert.Equal(t, []string{"ANN LEE", "ann", "user19999"}, got)
}
