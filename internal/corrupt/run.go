package corrupt

import (
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
)

// Run checks cases of each set, on all processors: n that are spread evenly, or all if
// n is 0. It says how many cases of each kind there were.
func Run(t *testing.T, n int, sets []Set, check func(t testing.TB, c Case)) {
	t.Helper()
	workers := runtime.GOMAXPROCS(0)
	var mu sync.Mutex
	ran := make(map[string]int)
	t.Run("cases", func(t *testing.T) {
		for worker := range workers {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				for _, s := range sets {
					count := 0
					for i := range s.Spread(n) {
						if count++; count%workers == worker {
							one(t, s.At(i), check)
						}
					}
					mu.Lock()
					ran[s.Kind] += count / workers
					if count%workers > worker {
						ran[s.Kind]++
					}
					mu.Unlock()
				}
			})
		}
	})
	for _, kind := range slices.Sorted(maps.Keys(ran)) {
		t.Logf("%s: %d cases", kind, ran[kind])
	}
}

// one checks a case, and says which one it was if it fails.
func one(t *testing.T, c Case, check func(t testing.TB, c Case)) {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: %v\n%s", c.Name, p, debug.Stack())
		} else if t.Failed() {
			t.Log(c.Name)
		}
	}()
	check(t, c)
}
