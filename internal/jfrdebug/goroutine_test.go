package jfrdebug_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/jfrdebug"
)

// TestGoroutine asks many goroutines that are there at the same time, before and after they
// have waited for one another and their stacks have grown.
func TestGoroutine(t *testing.T) {
	here := jfrdebug.Goroutine()
	if here == 0 {
		t.Skip("goroutines cannot be told apart in this build")
	}
	const n = 50
	var begun, done sync.WaitGroup
	begun.Add(n)
	var ids [n]uintptr
	for i := range ids {
		done.Go(func() {
			ids[i] = jfrdebug.Goroutine()
			begun.Done()
			begun.Wait()
			assert.NotZero(t, deep(1000))
			assert.Equal(t, ids[i], jfrdebug.Goroutine())
		})
	}
	done.Wait()
	runtime.GC()
	assert.Equal(t, here, jfrdebug.Goroutine())
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
