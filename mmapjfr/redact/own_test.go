package redact

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/wire"
)

// own holds of texts that the default rules have written: the rules change nothing of them, and Check finds nothing in them as
// they lie in a recording, where any bytes follow.
type own struct {
	edit  func(string) string
	file  []byte
	texts []ownText
	seen  map[string]bool
}

// ownText is a text, what became of it, and where that lies.
type ownText struct {
	was, is string
	at      int
}

// owns are those of tests that run.
var owns sync.Map

// ownOf returns the texts of a test, which are checked where it ends.
func ownOf(t testing.TB) *own {
	if o, ok := owns.Load(t); ok {
		return o.(*own)
	}
	o := &own{edit: textEdit(), seen: make(map[string]bool)}
	owns.Store(t, o)
	t.Cleanup(func() {
		owns.Delete(t)
		o.check(t)
	})
	return o
}

// add redacts a text.
func (o *own) add(text string) string {
	is := o.edit(text)
	if o.seen[is] || strings.Contains(is, "\x00\x00") { // Check does not know where a text ends that begins anew after some NULs
		return is
	}
	o.seen[is] = true
	o.file = append(o.file, byte(wire.UTF8))
	o.file = wire.AppendVarint(o.file, uint64(len(is)), 1)
	o.texts = append(o.texts, ownText{text, is, len(o.file)})
	o.file = append(o.file, is...)
	o.file = append(o.file, "Ab9="[len(o.texts)%4:]...) // the size of the next event, and more
	o.file = append(o.file, 0)
	return is
}

// check reports texts that are changed once more, or in which something is found.
func (o *own) check(t testing.TB) {
	wrong := 0
	report := func(text ownText, what string) {
		if wrong++; wrong <= 10 {
			t.Errorf("%q became %q, %s", text.was, text.is, what)
		}
	}
	for _, text := range o.texts {
		if again := o.edit(text.is); again != text.is {
			report(text, fmt.Sprintf("and then %q", again))
		}
	}
	found, err := New(Default(), Key{}).Check(context.Background(), bytes.NewReader(o.file)) // the context of the test is done
	assert.NoError(t, err)
	for _, f := range found.Findings {
		i, _ := slices.BinarySearchFunc(o.texts, f.Offset, func(text ownText, at int64) int { return cmp.Compare(int64(text.at+len(text.is)), at) })
		text := o.texts[min(i, len(o.texts)-1)]
		report(text, fmt.Sprintf("in which %s is found: %q", f.Rule, o.file[f.Offset:min(f.Offset+int64(f.Length), int64(len(o.file)))]))
	}
	if found.Count > int64(len(found.Findings)) || wrong > 10 {
		t.Errorf("%d texts that were redacted are changed again, or something is found in them", max(wrong, int(found.Count)))
	}
}
