package batch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nothing is a question whose answers are empty, so that parts alone cost something.
type nothing struct{}

func (nothing) Text() string                     { return "nothing" }
func (nothing) newAnswer() answer                { return nothing{} }
func (nothing) unmarshal([]byte) (answer, error) { return nothing{}, nil }
func (nothing) isDivisible() bool                { return true }
func (nothing) fits(*section) []Fit              { return nil }
func (nothing) add(*section) error               { return nil }
func (nothing) merge(answer) error               { return nil }
func (nothing) MarshalBinary() ([]byte, error)   { return nil, nil }

// items returns partial results of one part each, by chance in any order: of small objects, and of ranges of large ones.
func items(n int) []*Partial {
	list := make([]*Partial, n)
	for i := range list {
		part := Part{Object: fmt.Sprintf("s3://bucket/service=shop/date=2026-11-20/host/%07d.jfr", i), Version: "etag"}
		if i%3 == 0 {
			part = Part{Object: fmt.Sprintf("s3://bucket/large/%d.jfr", i/30), Version: "etag", From: uint64(i / 3 % 10 * 64), To: uint64(i/3%10*64 + 64)}
		}
		list[i] = &Partial{Question: "nothing", parts: byObject([]Part{part}), answer: nothing{}}
		if i%5 == 0 {
			list[i].damage = []Damage{{Object: part.Object, Error: "damaged"}}
		}
	}
	r := rand.New(rand.NewPCG(1, uint64(n)))
	r.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// TestMergingInAnyTree merges parts in trees drawn by chance, and one after the other. The bytes are the same.
func TestMergingInAnyTree(t *testing.T) {
	var want []byte
	for seed := range uint64(20) {
		list, r := items(500), rand.New(rand.NewPCG(seed, 2))
		for len(list) > 1 {
			i, j := r.IntN(len(list)), len(list)-1
			if seed == 0 {
				i = 0
			}
			if i == j {
				continue
			}
			require.NoError(t, list[i].Merge(list[j]))
			list = list[:j]
		}
		data, err := list[0].MarshalBinary()
		require.NoError(t, err)
		if want == nil {
			want = data
		}
		require.Equal(t, string(want), string(data), seed)
		assert.Len(t, list[0].Parts(), 500)
		assert.Len(t, list[0].Damage(), 83, "several ranges of an object have the same")
		read, err := Unmarshal(data, nothing{})
		require.NoError(t, err)
		assert.Equal(t, list[0].Parts(), read.Parts())
		require.NoError(t, read.Merge(list[0]), "twice")
		assert.Len(t, read.Parts(), 500)
	}
}

// TestRangesAreNotTooMany divides objects whose sizes nobody has checked.
func TestRangesAreNotTooMany(t *testing.T) {
	list := slices.Repeat([]Object{{Size: maxSize}}, 1000)
	for _, size := range []int64{1, 1 << 20, defaultSize, maxSize, math.MaxInt64} {
		step := divided(list, size)
		assert.GreaterOrEqual(t, step, size)
		assert.LessOrEqual(t, maxSize/step*1000, int64(maxItems))
		assert.Less(t, maxSize/divided(list[:1], size), int64(maxRanges))
	}
	assert.EqualValues(t, defaultSize, divided(slices.Repeat([]Object{{Size: 100 * defaultSize}}, 10_000), defaultSize))
	for _, wrong := range []int64{-1, maxSize + 1, math.MaxInt64, math.MinInt64} {
		items := Plan(nothing{}, []Object{{Name: "a.jfr", Size: wrong}, {Name: "b.jfr", Size: 1}}, PlanOptions{CanDivide: func(Object) bool { return true }})
		require.Len(t, items, 2)
		assert.Equal(t, []Part{{Object: "b.jfr"}}, items[0].Parts)
		assert.Empty(t, items[1].Parts)
		assert.Contains(t, items[1].Unlisted[0].Error, "recordings have at most 1099511627776 here")
	}
}

// TestPartsThatOverlapAreRefused compares with each part of many.
func TestPartsThatOverlapAreRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	draw := func() Part {
		p := Part{Object: fmt.Sprint(r.IntN(4)), Version: "a", From: uint64(r.IntN(40))}
		p.To = p.From + 1 + uint64(r.IntN(6))
		if r.IntN(20) == 0 {
			p.To = 0
		}
		if r.IntN(30) == 0 {
			p.Version = "b"
		}
		return p
	}
	isApart := func(a, b Part) bool {
		return a.Object != b.Object || a.Version == b.Version && (a.To != 0 && a.To <= b.From || b.To != 0 && b.To <= a.From)
	}
	taken := 0
	for range 200 {
		sum := &Partial{answer: nothing{}}
		for range 40 {
			p := draw()
			want := !slices.ContainsFunc(sum.Parts(), func(o Part) bool { return !isApart(o, p) })
			one := slices.Equal(sum.Parts(), []Part{p})
			err := sum.Merge(&Partial{answer: nothing{}, parts: byObject([]Part{p})})
			assert.Equal(t, want || one, err == nil, "%v to %v: %v", p, sum.Parts(), err)
			if want {
				taken++
			} else if err != nil {
				require.ErrorIs(t, err, ErrMixed)
			}
		}
	}
	assert.Greater(t, taken, 2000)
}

func BenchmarkMerge(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000, 40_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				list := items(n)
				b.StartTimer()
				for _, p := range list[1:] {
					require.NoError(b, list[0].Merge(p))
				}
				require.Len(b, list[0].Parts(), n)
			}
		})
	}
}
