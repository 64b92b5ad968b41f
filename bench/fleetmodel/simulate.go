package main

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
)

// Run is what a simulated run took.
type Run struct {
	Tasks    int
	Fetched  float64 // bytes, with what was read twice
	Gets     float64
	Seconds  float64 // until the last task ended
	Busy     float64 // seconds of all cores
	Lost     float64 // seconds of tasks that were lost with their core
	Longest  float64 // seconds of the longest task
	Losses   int
	IdleTail float64 // seconds of cores that waited for the last task
}

// Sizes draws the sizes of the files of a fleet, by a seed. They add up to all bytes.
func Sizes(f Fleet, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	sizes, sum := make([]float64, f.Files), 0.0
	for i := range sizes {
		sizes[i] = math.Exp(f.Sigma * r.NormFloat64())
		sum += sizes[i]
	}
	for i := range sizes {
		sizes[i] *= f.Bytes / sum
	}
	return sizes
}

// tasksOf returns the tasks of files. Small files are packed in their order.
func tasksOf(sizes []float64, q Question, d Design) (list []task) {
	var open task
	packed := 0.0
	for _, size := range sizes {
		if size < d.Item {
			t := taskOf(size, size, false, q, d)
			if packed += size; packed > d.Item && open.gets > 0 {
				list, open, packed = append(list, open), task{}, size
			}
			open = task{open.cpu + t.cpu, open.fetched + t.fetched, open.gets + t.gets}
			continue
		}
		length := size
		if d.Split > 0 {
			length = d.Item * float64(d.Split)
		}
		before, ranges := factsOf(size, length, q, d)
		list = append(list, before...)
		for at := 0.0; at < size; at += length {
			list = append(list, taskOf(size, math.Min(length, size-at), size > length, ranges, d))
		}
	}
	if open.gets > 0 {
		list = append(list, open)
	}
	return list
}

// core is a core that is free at a time.
type core struct{ free, speed float64 }

// cores are ordered by when they are free.
type cores []core

func (c cores) Len() int           { return len(c) }
func (c cores) Less(i, j int) bool { return c[i].free < c[j].free }
func (c cores) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *cores) Push(x any)        { *c = append(*c, x.(core)) }
func (c *cores) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// Simulate hands out tasks in their order, each to the core that is free first. A core that is lost takes its task with
// it, which is done again, and is replaced at once. The same seed gives the same run.
func Simulate(f Fleet, q Question, d Design, c Cluster, seed uint64) (run Run) {
	r := rand.New(rand.NewPCG(seed, 2))
	free := make(cores, c.Cores)
	for i := range free {
		free[i].speed = 1
		if r.Float64() < c.SlowShare {
			free[i].speed = 1 / c.SlowFactor
		}
	}
	todo := tasksOf(Sizes(f, seed), q, d)
	run.Tasks = len(todo)
	slices.Reverse(todo)
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		k := &free[0]
		took := t.seconds(c) / k.speed
		run.Fetched, run.Gets = run.Fetched+t.fetched, run.Gets+t.gets
		if c.LossPerHour > 0 {
			if until := r.ExpFloat64() / c.LossPerHour * 3600; until < took {
				k.free += until
				run.Lost, run.Busy, run.Losses = run.Lost+until, run.Busy+until, run.Losses+1
				heap.Fix(&free, 0)
				continue // what it had fetched counts as all of it
			}
		}
		todo = todo[:len(todo)-1]
		k.free += took
		run.Busy, run.Longest = run.Busy+took, math.Max(run.Longest, took)
		run.Seconds = math.Max(run.Seconds, k.free)
		heap.Fix(&free, 0)
	}
	for _, k := range free {
		run.IdleTail += run.Seconds - k.free
	}
	return run
}
