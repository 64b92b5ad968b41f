package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// contest is a work that a reader of the JDK and jfrbench both do.
type contest struct {
	work string
	peer string // the reader of the JDK
	note string // what either does and does not do
	// check compares, before anything is measured, what laps do not tell. It
	// returns the number of events. It can be nil.
	check func(context.Context) (events uint64, err error)
	// theirs and ours do the work once.
	theirs, ours func(context.Context) (lap, error)
}

// peersRow is what came of a contest.
type peersRow struct {
	work, peer, note string
	events           uint64
	theirs, ours     []lap // as many of each, unless there is an error
	err              error
}

// hold lets both sides do the work in turn, so that whatever the machine does
// besides meets both alike. It ends with the first thing that goes wrong.
func (c contest) hold(ctx context.Context, runs int, show *turns) peersRow {
	r := peersRow{work: c.work, peer: c.peer, note: c.note}
	if c.check != nil {
		show.say("%s: comparing what both say", c.work)
		if r.events, r.err = c.check(ctx); r.err != nil {
			return r
		}
	}
	for n := range runs {
		show.say("%s: run %d of %d, %s", c.work, n+1, runs, c.peer)
		theirs, err := c.theirs(ctx)
		if err != nil {
			r.err = err
			return r
		}
		r.theirs = append(r.theirs, theirs)
		show.say("%s: run %d of %d, jfrbench", c.work, n+1, runs)
		ours, err := c.ours(ctx)
		if err != nil {
			r.err = err
			return r
		}
		r.ours = append(r.ours, ours)
		if r.err = r.disagreement(); r.err != nil {
			return r
		}
	}
	if c.check == nil {
		r.events = r.ours[0].events
	}
	return r
}

// disagreement tells if the last lap of either side saw other events than the first.
func (r *peersRow) disagreement() error {
	n := len(r.ours)
	first, theirs, ours := r.theirs[0].events, r.theirs[n-1].events, r.ours[n-1].events
	switch {
	case theirs != ours:
		return fmt.Errorf("in run %d %s saw %s, jfrbench %s; see what jfr summary and jfrbench summary say of the file",
			n, r.peer, plural(theirs, "event"), plural(ours, "event"))
	case ours != first:
		return fmt.Errorf("in run %d both saw %s, in run 1 %s; measure a file that does not change",
			n, plural(ours, "event"), plural(first, "event"))
	}
	return nil
}

func processTime(l lap) time.Duration { return l.process }

func loopTime(l lap) time.Duration { return l.loop }

// median returns the median of a time of the laps, 0 if there are none.
func median(laps []lap, of func(lap) time.Duration) time.Duration {
	if len(laps) == 0 {
		return 0
	}
	times := make([]time.Duration, len(laps))
	for i, l := range laps {
		times[i] = of(l)
	}
	slices.Sort(times)
	half := len(times) / 2
	if len(times)%2 == 1 {
		return times[half]
	}
	return (times[half-1] + times[half]) / 2
}

// ratio returns how many times as long the JDK takes as jfrbench, by the medians.
// A contest that was not measured or went wrong has no ratio: a fast
// wrong answer is worth nothing.
func (r *peersRow) ratio(of func(lap) time.Duration) (f float64, ok bool) {
	theirs, ours := median(r.theirs, of), median(r.ours, of)
	if r.err != nil || theirs == 0 || ours == 0 {
		return 0, false
	}
	return float64(theirs) / float64(ours), true
}
