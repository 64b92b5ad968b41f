package jvmstats

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

var (
	pathMonitorClass = mmapjfr.Path("monitorClass")
	pathParkedClass  = mmapjfr.Path("parkedClass")
)

// locks are what threads waited for.
type locks struct{ monitors, parks ranking }

func (v *Vitals) monitorEnter(ev mmapjfr.Event, second int64) {
	v.locks.monitors.add(second, v.className(ev, pathMonitorClass), int64(length(ev.Duration())))
}

func (v *Vitals) threadPark(ev mmapjfr.Event, second int64) {
	v.locks.parks.add(second, v.className(ev, pathParkedClass), int64(length(ev.Duration())))
}

// snapshot returns the locks that were waited for longest.
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
