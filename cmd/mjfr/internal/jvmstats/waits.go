package jvmstats

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// locks are the classes that threads waited for.
type locks struct{ monitors, parks ranking }

// snapshot returns the locks with the longest waits.
func (l *locks) snapshot(now int64) []Lock {
	var all []Lock
	for _, p := range l.monitors.top(now) {
		all = append(all, Lock{Monitor, asInJava(p.name), p.count, time.Duration(p.weight)})
	}
	for _, p := range l.parks.top(now) {
		all = append(all, Lock{Park, asInJava(p.name), p.count, time.Duration(p.weight)})
	}
	slices.SortStableFunc(all, func(a, b Lock) int {
		return cmp.Or(cmp.Compare(b.Wait, a.Wait), cmp.Compare(b.Count, a.Count), strings.Compare(a.Class, b.Class))
	})
	return all[:min(len(all), topLen)]
}

// traffic is the bytes that were read and written.
type traffic struct {
	at                                           time.Time
	fileRead, fileWrite, socketRead, socketWrite tally
}

// bytesOf takes the bytes of an event of input or output.
func bytesOf(of func(*traffic) *tally, field string) observer {
	bytes := mmapjfr.Path(field)
	return func(v *Vitals, ev mmapjfr.Event, second int64) {
		v.io.at = ev.End()
		of(&v.io).add(second, size(ev, bytes))
	}
}

func (v *Vitals) bytes() IO {
	o, now := &v.io, v.clock.second()
	s := IO{
		Time:        jsonout.At(o.at),
		FileRead:    v.rate(&o.fileRead.weight, rateSeconds),
		FileWrite:   v.rate(&o.fileWrite.weight, rateSeconds),
		SocketRead:  v.rate(&o.socketRead.weight, rateSeconds),
		SocketWrite: v.rate(&o.socketWrite.weight, rateSeconds),
	}
	for _, t := range []*tally{&o.fileRead, &o.fileWrite, &o.socketRead, &o.socketWrite} {
		s.RecentEvents += t.count.sum(now, minute)
	}
	return s
}

// exceptions are the exceptions and errors. An error has one event of errors and two of exceptions: classes
// that have the former count by these alone.
type exceptions struct {
	all, errors ranking
	// counts are the numbers that the JVM recorded.
	counts history[throwables]
}

// throwables is the number since the start of the JVM.
type throwables struct {
	at    time.Time
	count int64
}

// exceptionStatistics begins anew if the number is less than before: it is that of another JVM.
func (v *Vitals) exceptionStatistics(ev mmapjfr.Event, second int64) {
	now := throwables{ev.End(), size(ev, v.at("throwables"))}
	if last := v.thrown.counts.last(); last != nil && now.count < last.count {
		v.thrown.counts.forget()
	}
	v.thrown.counts.add(second, now, newest)
}

func (v *Vitals) exceptions() Exceptions {
	now := v.clock.second()
	all, errors := &v.thrown.all, &v.thrown.errors
	e := Exceptions{Recorded: all.all.count.sum(now, minute) + errors.all.count.sum(now, minute)}
	switch {
	case all.seen(now):
		e.Source = "jdk.JavaExceptionThrow"
	case errors.rows != nil:
		e.Source = "jdk.JavaErrorThrow"
	}
	places := errors.recent(now)
	isError := make(map[string]bool)
	for _, p := range places {
		isError[p.name] = true
	}
	for _, p := range all.recent(now) {
		if isError[p.name] {
			e.Recorded -= p.count
		} else {
			places = append(places, p)
		}
	}
	for _, p := range top(places) {
		e.Classes = append(e.Classes, ClassCount{asInJava(p.name), p.count})
	}
	if counts := v.thrown.counts.list(); len(counts) > 0 {
		newest := counts[len(counts)-1]
		e.Time, e.Count, e.PerSecond = jsonout.At(newest.at), newest.count, thrownRate(counts)
	}
	return e
}

// thrownRate returns the rate between the newest count and the newest of those that are at least
// ten seconds older, or the oldest one.
func thrownRate(counts []throwables) float64 {
	newest := counts[len(counts)-1]
	old := counts[0]
	for _, c := range counts {
		if newest.at.Sub(c.at) < rateSeconds*time.Second {
			break
		}
		old = c
	}
	if took := newest.at.Sub(old.at).Seconds(); took > 0 {
		return float64(newest.count-old.count) / took
	}
	return 0
}
