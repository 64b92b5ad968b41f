package oracle_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/oracle"
)

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

// multiset makes one of pairs of type and text.
func multiset(pairs ...string) oracle.Multiset {
	m := oracle.Multiset{}
	for i := 0; i < len(pairs); i += 2 {
		m.Add(pairs[i], []byte(pairs[i+1]))
	}
	return m
}
