// Package leaktest tells tests what the program still has that it should have given back:
// descriptors, maps of files, and goroutines. What cannot be asked on a platform is not told.
package leaktest

import (
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"
)

// Held is what the program has at a moment: each thing by its name, and how often.
type Held map[string]int

// goroutines is what they are called.
const goroutines = "goroutine"

// Now returns what the program has now.
func Now(t testing.TB) Held {
	t.Helper()
	h := Held{goroutines: runtime.NumGoroutine()}
	h.addFiles(t)
	return h
}

// Since returns what the program has now and had not before, in order.
func (before Held) Since(t testing.TB) (list []string) {
	t.Helper()
	now := Now(t)
	for _, what := range slices.Sorted(maps.Keys(now)) {
		for range now[what] - before[what] {
			list = append(list, what)
		}
	}
	return list
}

// Check fails the test if do leaves anything open. The collector, which closes files that
// were forgotten, does not run meanwhile. Goroutines may take a moment to end.
func Check(t testing.TB, do func()) {
	t.Helper()
	collect(func() []string {
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		before := Now(t)
		do()
		return await(func() []string { return before.Since(t) })
	}, t)
}

// CheckForgotten fails the test if what do has left behind is still there when the collector
// has run.
func CheckForgotten(t testing.TB, do func()) {
	t.Helper()
	collect(func() []string {
		before := Now(t)
		do()
		return await(func() []string {
			runtime.GC()
			return before.Since(t)
		})
	}, t)
}

// collect begins without anything that others have forgotten, and fails if something is left.
func collect(left func() []string, t testing.TB) {
	t.Helper()
	runtime.GC()
	runtime.GC() // what the finalizers of the first one have let go
	if list := left(); len(list) > 0 {
		t.Errorf("it is still there: %q", list)
	}
}

// patience is for how long what is to go may be there.
var patience = time.Minute

// await asks until there is nothing, or for as long as that.
func await(left func() []string) (list []string) {
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if list = left(); len(list) == 0 || time.Now().After(end) {
			return list
		}
	}
}
