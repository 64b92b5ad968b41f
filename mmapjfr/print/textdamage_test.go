package print_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

func TestTextOfStructsWithoutEnd(t *testing.T) {
	b := jfrtest.NewChunk()
	for key := 1; key <= 20_000; key++ {
		b.Constant("jdk.types.ThreadGroup", key, key-1, "g")
	}
	emit(b, []any{20_000}, jfrtest.Const("f", "jdk.types.ThreadGroup"))
	text := textOf(t, b, print.Options{})
	assert.Contains(t, text, " parent = {...}\n")
	assert.Less(t, len(text), 10<<20)
}

func TestTextOfStructsThatDouble(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.Pair", jfrtest.Const("a", "test.Pair"), jfrtest.Const("b", "test.Pair"))
	for key := 1; key <= 60; key++ {
		b.Constant("test.Pair", key, key-1, key-1)
	}
	emit(b, []any{60}, jfrtest.Const("f", "test.Pair"))
	text := textOf(t, b, print.Options{})
	assert.Contains(t, text, " = {...}\n")
	assert.Less(t, len(text), 64<<20)
}

func TestTextOfObjectsInARing(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Constant("jdk.types.Symbol", 1, "a/B")
	b.Constant("java.lang.Class", 1, 0, 1, 0, 0, false)
	b.Class("jdk.types.OldObject", jfrtest.Const("type", "java.lang.Class"),
		jfrtest.Of("description", jfrtest.StringClass), jfrtest.Const("referrer", "jdk.types.Reference"))
	b.Class("jdk.types.OldObjectField", jfrtest.Of("name", jfrtest.StringClass))
	b.Class("jdk.types.Reference", jfrtest.Const("field", "jdk.types.OldObjectField"),
		jfrtest.Const("object", "jdk.types.OldObject"), jfrtest.Of("skip", "int"))
	b.Constant("jdk.types.OldObjectField", 1, "next")
	b.Constant("jdk.types.OldObject", 1, 1, "first", 1)
	b.Constant("jdk.types.OldObject", 2, 1, nil, 2)
	b.Constant("jdk.types.Reference", 1, 1, 2, 3)
	b.Constant("jdk.types.Reference", 2, 1, 1, 0)
	emit(b, []any{-1, 1}, jfrtest.Of("arrayElements", "int"), jfrtest.Const("f", "jdk.types.OldObject"))
	assert.Equal(t, eventText("  arrayElements = -1\n  f =  [\n    a.B first\n    ...\n    next : a.B\n    next : a.B first\n  ]\n"),
		textOf(t, b, print.Options{}))
}

func TestTextOfAnObjectWithoutLength(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("jdk.types.OldObject", jfrtest.Const("type", "java.lang.Class"))
	b.Constant("jdk.types.OldObject", 1, 0)
	emit(b, []any{1}, jfrtest.Const("f", "jdk.types.OldObject"))
	assert.Equal(t, eventText("  f =  [\n      ]\n"), textOf(t, b, print.Options{}))
}

// TestTextOfDamage changes bytes of recordings: whatever that makes of them, all that
// can be read is written.
func TestTextOfDamage(t *testing.T) {
	for _, name := range []string{"jdk25-kinds.jfr", "jdk25-oldobjects.jfr", "jdk25-virtual.jfr"} {
		good, err := os.ReadFile("../../testdata/" + name)
		require.NoError(t, err)
		r := rand.New(rand.NewPCG(3, 4))
		var out counter
		for range longtest.Cases(6, 100) {
			bad := bytes.Clone(good)
			for range 1 + r.IntN(5) {
				bad[68+r.IntN(len(bad)-68)] = byte(r.IntN(256))
			}
			rec, err := mmapjfr.OpenBytes(bad)
			require.NoError(t, err)
			for _, f := range []print.Format{print.Text, print.Exact} {
				assert.NoError(t, print.Write(t.Context(), &out, []*mmapjfr.Recording{rec}, print.Options{Format: f, StackDepth: 64}))
			}
			rec.Close()
		}
		assert.Greater(t, out.n, int64(len(good)))
	}
}
