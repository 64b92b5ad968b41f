package jvmstats

import (
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// kindsLen is the greatest number of types with counts of their own.
const kindsLen = 2000

// kind has the counts of the events of a type. Types of the same name are one.
type kind struct {
	name    string
	total   uint64
	count   ring
	last    int64 // by the clock, to the second
	observe observer
	texts   *tail
}

// observer takes the values of an event, which counts for a second.
type observer = func(v *Vitals, ev mmapjfr.Event, second int64)

// observers are those of the types whose values are known.
var observers = map[string]observer{
	"jdk.JVMInformation":       (*Vitals).jvmInformation,
	"jdk.CPUInformation":       (*Vitals).cpuInformation,
	"jdk.CPULoad":              (*Vitals).cpuLoad,
	"jdk.GCHeapSummary":        (*Vitals).heapSummary,
	"jdk.GCHeapMemoryUsage":    (*Vitals).heapUsage,
	"jdk.GCHeapConfiguration":  (*Vitals).heapConfiguration,
	"jdk.MetaspaceSummary":     (*Vitals).metaspaceSummary,
	"jdk.GCPhasePause":         (*Vitals).gcPause,
	"jdk.GarbageCollection":    (*Vitals).gcCollection,
	"jdk.GCConfiguration":      (*Vitals).gcConfiguration,
	"jdk.ExceptionStatistics":  (*Vitals).exceptionStatistics,
	"jdk.JavaThreadStatistics": (*Vitals).threadStatistics,

	"jdk.ExecutionSample":    topMethodIn(func(v *Vitals) *ranking { return &v.samples.java }),
	"jdk.NativeMethodSample": topMethodIn(func(v *Vitals) *ranking { return &v.samples.native }),
	"jdk.CPUTimeSample":      topMethodIn(func(v *Vitals) *ranking { return &v.samples.cpuTime }),

	"jdk.ObjectAllocationSample": classIn(func(v *Vitals) *ranking { return &v.alloc.sampled }, pathObjectClass, sizeAt(pathWeight)),
	// The class of a new buffer of a thread is that of the first object in it, and stands for all.
	"jdk.ObjectAllocationInNewTLAB":   classIn(func(v *Vitals) *ranking { return &v.alloc.buffers }, pathObjectClass, sizeAt(pathTLABSize)),
	"jdk.ObjectAllocationOutsideTLAB": classIn(func(v *Vitals) *ranking { return &v.alloc.buffers }, pathObjectClass, sizeAt(pathAllocationSize)),
	"jdk.JavaMonitorEnter":            classIn(func(v *Vitals) *ranking { return &v.locks.monitors }, pathMonitorClass, lengthOf),
	"jdk.ThreadPark":                  classIn(func(v *Vitals) *ranking { return &v.locks.parks }, pathParkedClass, lengthOf),
	"jdk.JavaExceptionThrow":          classIn(func(v *Vitals) *ranking { return &v.thrown.all }, pathThrownClass, one),
	"jdk.JavaErrorThrow":              classIn(func(v *Vitals) *ranking { return &v.thrown.errors }, pathThrownClass, one),

	"jdk.FileRead":    bytesOf(func(o *traffic) *tally { return &o.fileRead }, pathBytesRead),
	"jdk.FileWrite":   bytesOf(func(o *traffic) *tally { return &o.fileWrite }, pathBytesWritten),
	"jdk.SocketRead":  bytesOf(func(o *traffic) *tally { return &o.socketRead }, pathBytesRead),
	"jdk.SocketWrite": bytesOf(func(o *traffic) *tally { return &o.socketWrite }, pathBytesWritten),
}

// topMethodIn counts the method at the top of the stack in a ranking.
func topMethodIn(of func(*Vitals) *ranking) observer {
	return func(v *Vitals, ev mmapjfr.Event, second int64) { of(v).add(second, v.topMethod(ev), 1) }
}

// classIn counts the class at a path in a ranking, with a weight.
func classIn(of func(*Vitals) *ranking, class *mmapjfr.FieldPath, weight func(mmapjfr.Event) int64) observer {
	return func(v *Vitals, ev mmapjfr.Event, second int64) { of(v).add(second, v.className(ev, class), weight(ev)) }
}

func one(mmapjfr.Event) int64 { return 1 }

func lengthOf(ev mmapjfr.Event) int64 { return int64(length(ev.Duration())) }

func sizeAt(p *mmapjfr.FieldPath) func(mmapjfr.Event) int64 {
	return func(ev mmapjfr.Event) int64 { return size(ev, p) }
}

// kind returns the kind with a name, or others if there are too many.
func (v *Vitals) kind(name string) *kind {
	if k := v.kinds[name]; k != nil {
		return k
	}
	if len(v.kinds) >= kindsLen {
		return v.others
	}
	k := &kind{name: name, observe: observers[name]}
	if len(name) <= nameLen {
		k.texts = v.texts.of(name)
	} else {
		k.name = strings.ToValidUTF8(name[:nameLen], "\uFFFD")
	}
	v.kinds[name] = k
	return k
}

// types returns the rates of all types.
func (v *Vitals) types() []TypeRate {
	rates := make([]TypeRate, 0, len(v.kinds)+1)
	for _, k := range v.kinds {
		rates = append(rates, v.typeRate(k))
	}
	slices.SortFunc(rates, func(a, b TypeRate) int { return strings.Compare(a.Name, b.Name) })
	if v.others.total > 0 {
		rates = append(rates, v.typeRate(v.others))
	}
	return rates
}

func (v *Vitals) typeRate(k *kind) TypeRate {
	return TypeRate{
		Name:            k.name,
		Count:           k.total,
		PerSecond:       v.rate(&k.count, rateSeconds),
		PerSecondMinute: v.rate(&k.count, minute),
		Last:            jsonout.At(v.clock.time(k.last).Truncate(time.Second)),
	}
}
