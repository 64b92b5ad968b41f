// Package parallel lets several goroutines share a list of tasks.
package parallel

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// MaxWorkers is the largest number of workers. More gain nothing, and take memory each.
const MaxWorkers = 1024

// Workers returns how many workers n stands for: n itself, but no more than [MaxWorkers], or as
// many as Go uses processors for if n is not above 0.
func Workers(n int) int {
	if n > 0 {
		return min(n, MaxWorkers)
	}
	return runtime.GOMAXPROCS(0)
}

// ForEach calls do once for each task from 0 to tasks-1, on that many workers at
// most, and returns when all calls have returned. Workers take the tasks in order.
//
// After a panic of do, or a fault of the memory that do reads, no more tasks begin.
// ForEach panics with the same value when the running calls have returned.
func ForEach(workers, tasks int, do func(worker, task int)) {
	workers = min(Workers(workers), tasks)
	if workers <= 1 {
		for task := range tasks {
			do(0, task)
		}
		return
	}
	// Whether a fault is a panic is a property of a goroutine.
	faults := debug.SetPanicOnFault(false)
	debug.SetPanicOnFault(faults)
	var (
		next   atomic.Int64
		failed atomic.Pointer[any]
		wg     sync.WaitGroup
	)
	work := func(worker int) {
		defer func() {
			if p := recover(); p != nil {
				failed.CompareAndSwap(nil, &p)
				next.Store(int64(tasks))
			}
		}()
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(faults))
		for {
			task := int(next.Add(1)) - 1
			if task >= tasks {
				return
			}
			do(worker, task)
		}
	}
	for worker := range workers - 1 {
		wg.Go(func() { work(worker + 1) })
	}
	work(0)
	wg.Wait()
	if p := failed.Load(); p != nil {
		Repeat(*p)
	}
}

// Repeat panics with a value that was recovered from a panic. [Repeats] finds its frame on the
// stack, so that the panic is not taken for one of the caller.
//
//go:noinline
func Repeat(recovered any) { panic(recovered) }

// Repeats reports whether the function of that name is [Repeat].
func Repeats(function string) bool { return function == repeat }

var repeat = runtime.FuncForPC(reflect.ValueOf(Repeat).Pointer()).Name()

// PartSize is how many bytes of a recording a worker takes at a time, where tasks are divided:
// small enough that workers end at about the same time, and large enough that thousands of
// events share the cost of taking a part.
const PartSize = 256 << 10

// Share lets workers share tasks that are done in parts. It calls work with tasks in their
// order, each on one worker; when all tasks have been begun, it calls work with tasks of which
// parts are left, so that several workers share one. Work takes parts of the task until none
// is left. Calls with the same worker never overlap. For panics see [ForEach].
func Share(workers, tasks int, left func(task int) bool, work func(worker, task int)) {
	var begun atomic.Int64
	next := func() int {
		if task := int(begun.Add(1)) - 1; task < tasks {
			return task
		}
		for task := range tasks {
			if left(task) {
				return task
			}
		}
		return tasks
	}
	workers = Workers(workers)
	ForEach(workers, workers, func(worker, _ int) {
		for task := next(); task < tasks; task = next() {
			work(worker, task)
		}
	})
}
