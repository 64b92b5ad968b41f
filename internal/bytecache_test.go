package internal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/bytecache"
)

func TestCacheIsBoundedByBytes(t *testing.T) {
	c := bytecache.Cache[int, string]{Limit: 1000}
	assert.True(t, c.Put(1, "one", 100))
	assert.True(t, c.Put(2, "two", 500))
	assert.True(t, c.Put(3, "three", 5000), "a value that is too large drops no other")
	for key, want := range map[int]string{1: "one", 2: "two", 3: ""} {
		got, ok := c.Values[key]
		assert.Equal(t, want, got)
		assert.Equal(t, want != "", ok)
	}
	assert.False(t, c.Put(4, "four", 300), "there is no room beside the others")
	_, ok := c.Values[1]
	assert.False(t, ok)
	got := c.Values[4]
	assert.Equal(t, "four", got)

	n := 0
	for key := range 100 { // entries have a size, too
		if !c.Put(key, "", 0) {
			n++
		}
	}
	assert.Positive(t, n)

	var zero bytecache.Cache[int, string]
	zero.Put(1, "one", 0)
	assert.Empty(t, zero.Values)
}
