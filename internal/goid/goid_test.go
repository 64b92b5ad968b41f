package goid_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/goid"
)

// TestCurrent asks many goroutines that are there at the same time, before and after they
// have waited for one another and their stacks have grown.
func TestCurrent(t *testing.T) {
	here := goid.Current()
	if here == 0 {
		t.Skip("goroutines cannot be told apart in this build")
	}
	const n = 50
	var begun, done sync.WaitGroup
	begun.Add(n)
	var ids [n]uintptr
	for i := range ids {
		done.Go(func() {
			ids[i] = goid.Current()
			begun.Done()
			begun.Wait()
			assert.NotZero(t, deep(1000))
			assert.Equal(t, ids[i], goid.Current())
		})
	}
	done.Wait()
	runtime.GC()
	assert.Equal(t, here, goid.Current())
	seen := map[uintptr]bool{here: true}
	for _, id := range ids {
		assert.False(t, seen[id], "two have the same number")
		seen[id] = true
	}
}

func deep(n int) int {
	var room [100]byte
	if n > 0 {
		room[n%100] = byte(deep(n-1) + 1)
	}
	return int(room[n%100]) | 1
}
