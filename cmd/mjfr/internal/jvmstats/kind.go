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
	observe func(v *Vitals, ev mmapjfr.Event, second int64)
	texts   *tail
}

// observers take the values of events of a type.
var observers = map[string]func(v *Vitals, ev mmapjfr.Event, second int64){
	"jdk.JVMInformation":              (*Vitals).jvmInformation,
	"jdk.CPUInformation":              (*Vitals).cpuInformation,
	"jdk.CPULoad":                     (*Vitals).cpuLoad,
	"jdk.GCHeapSummary":               (*Vitals).heapSummary,
	"jdk.GCHeapMemoryUsage":           (*Vitals).heapUsage,
	"jdk.GCHeapConfiguration":         (*Vitals).heapConfiguration,
	"jdk.MetaspaceSummary":            (*Vitals).metaspaceSummary,
	"jdk.GCPhasePause":                (*Vitals).gcPause,
	"jdk.GarbageCollection":           (*Vitals).gcCollection,
	"jdk.GCConfiguration":             (*Vitals).gcConfiguration,
	"jdk.ObjectAllocationSample":      (*Vitals).allocationSample,
	"jdk.ObjectAllocationInNewTLAB":   (*Vitals).allocationBuffer,
	"jdk.ObjectAllocationOutsideTLAB": (*Vitals).allocationOutside,
	"jdk.ExecutionSample":             (*Vitals).executionSample,
	"jdk.NativeMethodSample":          (*Vitals).nativeSample,
	"jdk.CPUTimeSample":               (*Vitals).cpuTimeSample,
	"jdk.JavaMonitorEnter":            (*Vitals).monitorEnter,
	"jdk.ThreadPark":                  (*Vitals).threadPark,
	"jdk.JavaExceptionThrow":          (*Vitals).exceptionThrow,
	"jdk.JavaErrorThrow":              (*Vitals).errorThrow,
	"jdk.ExceptionStatistics":         (*Vitals).exceptionStatistics,
	"jdk.JavaThreadStatistics":        (*Vitals).threadStatistics,
	"jdk.FileRead":                    (*Vitals).fileRead,
	"jdk.FileWrite":                   (*Vitals).fileWrite,
	"jdk.SocketRead":                  (*Vitals).socketRead,
	"jdk.SocketWrite":                 (*Vitals).socketWrite,
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
		PerSecond:       v.rate(&k.count, soon),
		PerSecondMinute: v.rate(&k.count, minute),
		Last:            jsonout.At(v.clock.time(k.last).Truncate(time.Second)),
	}
}
