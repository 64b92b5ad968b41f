package jvmstats

import (
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

var (
	pathSumOfPauses  = mmapjfr.Path("sumOfPauses")
	pathLongestPause = mmapjfr.Path("longestPause")
	pathCause        = mmapjfr.Path("cause")
	pathYoung        = mmapjfr.Path("youngCollector")
	pathOld          = mmapjfr.Path("oldCollector")
)

// collections are the collections and their pauses. There is an event for each pause,
// and one for each collection that sums them up; either may be switched off. Pauses are
// told by the former where it is there: collections can be told of long after.
type collections struct {
	each, summed pauses
	causes       ranking
	young, old   string
}

// pauses is how many there were, and how long.
type pauses struct {
	count      uint64
	total      time.Duration
	at         time.Time // when the last ended
	last       time.Duration
	recent     tally
	recentPeak ring
}

func (p *pauses) add(ev mmapjfr.Event, second int64, sum, longest time.Duration) {
	p.count++
	p.total += sum
	p.at, p.last = ev.End(), longest
	p.recent.add(second, int64(sum))
	p.recentPeak.raise(second, int64(longest))
}

func (v *Vitals) gcPause(ev mmapjfr.Event, second int64) {
	d := length(ev.Duration())
	v.gc.each.add(ev, second, d, d)
}

func (v *Vitals) gcCollection(ev mmapjfr.Event, second int64) {
	sum := length(ev.Timespan(pathSumOfPauses))
	v.gc.summed.add(ev, second, sum, length(ev.Timespan(pathLongestPause)))
	v.name = append(v.name[:0], ev.Str(pathCause)...)
	v.gc.causes.add(second, v.name, int64(sum))
}

func (v *Vitals) gcConfiguration(ev mmapjfr.Event, _ int64) {
	v.gc.young = text(ev, pathYoung, v.gc.young)
	v.gc.old = text(ev, pathOld, v.gc.old)
}

func (g *collections) snapshot(c *clock) GC {
	p := &g.each
	if p.count == 0 {
		p = &g.summed
	}
	now := c.second()
	s := GC{
		Time:    p.at,
		Last:    p.last,
		Recent:  p.recent.count.sum(now, minute),
		Sum:     time.Duration(p.recent.weight.sum(now, minute)),
		Longest: time.Duration(p.recentPeak.peak(now, minute)),
		Count:   p.count,
		Total:   p.total,
		Young:   g.young,
		Old:     g.old,
	}
	s.Share = s.Sum.Seconds() / c.covered(minute)
	for _, p := range g.causes.top(now) {
		s.Causes = append(s.Causes, Cause{p.name, p.count, time.Duration(p.weight)})
	}
	return s
}
