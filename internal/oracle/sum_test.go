package oracle_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/oracle"
)

func TestSumIgnoresOrderAndCountsDuplicates(t *testing.T) {
	sum := func(texts ...string) (s oracle.Sum) {
		for _, text := range texts {
			s.Add([]byte(text))
		}
		return s
	}
	assert.Equal(t, sum("a", "b", "c"), sum("c", "a", "b"))
	assert.Equal(t, sum("a", "b", "c"), sum("a").Plus(sum("b", "c")))
	assert.NotEqual(t, sum("a", "b"), sum("a", "b", "b"))
	assert.NotEqual(t, sum("a", "a"), sum("b", "b"), "pairs must not cancel out")
	assert.NotEqual(t, sum(), sum(""))
	assert.Equal(t, uint64(3), sum("a", "b", "c").N)
}

func TestSumIsSHA256(t *testing.T) {
	var s oracle.Sum
	s.Add([]byte("abc"))
	assert.Equal(t, "1 ba7816bf8f01cfea414140de5dae2223", s.String())
}

func TestSumAddDoesNotAllocate(t *testing.T) {
	var s oracle.Sum
	text := []byte(`{"type":"a"}`)
	assert.Zero(t, testing.AllocsPerRun(100, func() { s.Add(text) }))
}

func TestMultisetDiff(t *testing.T) {
	want := multiset("a", "1", "a", "2", "b", "1", "c", "1")
	got := multiset("a", "1", "a", "3", "c", "1", "c", "1", "d", "1")
	assert.Equal(t, `a: 2 events as wanted, but some of them differ
b: want 1 events, got none
c: want 1 events, got 2
d: want no events, got 1
`, want.Diff(got))
	assert.Empty(t, want.Diff(multiset("c", "1", "a", "2", "b", "1", "a", "1")))
	assert.Equal(t, uint64(4), want.Len())

	want.AddAll(multiset("c", "1", "d", "1"))
	assert.Equal(t, "a: 2 events as wanted, but some of them differ\nb: want 1 events, got none\n", want.Diff(got))
}

func TestMultisetTypeWithoutEventsIsAbsent(t *testing.T) {
	assert.Empty(t, oracle.Multiset{"a": {}}.Diff(nil))
}

func TestClassesDiff(t *testing.T) {
	want, got := oracle.Classes{}, oracle.Classes{}
	for _, text := range []string{"one", "two", "one"} {
		want.Add("a", []byte(text))
	}
	got.Add("a", []byte("two"))
	assert.Len(t, want["a"], 2, "the same block counts once")
	assert.Contains(t, want.Diff(got), "a: want blocks [")
	got.Add("a", []byte("one"))
	assert.Empty(t, want.Diff(got))
	want.Add("b", []byte("x"))
	got.Add("c", []byte("x"))
	assert.Equal(t, "b: missing\nc: not wanted\n", want.Diff(got))
	got.AddAll(want)
	want.AddAll(got)
	assert.Empty(t, want.Diff(got))
}

func TestDiffClassesComparesWhatTheJDKPrinted(t *testing.T) {
	a := oracle.Account{Classes: oracle.Classes{"a": {1}}}
	got := oracle.Classes{"a": {1}, "b": {2}}
	assert.Equal(t, "b: not wanted\n", a.DiffClasses(got))
	a.Chunks = []oracle.ChunkAnswer{{MetadataRefused: "crash"}}
	assert.Empty(t, a.DiffClasses(got))
	assert.Equal(t, "a: missing\n", a.DiffClasses(oracle.Classes{"b": {2}}))
	assert.Len(t, got, 2, "got is left alone")
}

func TestDiffTexts(t *testing.T) {
	assert.Empty(t, oracle.DiffTexts(map[string]int{"a": 2}, map[string]int{"a": 2}, 5))
	diff := oracle.DiffTexts(map[string]int{"same": 1, `{"x":1}`: 2}, map[string]int{"same": 1, `{"x":1}`: 1, `{"x":2}`: 1}, 5)
	assert.Equal(t, `1 only wanted, 1 only got
- {"x":1}
+ {"x":2}
  want ...{"x":1}
   got ...{"x":2}
`, diff)
	assert.Equal(t, "3 only wanted, 0 only got\n- a\n- a\n", oracle.DiffTexts(map[string]int{"a": 3}, nil, 2))
}

// multiset makes one of pairs of type and text.
func multiset(pairs ...string) oracle.Multiset {
	m := oracle.Multiset{}
	for i := 0; i < len(pairs); i += 2 {
		m.Add(pairs[i], []byte(pairs[i+1]))
	}
	return m
}
