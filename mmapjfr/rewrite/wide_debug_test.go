//go:build jfrdebug

package rewrite_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/repair"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/redact"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// wide are recordings with types of n fields.
var wide = map[string]func(b *jfrtest.Builder, n int){
	"numbers": func(b *jfrtest.Builder, n int) { wideEvent(b, n, jfrtest.Of("", "long"), int64(7)) },
	"texts": func(b *jfrtest.Builder, n int) {
		wideEvent(b, n, jfrtest.Of("", jfrtest.StringClass), "password=secret")
	},
	"constants": func(b *jfrtest.Builder, n int) {
		b.Class("test.P", jfrtest.Of("name", jfrtest.StringClass))
		b.Constants().Add("test.P", int64(5), "a")
		wideEvent(b, n, jfrtest.Const("", "test.P"), int64(5))
	},
	"missing constants": func(b *jfrtest.Builder, n int) {
		b.Class("test.P", jfrtest.Of("name", jfrtest.StringClass))
		wideEvent(b, n, jfrtest.Const("", "test.P"), int64(5))
	},
	"structs": func(b *jfrtest.Builder, n int) {
		b.Class("test.P", jfrtest.Of("key", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass))
		wideEvent(b, n, jfrtest.Of("", "test.P"), jfrtest.Inline{"password", "secret"})
	},
	"a struct of many texts": func(b *jfrtest.Builder, n int) {
		fields, values := wideFields(n, jfrtest.Of("", jfrtest.StringClass), "password=secret")
		b.Class("test.P", fields...)
		e := b.Event("test.Wide", jfrtest.Of("list", "test.P").Array())
		b.Emit(e, int64(1), []any{jfrtest.Inline(values), jfrtest.Inline(values)})
	},
	"a constant of many": func(b *jfrtest.Builder, n int) {
		fields, values := wideFields(n, jfrtest.Const("", "jdk.types.Method"), int64(77))
		b.Class("jdk.types.Method", fields...)
		b.Constants().Add("jdk.types.Method", int64(1), values...)
		b.Emit(b.Event("test.Wide", jfrtest.Const("m", "jdk.types.Method")), int64(1), int64(1))
	},
	"missing symbols": func(b *jfrtest.Builder, n int) {
		b.Class("jdk.types.Symbol", jfrtest.Of("string", jfrtest.StringClass)).Simple()
		fields, values := wideFields(n, jfrtest.Const("", "jdk.types.Symbol"), int64(77))
		b.Class("test.P", fields...)
		b.Constants().Add("test.P", int64(1), values...)
		b.Constants().Add("jdk.types.Symbol", int64(1), "a")
		b.Emit(b.Event("test.Wide", jfrtest.Const("p", "test.P")), int64(1), int64(1))
	},
	"an annotation": func(b *jfrtest.Builder, n int) {
		fields, _ := wideFields(n, jfrtest.Of("", jfrtest.StringClass), nil)
		b.Class("test.Note", fields...).SuperType = "java.lang.annotation.Annotation"
		note := jfrtest.Annotation{Class: "test.Note"}
		for i := range n {
			note.Values = append(note.Values, jfrtest.Attribute{Name: fmt.Sprint("f", i), Value: "v"})
		}
		b.Emit(b.Event("test.Wide").Annotate(note), int64(1))
	},
}

func wideFields(n int, like jfrtest.Field, value any) (fields []jfrtest.Field, values []any) {
	for i := range n {
		like.Name = fmt.Sprint("f", i)
		fields, values = append(fields, like), append(values, value)
	}
	return fields, values
}

func wideEvent(b *jfrtest.Builder, n int, like jfrtest.Field, value any) {
	fields, values := wideFields(n, like, value)
	e := b.Event("test.Wide", fields...)
	for i := range 3 {
		b.Emit(e, append([]any{int64(i)}, values...)...)
	}
}

// TestWideTypesAreBounded: a type with twice the fields takes twice the steps, whatever is done.
func TestWideTypesAreBounded(t *testing.T) {
	verbs := map[string]func(ctx context.Context, recs []*mmapjfr.Recording) error{
		"repair": func(ctx context.Context, recs []*mmapjfr.Recording) error {
			_, err := repair.Join(ctx, io.Discard, recs)
			return err
		},
	}
	for name, plan := range map[string]rewrite.Plan{
		"anew":        {Anew: true},
		"convert":     {Convert: true, Wide: true},
		"merge":       {Anew: true, Readable: true, OneClock: true, Prefix: func(mmapjfr.Chunk) string { return "a" }},
		"slice":       {From: time.Unix(0, 1), Keep: func(mmapjfr.Event) bool { return true }, Context: true},
		"redact":      {Edits: redact.New(redact.Default(), redact.RandomKey())},
		"redact anew": {Edits: redact.New(redact.Default(), redact.RandomKey()), Anew: true},
		"drop":        {Drop: func(t mmapjfr.Type) bool { return t.Name() == "test.Other" }},
	} {
		verbs[name] = func(ctx context.Context, recs []*mmapjfr.Recording) error {
			_, err := rewrite.Write(ctx, io.Discard, recs, &plan)
			return err
		}
	}
	for kind, build := range wide {
		for name, verb := range verbs {
			steps := func(n int) uint64 {
				b := jfrtest.NewChunk()
				b.Emit(b.Event("test.Other"), int64(1))
				build(b, n)
				rec := opentest.Bytes(t, b.Bytes(), mmapjfr.Workers(1))
				before := wire.Steps()
				require.NoError(t, verb(t.Context(), []*mmapjfr.Recording{rec}))
				return wire.Steps() - before
			}
			few, many := steps(1_000), steps(4_000)
			assert.Less(t, many, 5*few, "%s: %s: %d steps for 1,000 fields", name, kind, few)
		}
	}
}
