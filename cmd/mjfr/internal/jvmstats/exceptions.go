package jvmstats

import (
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

var (
	pathThrownClass = mmapjfr.Path("thrownClass")
	pathThrowables  = mmapjfr.Path("throwables")
)

// exceptions is what was thrown. Errors have events of their own, as well as those of
// all exceptions: they count only where the latter are switched off.
type exceptions struct {
	all, errors ranking
	// counts are what the JVM told of the number there have been.
	counts history[throwables]
}

// throwables is how many there have been since the JVM began.
type throwables struct {
	at    time.Time
	count int64
}

func (v *Vitals) exceptionThrow(ev mmapjfr.Event, second int64) {
	v.thrown.all.add(second, v.className(ev, pathThrownClass), 1)
}

func (v *Vitals) errorThrow(ev mmapjfr.Event, second int64) {
	v.thrown.errors.add(second, v.className(ev, pathThrownClass), 1)
}

// exceptionStatistics begins anew where the number is less than it was: that is another
// JVM.
func (v *Vitals) exceptionStatistics(ev mmapjfr.Event, second int64) {
	now := throwables{ev.End(), size(ev, pathThrowables)}
	if last := v.thrown.counts.last(); last != nil && now.count < last.count {
		v.thrown.counts.forget()
	}
	v.thrown.counts.add(second, now, newest)
}

func (v *Vitals) exceptions() Exceptions {
	now := v.clock.second()
	k, source := &v.thrown.all, "jdk.JavaExceptionThrow"
	if !k.seen(now) {
		k, source = &v.thrown.errors, "jdk.JavaErrorThrow"
	}
	e := Exceptions{Recorded: k.all.count.sum(now, minute)}
	if k.rows != nil {
		e.Source = source
	}
	for _, p := range k.top(now) {
		e.Classes = append(e.Classes, ClassCount{asInJava(p.name), p.count})
	}
	if counts := v.thrown.counts.list(); len(counts) > 0 {
		newest := counts[len(counts)-1]
		e.Time, e.Count, e.PerSecond = newest.at, newest.count, thrownRate(counts)
	}
	return e
}

// thrownRate returns how many were thrown a second between the newest count and the
// youngest that is at least ten seconds older; or the oldest there is.
func thrownRate(counts []throwables) float64 {
	newest := counts[len(counts)-1]
	old := counts[0]
	for _, c := range counts {
		if newest.at.Sub(c.at) < soon*time.Second {
			break
		}
		old = c
	}
	if took := newest.at.Sub(old.at).Seconds(); took > 0 {
		return float64(newest.count-old.count) / took
	}
	return 0
}
