package constants_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/constants"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// forms calls do with an empty chunk of either form.
func forms(t *testing.T, do func(t *testing.T, b *jfrtest.Builder)) {
	t.Run("compressed", func(t *testing.T) { do(t, jfrtest.NewChunk()) })
	t.Run("raw", func(t *testing.T) { do(t, jfrtest.NewChunk().Uncompressed()) })
}

// ref is a constant as tests name it.
type ref struct {
	class string
	key   int64
}

func refs(list []constants.Constant) (names []ref) {
	for _, c := range list {
		names = append(names, ref{c.Type.Name(), c.Key})
	}
	return names
}

// All the ways in which a value can refer to a constant.
func TestUnusedFollowsEveryKindOfReference(t *testing.T) {
	forms(t, func(t *testing.T, b *jfrtest.Builder) {
		for _, name := range []string{"A", "B", "C", "D", "E", "F"} {
			b.Class("test."+name, jfrtest.Of("n", "int"))
			b.Constant("test."+name, 1, 1)
			b.Constant("test."+name, 2, 2)
		}
		b.Class("test.Inline", jfrtest.Of("n", "int"), jfrtest.Const("b", "test.B"), jfrtest.Of("text", jfrtest.StringClass))
		b.Class("test.Outer", jfrtest.Of("inline", "test.Inline").Array(), jfrtest.Of("texts", jfrtest.StringClass).Array())
		b.Class("test.Deep", jfrtest.Const("e", "test.E").Array(), jfrtest.Const("next", "test.Deep"), jfrtest.Of("outer", "test.Outer").Array())
		for key := 10; key < 20; key++ {
			b.Constant(jfrtest.StringClass, key, "text")
		}
		inline := func(key int64, text any) jfrtest.Inline { return jfrtest.Inline{7, key, text} }
		// A ring, and an end; and one that nobody uses but itself.
		b.Constant("test.Deep", 1, []any{int64(1)}, int64(2), []any{jfrtest.Inline{[]any{inline(99, jfrtest.Pooled(15))}, []any{jfrtest.Pooled(16), "plain"}}})
		b.Constant("test.Deep", 2, []any{}, int64(1), []any{})
		b.Constant("test.Deep", 3, []any{int64(2)}, int64(3), []any{})
		event := b.Event("test.Event",
			jfrtest.Const("a", "test.A"), jfrtest.Of("inline", "test.Inline"), jfrtest.Const("cs", "test.C").Array(),
			jfrtest.Of("inlines", "test.Inline").Array(), jfrtest.Of("text", jfrtest.StringClass),
			jfrtest.Of("texts", jfrtest.StringClass).Array(), jfrtest.Const("deep", "test.Deep"), jfrtest.Of("last", "int"))
		b.Event("test.Plain", jfrtest.Of("n", "int"))
		b.Emit(event, int64(0), int64(1), inline(0, jfrtest.Pooled(10)), []any{int64(1), int64(77)}, []any{inline(1, "x"), inline(0, jfrtest.Pooled(11))},
			jfrtest.Pooled(12), []any{"a", jfrtest.Pooled(13), jfrtest.Null{}}, int64(1), 5)
		rec := openBytes(t, b.Bytes())
		assert.ElementsMatch(t, []ref{
			{"test.A", 2}, {"test.B", 2}, {"test.C", 2}, {"test.D", 1}, {"test.D", 2}, {"test.E", 2}, {"test.F", 1}, {"test.F", 2},
			{"test.Deep", 3}, {jfrtest.StringClass, 14}, {jfrtest.StringClass, 17}, {jfrtest.StringClass, 18}, {jfrtest.StringClass, 19},
		}, refs(all(t, constants.Unused(t.Context(), rec, nil))))
	})
}

// Keys mean nothing outside their chunk, and the first of two with one key counts.
func TestUnusedOfChunksAndCopies(t *testing.T) {
	chunk := func(used int64) *jfrtest.Builder {
		b := jfrtest.NewChunk()
		b.Class("test.A", jfrtest.Of("n", "int"))
		event := b.Event("test.Event", jfrtest.Const("a", "test.A"))
		first := b.Checkpoint(0)
		first.Add("test.A", 1, 1)
		first.Add("test.A", 2, 2)
		second := b.Checkpoint(0)
		second.Pool("test.A").Add(1, 100)
		second.Pool("test.A").Add(1, 101)
		b.Emit(event, int64(0), used)
		return b
	}
	data, _ := jfrtest.Concat(chunk(1), chunk(2))
	rec := openBytes(t, data)
	unused := all(t, constants.Unused(t.Context(), rec, nil))
	require.Len(t, unused, 2)
	assert.Equal(t, []int64{2, 1}, []int64{unused[0].Key, unused[1].Key})
	assert.Equal(t, []int{0, 1}, []int{unused[0].Chunk.Number(), unused[1].Chunk.Number()})
	assert.EqualValues(t, 1, unused[1].Value().Get(mmapjfr.Path("n")).Int())

	var table constants.Table
	require.NoError(t, table.Add(rec, func(t mmapjfr.Type) bool { return t.SimpleName() == "A" }))
	require.Len(t, table.Pools(), 1)
	pool := table.Pools()[0]
	assert.NotZero(t, pool.Bytes)
	pool.Bytes = 0
	assert.Equal(t, constants.Pool{Type: "test.A", Constants: 4, Copies: 4, Checkpoints: 4}, pool)
	require.NoError(t, table.Add(rec, func(mmapjfr.Type) bool { return false }))
	assert.Len(t, table.Pools(), 1)
}

func TestDuplicatesOfEveryKind(t *testing.T) {
	forms(t, func(t *testing.T, b *jfrtest.Builder) {
		b.Class("test.Text", jfrtest.Of("text", jfrtest.StringClass))
		b.Class("test.Pair", jfrtest.Const("left", "test.Text"), jfrtest.Const("right", "test.Pair"), jfrtest.Of("n", "int"))
		b.Class("test.List", jfrtest.Const("pairs", "test.Pair").Array())
		for key, text := range []string{1: "a", 2: "b", 3: "a", 4: ""} {
			if key > 0 {
				b.Constant("test.Text", key, text)
			}
		}
		b.Constant("test.List", 1, []any{int64(1), int64(3)})
		b.Constant("test.List", 2, []any{int64(2), int64(3)})
		b.Constant("test.List", 3, []any{int64(3), int64(1)})
		b.Constant("test.Pair", 5, int64(1), int64(4), 7) // leads to one after it
		b.Constant("test.Pair", 1, int64(1), int64(0), 7)
		b.Constant("test.Pair", 2, int64(3), int64(0), 7)   // says what 1 does by what it leads to
		b.Constant("test.Pair", 3, int64(2), int64(0), 7)   // says something else
		b.Constant("test.Pair", 4, int64(1), int64(2), 7)   // leads on to another
		b.Constant("test.Pair", 6, int64(3), int64(1), 7)   // says what 4 does
		b.Constant("test.Pair", 7, int64(3), int64(6), 7)   // says what 5 does
		b.Constant("test.Pair", 8, int64(1), int64(8), 7)   // leads to itself
		b.Constant("test.Pair", 9, int64(1), int64(99), 7)  // leads nowhere
		b.Constant("test.Pair", 10, int64(3), int64(99), 7) // says what 9 does
		rec := openBytes(t, b.Bytes())
		var got [][]ref
		for _, g := range all(t, constants.Duplicates(t.Context(), rec, nil)) {
			got = append(got, refs(g.Constants))
		}
		assert.ElementsMatch(t, [][]ref{
			{{"test.Text", 1}, {"test.Text", 3}},
			{{"test.Pair", 1}, {"test.Pair", 2}},
			{{"test.Pair", 4}, {"test.Pair", 6}},
			{{"test.Pair", 5}, {"test.Pair", 7}},
			{{"test.Pair", 9}, {"test.Pair", 10}},
			{{"test.List", 1}, {"test.List", 2}},
		}, got)
	})
}

// Long chains come to an end, after a bounded time.
func TestDuplicatesOfLongChains(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.Link", jfrtest.Const("next", "test.Link"), jfrtest.Of("n", "int"))
	const links = 3000
	for chain := range int64(2) {
		for i := range int64(links) {
			next := i + 1
			if next == links {
				next = -12345
			} else {
				next += chain * links
			}
			b.Constant("test.Link", 1+i+chain*links, next+1, int(i))
		}
	}
	groups := all(t, constants.Duplicates(t.Context(), openBytes(t, b.Bytes()), nil))
	assert.GreaterOrEqual(t, len(groups), 32)
}

func TestStopsWhenTheContextIsCancelled(t *testing.T) {
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	rec := open(t, "jdk25-profile.jfr")
	var errs []error
	for _, err := range constants.Unused(ctx, rec, nil) {
		errs = append(errs, err)
	}
	for _, err := range constants.Duplicates(ctx, rec, nil) {
		errs = append(errs, err)
	}
	assert.Equal(t, []error{reason, reason}, errs)
}

// A loop may end anywhere.
func TestLoopsEnd(t *testing.T) {
	rec := open(t, "jdk25-chunks.jfr")
	n := 0
	for range constants.All(rec, nil) {
		if n++; n == 5 {
			break
		}
	}
	for range constants.Unused(t.Context(), rec, nil) {
		n++
		break
	}
	for range constants.Duplicates(t.Context(), rec, nil) {
		n++
		break
	}
	assert.Equal(t, 7, n)
}

func TestToldWhenClosed(t *testing.T) {
	rec := open(t, "jdk25-chunks.jfr")
	require.NoError(t, rec.Close())
	n := 0
	for _, err := range constants.All(rec, nil) {
		require.ErrorIs(t, err, mmapjfr.ErrClosed)
		n++
	}
	for _, err := range constants.Unused(t.Context(), rec, nil) {
		require.ErrorIs(t, err, mmapjfr.ErrClosed)
		n++
	}
	for _, err := range constants.Duplicates(t.Context(), rec, nil) {
		require.ErrorIs(t, err, mmapjfr.ErrClosed)
		n++
	}
	assert.Equal(t, 9, n)
	var table constants.Table
	assert.ErrorIs(t, table.Add(rec, nil), mmapjfr.ErrClosed)
}

// Damage is reported, and no damaged byte does harm.
func TestDamage(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.A", jfrtest.Of("text", jfrtest.StringClass), jfrtest.Const("a", "test.A").Array())
	event := b.Event("test.Event", jfrtest.Const("a", "test.A"), jfrtest.Of("text", jfrtest.StringClass))
	for key := range int64(10) {
		b.Constant("test.A", key, jfrtest.Pooled(key), []any{key, key / 2, key + 1})
		b.Constant(jfrtest.StringClass, key, "text")
		b.Emit(event, int64(0), key, jfrtest.Pooled(key))
	}
	sound, layout := b.Build()
	told := 0
	for at := layout.Events[0].Offset; at < layout.Checkpoints[0].End(); at += int64(longtest.Cases(3, 1)) {
		for _, bits := range []byte{0x01, 0x80, 0xff} {
			data := append([]byte(nil), sound...)
			data[at] ^= bits
			rec, err := mmapjfr.OpenBytes(data, mmapjfr.Workers(1))
			if err != nil {
				continue
			}
			var table constants.Table
			if table.Add(rec, nil) != nil {
				told++
			}
			for c, err := range constants.All(rec, nil) {
				if err == nil {
					_ = constants.Text(c.Value())
				}
			}
			for range constants.Unused(t.Context(), rec, nil) {
			}
			for range constants.Duplicates(t.Context(), rec, nil) {
			}
			rec.Close()
		}
	}
	assert.Positive(t, told)
}

func TestText(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	texts := map[string][]string{}
	for c, err := range constants.All(rec, nil) {
		require.NoError(t, err)
		name := c.Type.SimpleName()
		texts[name] = append(texts[name], constants.Text(c.Value()))
	}
	assert.Contains(t, texts["Class"], "java.lang.String")
	assert.Contains(t, texts["Method"], "java.util.concurrent.ForkJoinPool.<clinit>()V")
	assert.Contains(t, texts["Thread"], "main (#3)")
	assert.Contains(t, texts["Thread"], "VM Thread (os 14043)")
	assert.Contains(t, texts["StackTrace"], "java.util.concurrent.ForkJoinPool.<clinit>()V:4398, 10 frames")
	assert.Contains(t, texts["ClassLoader"], "app (jdk.internal.loader.ClassLoaders$AppClassLoader)")
	assert.Contains(t, texts["ClassLoader"], "bootstrap")
	assert.Contains(t, texts["ClassLoader"], "gen.Loaders$OwnLoader")
	assert.Contains(t, texts["Package"], "java/util/concurrent")
	assert.Contains(t, texts["Module"], "java.base")
	assert.Contains(t, texts["ThreadGroup"], "system")
	assert.Contains(t, texts["Symbol"], "forEachRemaining")
	assert.Contains(t, texts["FrameType"], "Interpreted")
	assert.Contains(t, texts["StackTrace"], "gen.Stacks.here(Ljava/lang/String;I)V:109, 512 or more frames")
	assert.Contains(t, texts["StackTrace"], "gen.Profile.main([Ljava/lang/String;)V:28, 1 frame")
	assert.Contains(t, texts["OldObject"][0], "{address: ")
}
