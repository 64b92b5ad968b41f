package verify_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// bad builds a chunk of a number of events, many of which something is wrong with.
func bad(events int) *jfrtest.Builder {
	b, ty := plain()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range events {
		switch random.IntN(50) {
		case 0:
			b.Emit(ty, soon, 0, 1000+i, 1, "x") // which dangles
		case 1:
			b.EmitRaw(jfrtest.EventOptions{}, ty.ID, nil)
		case 2:
			b.EmitRaw(jfrtest.EventOptions{}, 4711, []byte{1, 2, 3})
		case 3:
			b.EmitWith(jfrtest.EventOptions{Trailing: []byte{1}}, ty, soon, -5, 1, 1, jfrtest.UTF8("\xff"))
		case 4:
			c := b.Checkpoint(0x80)
			c.Add("jdk.types.Symbol", 1, fmt.Sprint(i))
			c.Trailing = []byte{7}
		default:
			b.Emit(ty, soon, 0, 1, i, "an event that nothing is wrong with")
		}
	}
	return b
}

// TestWorkers gives the same report whatever the number of workers.
func TestWorkers(t *testing.T) {
	var chunks []*jfrtest.Builder
	for i := range 40 {
		chunks = append(chunks, bad(50*i))
	}
	many, _ := jfrtest.Concat(chunks...)
	all := append(recordings(t), recording{"large", bad(longtest.Cases(20_000, 60_000)).Bytes()}, recording{"many", many})
	for _, d := range cases(t) {
		all = append(all, recording{d.kind.String() + "/" + d.name, d.data})
	}
	for _, rec := range all {
		t.Run(rec.name, func(t *testing.T) {
			want := check(t, rec.data, 1, verify.MaxFindings(4))
			for range longtest.Cases(1, 3) {
				require.Equal(t, want, check(t, rec.data, 8, verify.MaxFindings(4)))
			}
		})
	}
}

// TestVeryManyWorkers asks for more than memory can hold.
func TestVeryManyWorkers(t *testing.T) {
	data := bad(1000).Bytes()
	require.Equal(t, check(t, data, 1), check(t, data, math.MaxInt32))
}

// TestOrder has findings in the order that is documented.
func TestOrder(t *testing.T) {
	data, _ := jfrtest.Concat(bad(1000), bad(2000))
	r := check(t, data, 2)
	at := 0
	for i, g := range r.Groups {
		if i > 0 {
			before := r.Groups[i-1]
			ordered := before.Chunk < g.Chunk || before.Chunk == g.Chunk && (before.Kind.Severity() > g.Kind.Severity() ||
				before.Kind.Severity() == g.Kind.Severity() && before.Kind < g.Kind)
			assert.True(t, ordered, "%+v and %+v", before, g)
		}
		require.Equal(t, int(min(g.Count, 10)), g.Listed)
		for j, f := range r.Findings[at : at+g.Listed] {
			assert.Equal(t, g.Kind, f.Kind)
			assert.Equal(t, g.Chunk, f.Chunk)
			assert.True(t, j == 0 || r.Findings[at+j-1].Offset <= f.Offset)
		}
		at += g.Listed
	}
	assert.Len(t, r.Findings, at)
	total := uint64(0)
	for _, c := range r.Counts {
		sum := uint64(0)
		for _, g := range r.Groups {
			if g.Kind == c.Kind {
				sum += g.Count
			}
		}
		assert.Equal(t, c.Count, sum, "%s", c.Kind)
		total += sum
	}
	assert.Equal(t, total, r.Count(verify.Note)+r.Count(verify.Warning)+r.Count(verify.Error))
	assert.False(t, r.OK(verify.Error))
	assert.False(t, r.OK(verify.Note))
}

func TestMax(t *testing.T) {
	data := bad(3000).Bytes()
	all := check(t, data, 2, verify.MaxFindings(1_000_000))
	for _, most := range []int{0, 1, 10, 25} {
		r := check(t, data, 2, verify.MaxFindings(most))
		assert.Equal(t, all.Counts, r.Counts)
		listed := map[verify.Kind][]verify.Finding{}
		for _, f := range r.Findings {
			listed[f.Kind] = append(listed[f.Kind], f)
		}
		for _, c := range r.Counts {
			var want []verify.Finding
			for _, f := range all.Findings {
				if f.Kind == c.Kind && len(want) < most {
					want = append(want, f)
				}
			}
			assert.Equal(t, want, listed[c.Kind], "%s", c.Kind)
		}
	}
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	_, err = verify.Check(t.Context(), rec, verify.MaxFindings(-1))
	assert.ErrorContains(t, err, "-1")
}

// TestManyChunks lists the findings of no more chunks than anybody reads.
func TestManyChunks(t *testing.T) {
	b := jfrtest.NewEmptyChunk()
	b.Header.Minor = 9
	one := b.Bytes()
	var data []byte
	for range 1200 {
		data = append(data, one...)
	}
	r := check(t, data, 2)
	assert.Equal(t, uint64(1200), kindsOf(r)[verify.MinorVersion])
	listed := 0
	for _, g := range r.Groups {
		if g.Kind == verify.MinorVersion {
			listed++
		}
	}
	assert.Equal(t, 1000, listed)
}

func TestProgress(t *testing.T) {
	first, _ := plain()
	junk := append(first.Bytes(), "junk between and "...)
	data := append(append(junk, bad(20_000).Bytes()...), " after"...)
	zeros, ty := plain()
	zeros.EmitRaw(jfrtest.EventOptions{Size: new(int64(0))}, ty.ID, make([]byte, 1000))
	live := recordings(t)
	for _, data := range [][]byte{data, zeros.Bytes(), live[0].data, changed(func(h *jfrtest.Header) { h.State = 5 })} {
		var sum atomic.Uint64
		check(t, data, 3, verify.Progress(func(n uint64) { sum.Add(n) }), verify.Progress(nil))
		assert.Equal(t, uint64(len(data)), sum.Load())
	}
}

func TestCancel(t *testing.T) {
	rec, err := mmapjfr.OpenBytes(bad(60_000).Bytes(), mmapjfr.Workers(2))
	require.NoError(t, err)
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	calls := atomic.Int64{}
	_, err = verify.Check(ctx, rec, verify.Progress(func(uint64) {
		switch n := calls.Add(1); {
		case n == 2:
			cancel(reason)
		case n > 2: // the other worker waits for the one that cancels
			<-ctx.Done()
		}
	}))
	require.ErrorIs(t, err, reason)
	assert.Less(t, calls.Load(), int64(8))
	require.NoError(t, rec.Close())
	_, err = verify.Check(t.Context(), rec)
	require.ErrorIs(t, err, mmapjfr.ErrClosed)
}

// TestMemory allocates about as often for ten times as many events.
func TestMemory(t *testing.T) {
	allocs := func(events int) float64 {
		b, ty := plain()
		for i := range events {
			b.Emit(ty, soon, 0, 1, i, "text")
			if i%3 == 0 {
				b.Emit(ty, soon, 0, 99, i, "text") // which dangles
			}
		}
		data := b.Bytes()
		return testing.AllocsPerRun(2, func() { check(t, data, 1) })
	}
	few, many := allocs(5_000), allocs(longtest.Cases(25_000, 200_000))
	assert.Less(t, many, few+100)
}

// TestPrefixes cuts a recording at every byte: that is always told.
func TestPrefixes(t *testing.T) {
	b, _ := plain()
	data := b.Bytes()
	for n := range data {
		rec, err := mmapjfr.OpenBytes(data[:n])
		if err != nil {
			_, ok := verify.FromOpenError(err)
			require.True(t, ok)
			continue
		}
		r, err := verify.Check(t.Context(), rec)
		require.NoError(t, err)
		require.Equal(t, uint64(1), kindsOf(r)[verify.TruncatedChunk], "%d bytes: %+v", n, r.Findings)
	}
}

// TestBitFlips turns every bit of a small recording. That must do no harm, and where
// it makes an event, a checkpoint or metadata unreadable it must be told.
func TestBitFlips(t *testing.T) {
	data := small().Bytes()
	require.Empty(t, check(t, data, 1).Findings)
	told := 0
	for i := range data {
		for bit := range 8 {
			data[i] ^= 1 << bit
			rec, err := mmapjfr.OpenBytes(data)
			if err != nil {
				told++
			} else {
				r, err := verify.Check(t.Context(), rec)
				require.NoError(t, err)
				if len(r.Findings) > 0 {
					told++
				} else {
					// Then all can be read that could be read before.
					require.Equal(t, uint64(3), r.Events, "bit %d of byte %#x", bit, i)
				}
			}
			data[i] ^= 1 << bit
		}
	}
	assert.Greater(t, told, len(data)*8/2)
}

// small builds a chunk with few types, so that most bits matter.
func small() *jfrtest.Builder {
	b := jfrtest.NewEmptyChunk()
	for _, name := range []string{"int", "long", jfrtest.StringClass} {
		b.Class(name)
	}
	b.Class("P", jfrtest.Of("x", "int"), jfrtest.Of("s", jfrtest.StringClass))
	b.Class("W", jfrtest.Const("p", "P")).Simple()
	ty := b.Event("E", jfrtest.Of("a", "int").Array(), jfrtest.Of("p", "P"), jfrtest.Const("w", "W"), jfrtest.Of("ps", "P").Array())
	b.Emit(ty, soon, []int{1, 2}, jfrtest.Inline{1, "x"}, 1, []any{jfrtest.Inline{2, nil}})
	b.Emit(ty, soon, nil, jfrtest.Inline{1, jfrtest.Pooled(1)}, 1, nil)
	b.Emit(ty, soon, nil, jfrtest.Inline{1, jfrtest.UTF16("日本")}, 0, nil)
	b.Checkpoint(jfrtest.MaskThread).Add("P", 1, 7, "seven")
	b.Constant("W", 1, 1)
	b.Constant(jfrtest.StringClass, 1, jfrtest.Latin1("ß"))
	return b
}

// TestRaw finds the same whatever the form of integers.
func TestRaw(t *testing.T) {
	want := kindsOf(check(t, bad(2000).Bytes(), 1))
	got := kindsOf(check(t, bad(2000).Uncompressed().Bytes(), 1))
	assert.Equal(t, uint64(1), got[verify.RawIntegers])
	delete(got, verify.RawIntegers)
	assert.Equal(t, want, got)
}

// TestNothings ends soon where there are very many values of no bytes: as many as
// bytes are left in each of very many arrays.
func TestNothings(t *testing.T) {
	b, _ := plain()
	b.Class("test.Nothing")
	b.Class("test.List", jfrtest.Of("nothings", "test.Nothing").Array())
	ty := b.Event("test.Lists", jfrtest.Of("lists", "test.List").Array())
	const lists = 400_000
	body := append([]byte{1}, varint(lists)...)
	for i := range lists {
		body = append(body, varint(max(16384, 3*(lists-i-1)))...)
	}
	b.EmitRaw(jfrtest.EventOptions{SizeWidth: 4}, ty.ID, append(body, make([]byte, 1<<15)...))
	found := kindsOf(check(t, b.Bytes(), 1))
	assert.Equal(t, uint64(1), found[verify.EventTrailingBytes], "%v", found)
}

// TestBehindAFault names fields rightly after a value that broke off inside an array.
func TestBehindAFault(t *testing.T) {
	b, ty := plain()
	b.Class("test.Text", jfrtest.Of("string", jfrtest.StringClass))
	list := b.Event("test.Array", jfrtest.Of("list", "test.Text").Array())
	b.Emit(list, soon, jfrtest.Counted{Count: 1, Values: []any{jfrtest.Inline{jfrtest.UTF8("x").Claiming(9)}}})
	b.Emit(ty, soon, 0, 98, 1, "x")
	b.Checkpoint(0).Add("jdk.types.StackTrace", 1, false, jfrtest.Counted{Count: 2, Values: []any{jfrtest.Inline{0, 0, 0, 0}}})
	b.Emit(ty, soon, 0, 99, 1, "x")
	var texts []string
	for _, f := range check(t, b.Bytes(), 1).Findings {
		texts = append(texts, f.Text)
	}
	assert.Equal(t, []string{
		"constant 1 of 1: frames[1].method does not fit into the 0 bytes that are left",
		"list[0].string does not fit into the 3 bytes that are left",
		"eventThread refers to java.lang.Thread 98",
		"eventThread refers to java.lang.Thread 99",
	}, texts)
}

// FuzzRecording checks arbitrary bytes: nothing may panic, hang, or depend on the
// number of workers.
func FuzzRecording(f *testing.F) {
	f.Add(small().Bytes())
	f.Add(small().Uncompressed().Bytes())
	for _, d := range cases(f) {
		if len(d.data) < 16<<10 {
			f.Add(d.data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := mmapjfr.OpenBytes(data, mmapjfr.Workers(1))
		if err != nil {
			_, ok := verify.FromOpenError(err)
			require.True(t, ok)
			return
		}
		want, err := verify.Check(t.Context(), rec)
		require.NoError(t, err)
		rec, err = mmapjfr.OpenBytes(data, mmapjfr.Workers(3))
		require.NoError(t, err)
		got, err := verify.Check(t.Context(), rec)
		require.NoError(t, err)
		require.Equal(t, want, got)
		for _, x := range got.Findings {
			require.LessOrEqual(t, x.Offset, uint64(len(data)))
			require.NotEmpty(t, x.Text)
		}
	})
}
