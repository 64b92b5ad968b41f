package redact

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// TestValuesBesideAKeyInStructs has secrets that another field of the same struct, or the element before, gives away.
func TestValuesBesideAKeyInStructs(t *testing.T) {
	for _, reversed := range []bool{false, true} {
		pair := func(key, value any) jfrtest.Inline {
			if reversed {
				return jfrtest.Inline{value, key}
			}
			return jfrtest.Inline{key, value}
		}
		fields := []jfrtest.Field{jfrtest.Of("key", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass)}
		if reversed {
			fields[0], fields[1] = fields[1], fields[0]
		}
		b := jfrtest.NewChunk()
		b.Class("shop.Pair", fields...)
		b.Constant(jfrtest.StringClass, 3, "pooled-opaque-text-of-some-length")
		b.Constant(jfrtest.StringClass, 4, "db.password")
		e := b.Event("shop.E", jfrtest.Of("one", "shop.Pair"), jfrtest.Of("list", "shop.Pair").Array(), jfrtest.Const("pooled", "shop.Pair"), jfrtest.Of("args", jfrtest.StringClass).Array())
		constant := b.Constant("shop.Pair", 1, pair("password", "opaque-a")...)
		b.Emit(e, 1, pair("password", "opaque-b"), []any{pair("n", "kept-a"), pair(jfrtest.Pooled(4), jfrtest.Pooled(3)), pair("n", "kept-b")}, constant,
			[]any{"-x", "kept-c", "--password", "opaque-c", "kept-d", jfrtest.Pooled(4), "kept-e"})
		got := printed(t, redacted(t, New(Default(), Key{}), 1, open(t, b.Bytes())))
		assert.NotContains(t, got, "opaque")
		for _, text := range []string{"kept-a", "kept-b", "kept-c", "kept-d", "kept-e"} {
			assert.Contains(t, got, text)
		}
	}
}
