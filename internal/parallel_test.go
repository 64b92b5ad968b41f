package internal_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/parallel"
)

func TestParallelSize(t *testing.T) {
	for _, n := range []int{1, 2, 1000} {
		assert.Equal(t, n, parallel.Workers(n))
	}
	assert.Equal(t, parallel.MaxWorkers, parallel.Workers(math.MaxInt))
	before := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(before)
	for _, n := range []int{0, -1} {
		assert.Equal(t, 3, parallel.Workers(n))
	}
}

// sizes are numbers of workers, 0 standing for as many as there are processors.
var sizes = []int{0, 1, 2, 8, 100}

func TestParallelEachTaskOnce(t *testing.T) {
	for _, workers := range sizes {
		for _, tasks := range []int{0, 1, 2, 7, 100, 1000} {
			t.Run(fmt.Sprintf("%d tasks for %d workers", tasks, workers), func(t *testing.T) {
				most := min(parallel.Workers(workers), tasks)
				done := make([]atomic.Int32, tasks)
				busy := make([]atomic.Int32, most)
				parallel.ForEach(workers, tasks, func(worker, task int) {
					if worker < 0 || worker >= most || task < 0 || task >= tasks {
						t.Errorf("worker %d of %d, task %d of %d", worker, most, task, tasks)
						return
					}
					if busy[worker].Add(1) != 1 {
						t.Errorf("worker %d is two", worker)
					}
					done[task].Add(1)
					runtime.Gosched()
					busy[worker].Add(-1)
				})
				for task := range done {
					assert.Equal(t, int32(1), done[task].Load(), "task %d", task)
				}
			})
		}
	}
}

// Results need no locks where each worker has its own place for them, and where
// they are read when Each has returned. The race detector watches.
func TestParallelEachHappensBefore(t *testing.T) {
	const tasks = 500
	for _, workers := range sizes {
		sums := make([]int, parallel.Workers(workers))
		byTask := make([]int, tasks)
		begin := 1
		parallel.ForEach(workers, tasks, func(worker, task int) {
			sums[worker] += begin
			byTask[task] = worker
		})
		total := 0
		for _, sum := range sums {
			total += sum
		}
		assert.Equal(t, tasks, total)
		assert.Len(t, byTask, tasks)
	}
}

// A task is begun only when those before it have been taken, so no more of them
// can be missing than there are other workers.
func TestParallelEachInOrder(t *testing.T) {
	const tasks = 300
	for _, workers := range []int{1, 2, 8, 100} {
		t.Run(fmt.Sprint(workers, " workers"), func(t *testing.T) {
			var mu sync.Mutex
			began := make([]bool, tasks)
			missing := 0
			last := make([]int, workers)
			for i := range last {
				last[i] = -1
			}
			parallel.ForEach(workers, tasks, func(worker, task int) {
				mu.Lock()
				defer mu.Unlock()
				if task <= last[worker] {
					t.Errorf("worker %d goes back from task %d to %d", worker, last[worker], task)
				}
				last[worker] = task
				began[task] = true
				missing = 0
				for _, b := range began[:task] {
					if !b {
						missing++
					}
				}
				if missing >= workers {
					t.Errorf("task %d begins, and %d before it have not", task, missing)
				}
			})
			if workers == 1 {
				assert.Zero(t, missing)
			}
		})
	}
}

// All workers are at work at once: each waits for the others.
func TestParallelEachIsParallel(t *testing.T) {
	for _, workers := range []int{2, 8, 100} {
		var all sync.WaitGroup
		all.Add(workers)
		seen := make([]atomic.Bool, workers)
		parallel.ForEach(workers, workers, func(worker, _ int) {
			all.Done()
			all.Wait()
			if seen[worker].Swap(true) {
				t.Errorf("worker %d comes twice", worker)
			}
		})
	}
}

// What is on the stack of the caller stays there: one worker is the caller.
func TestParallelEachBeginsNoGoroutineForOneWorker(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, n := range []struct{ workers, tasks int }{{1, 50}, {8, 1}, {100, 1}} {
		parallel.ForEach(n.workers, n.tasks, func(worker, _ int) {
			assert.Zero(t, worker)
			assert.LessOrEqual(t, runtime.NumGoroutine(), before)
		})
	}
}

// failing runs Each and returns what its panic says.
func failing(workers, tasks int, do func(worker, task int)) (p any) {
	defer func() { p = recover() }()
	parallel.ForEach(workers, tasks, do)
	return nil
}

func TestParallelEachPanics(t *testing.T) {
	sentinel := errors.New("broken")
	for _, workers := range sizes {
		for _, at := range []int{0, 1, 50, 99} {
			t.Run(fmt.Sprintf("at %d with %d workers", at, workers), func(t *testing.T) {
				const tasks = 100
				var began, ended, busy atomic.Int32
				got := failing(workers, tasks, func(_, task int) {
					began.Add(1)
					busy.Add(1)
					defer busy.Add(-1)
					if task == at {
						panic(sentinel)
					}
					ended.Add(1)
				})
				assert.Same(t, sentinel, got)
				assert.Zero(t, busy.Load(), "all have ended")
				assert.Equal(t, began.Load()-1, ended.Load(), "only the one did not end")
				assert.GreaterOrEqual(t, began.Load(), int32(at+1), "those before it are begun")
				if workers == 1 {
					assert.Equal(t, int32(at+1), began.Load())
				}
			})
		}
	}
}

// The others end what they are at, and begin nothing more: each worker takes one
// of the first tasks, and when all have been taken the first one breaks.
func TestParallelEachLeavesOutWhatIsNotBegun(t *testing.T) {
	for _, workers := range []int{2, 8} {
		for culprit := range workers {
			var (
				taken        sync.WaitGroup
				broken       = make(chan struct{})
				began, ended atomic.Int32
			)
			taken.Add(workers)
			const tasks = 100_000 // all of them take a minute and a half, if the processors have nothing else to do
			got := failing(workers, tasks, func(_, task int) {
				began.Add(1)
				if task >= workers {
					time.Sleep(time.Millisecond)
					return
				}
				taken.Done()
				taken.Wait()
				if task == culprit {
					defer close(broken)
					panic("broken")
				}
				<-broken
				runtime.Gosched()
				ended.Add(1)
			})
			assert.Equal(t, "broken", got)
			assert.Equal(t, int32(workers-1), ended.Load(), "the others have ended before")
			assert.Less(t, began.Load(), int32(tasks), "tasks are left out")
		}
	}
}

// Of several panics one comes out, whole.
func TestParallelEachPanicsEverywhere(t *testing.T) {
	for _, workers := range sizes {
		got := failing(workers, 100, func(_, task int) { panic(task) })
		require.IsType(t, 0, got)
		assert.Less(t, got, max(parallel.Workers(workers), 1))
	}
	// A fault is an error of the runtime, and stays one.
	for _, workers := range sizes {
		got := failing(workers, 10, func(_, task int) {
			var list []int
			_ = list[task]
		})
		var err runtime.Error
		require.ErrorAs(t, got.(error), &err)
	}
	got := failing(2, 10, func(int, int) { panic(nil) })
	assert.IsType(t, (*runtime.PanicNilError)(nil), got)
}

// panicsOnFault reports whether a fault is a panic in this goroutine.
func panicsOnFault() bool {
	is := debug.SetPanicOnFault(false)
	debug.SetPanicOnFault(is)
	return is
}

func TestParallelEachInheritsPanicOnFault(t *testing.T) {
	before := panicsOnFault()
	defer debug.SetPanicOnFault(before)
	for _, set := range []bool{true, false} {
		for _, workers := range sizes {
			debug.SetPanicOnFault(set)
			var all sync.WaitGroup
			n := max(parallel.Workers(workers), 1)
			all.Add(n)
			var wrong atomic.Int32
			parallel.ForEach(workers, n, func(int, int) {
				all.Done()
				all.Wait() // so that each worker has a task
				if panicsOnFault() != set {
					wrong.Add(1)
				}
			})
			assert.Zero(t, wrong.Load(), "workers that do not see %v", set)
			assert.Equal(t, set, panicsOnFault(), "as it was before")

			// Where a task changes it, that is the affair of its worker.
			if workers > 1 {
				parallel.ForEach(workers, 1000, func(int, int) { debug.SetPanicOnFault(!set) })
				assert.Equal(t, set, panicsOnFault(), "as it was before")
			}
			// And where a task fails.
			assert.Equal(t, "broken", failing(workers, 10, func(_, task int) {
				if task == 5 {
					panic("broken")
				}
			}))
			assert.Equal(t, set, panicsOnFault(), "as it was before")
		}
	}
}

// TestParallelShare: all parts of all tasks are done once, also by workers that help with tasks
// which others have begun.
func TestParallelShare(t *testing.T) {
	const parts = 50
	for _, workers := range sizes {
		for _, tasks := range []int{0, 1, 3, 20} {
			taken, done := make([]atomic.Int32, tasks), make([]atomic.Int32, tasks)
			busy := make([]atomic.Int32, parallel.Workers(workers))
			left := func(task int) bool { return taken[task].Load() < parts }
			parallel.Share(workers, tasks, left, func(worker, task int) {
				assert.Equal(t, int32(1), busy[worker].Add(1), "worker %d is two", worker)
				for taken[task].Add(1) <= parts {
					done[task].Add(1)
					runtime.Gosched()
				}
				busy[worker].Add(-1)
			})
			for task := range done {
				assert.Equal(t, int32(parts), done[task].Load(), "task %d of %d, %d workers", task, tasks, workers)
			}
		}
	}
}

// TestParallelRepeatsMarksPanicsOfOthers: where a panic of another goroutine is handled, the frame
// of [parallel.Repeat] is on the stack.
func TestParallelRepeatsMarksPanicsOfOthers(t *testing.T) {
	marked := func(do func()) (found bool) {
		defer func() {
			assert.Equal(t, "broken", recover())
			var pcs [64]uintptr
			frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
			for more := true; more; {
				var f runtime.Frame
				f, more = frames.Next()
				found = found || parallel.Repeats(f.Function)
			}
		}()
		do()
		return false
	}
	assert.False(t, marked(func() { panic("broken") }))
	assert.True(t, marked(func() { parallel.Repeat("broken") }))
	assert.True(t, marked(func() { parallel.ForEach(2, 2, func(int, int) { panic("broken") }) }))
}
