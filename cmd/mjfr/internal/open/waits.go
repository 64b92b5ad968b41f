package open

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// waitStates are the states in which a thread waits for something that others do. To sleep is no
// such state.
var waitStates = []string{"blocked", "parked", "waiting", "io"}

// idleMethods are methods in which threads wait for work, by class: that delays nobody.
var idleMethods = map[string][]string{
	"java.util.concurrent.ThreadPoolExecutor":            {"getTask"},
	"org.apache.tomcat.util.threads.ThreadPoolExecutor":  {"getTask"},
	"java.util.concurrent.ForkJoinPool":                  {"awaitWork", "deactivate"},
	"java.util.concurrent.DelayScheduler":                {"loop"},
	"java.util.TimerThread":                              {"mainLoop"},
	"java.lang.ref.ReferenceQueue":                       {"remove", "remove0", "await"},
	"java.lang.ref.Reference$ReferenceHandler":           {"run"},
	"java.lang.ref.Finalizer$FinalizerThread":            {"run"},
	"jdk.jfr.internal.PlatformRecorder":                  {"periodicTask", "takeNap"},
	"io.netty.util.concurrent.SingleThreadEventExecutor": {"takeTask"},
}

// isIdle reports whether a thread with this stack waits for work.
func isIdle(s mmapjfr.StackTrace) bool {
	for f := range s.Frames() {
		m := f.Method()
		if names := idleMethods[m.Class().Name()]; names != nil && slices.Contains(names, m.Name()) {
			return true
		}
	}
	return false
}

// chunkStack is a stack trace of a chunk.
type chunkStack struct {
	chunk mmapjfr.Chunk
	key   int64
}

// waiting is how long threads waited in each step, in nanoseconds, by state.
type waiting struct {
	from, step int64
	nanos      [][]int64
	idle       map[chunkStack]bool // stacks that have been looked at
}

// waits answers with how many threads waited at the same time, on the average of each step, by
// state. Threads of pools that wait for work are left out.
func (x *explorer) waits(r *http.Request) (any, error) {
	what, err := choose(r)
	if err != nil {
		return nil, err
	}
	points, err := number(r, "points", 150, mostWidth)
	if err != nil {
		return nil, err
	}
	from, perPoint := x.scale(&what, max(1, points))
	step := max(int64(time.Millisecond), int64(perPoint))
	all := make([][]int64, len(waitStates))
	for i := range all {
		all[i] = make([]int64, max(1, points))
	}
	for _, rec := range x.set.Recordings {
		if err := x.addWaits(r.Context(), rec, &what, from.UnixNano(), step, all); err != nil {
			return nil, err
		}
	}
	a := &table.Arrays{Columns: []table.Array{{Name: "time", Title: "Time", Kind: query.Timestamp.String()}}}
	for i := range all[0] {
		a.Columns[0].Values = append(a.Columns[0].Values, millis(from)+float64(int64(i)*step)/1e6)
	}
	for i, name := range waitStates {
		if !slices.ContainsFunc(all[i], func(ns int64) bool { return ns > 0 }) {
			continue
		}
		column := table.Array{Name: name, Title: name, Kind: query.Float.String()}
		for _, ns := range all[i] {
			column.Values = append(column.Values, float64(ns)/float64(step))
		}
		a.Columns = append(a.Columns, column)
	}
	if len(a.Columns) > 1 {
		a.Rows = len(a.Columns[0].Values)
	} else {
		a.Columns[0].Values = []any{}
	}
	return a, nil
}

// addWaits adds the waits of a recording.
func (x *explorer) addWaits(ctx context.Context, rec *mmapjfr.Recording, what *chosen, from, step int64, all [][]int64) error {
	workers := make([]waiting, engine.RecordingWorkers(rec))
	for i := range workers {
		workers[i] = waiting{from: from, step: step, nanos: make([][]int64, len(waitStates)), idle: map[chunkStack]bool{}}
		for state := range workers[i].nanos {
			workers[i].nanos[state] = make([]int64, len(all[state]))
		}
	}
	// An event that began before the time can last until then.
	until := chosen{to: what.to, threads: what.threads}
	var types []string
	for _, s := range states {
		if slices.Contains(waitStates, s.name) {
			types = append(types, s.types...)
		}
	}
	err := x.each(ctx, rec, func(worker int, ev mmapjfr.Event) {
		workers[worker].add(ev)
	}, append(until.filters(), mmapjfr.Types(types...))...)
	for _, w := range workers {
		for state, list := range w.nanos {
			for i, ns := range list {
				all[state][i] += ns
			}
		}
	}
	return err
}

// add adds a wait to all steps that it lasts in.
func (w *waiting) add(ev mmapjfr.Event) {
	number, _, _ := stateOf(ev)
	state := slices.Index(waitStates, states[number].name)
	list := w.nanos[state]
	begin, end := max(0, ev.StartNanos()-w.from), min(int64(len(list))*w.step, engine.EventEndNanos(ev)-w.from)
	if begin >= end {
		return
	}
	if name := waitStates[state]; (name == "parked" || name == "waiting") && w.isIdle(ev) {
		return
	}
	for at := begin; at < end; {
		next := min(end, (at/w.step+1)*w.step)
		list[at/w.step] += next - at
		at = next
	}
}

// isIdle reports whether the thread of an event waits for work.
func (w *waiting) isIdle(ev mmapjfr.Event) bool {
	stack := ev.StackTrace()
	key := chunkStack{ev.Chunk(), stack.Key()}
	idle, known := w.idle[key]
	if !known {
		idle = isIdle(stack)
		w.idle[key] = idle
	}
	return idle
}
