package jvmstats

import (
	"math"
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

// observed are the types whose values are known. Their settings make a JVM record them at little
// cost: as in the JDK's default profile, except where more is recorded at the same price. A JVM
// records exceptions one by one only if it limits their number.
var observed = []struct {
	event    string
	since    int // the first release that has the settings
	settings string
	observe  observer
}{
	{"jdk.ActiveRecording", 0, "", (*Vitals).weighs},
	{"jdk.ActiveSetting", never, "", (*Vitals).weighs},
	{"jdk.JVMInformation", 0, "period=beginChunk", (*Vitals).jvmInformation},
	{"jdk.CPUInformation", 0, "period=beginChunk", (*Vitals).cpuInformation},
	{"jdk.CPULoad", 0, "period=1s", (*Vitals).cpuLoad},
	{"jdk.JavaThreadStatistics", 0, "period=1s", (*Vitals).threadStatistics},
	{"jdk.ExceptionStatistics", 0, "period=1s", (*Vitals).exceptionStatistics},
	{"jdk.GCConfiguration", 0, "period=beginChunk", (*Vitals).gcConfiguration},
	{"jdk.GCHeapConfiguration", 0, "period=beginChunk", (*Vitals).heapConfiguration},
	{"jdk.GCHeapSummary", 0, "", (*Vitals).heapSummary},
	{"jdk.GCHeapMemoryUsage", 21, "period=1s", (*Vitals).heapUsage},
	{"jdk.MetaspaceSummary", 0, "", (*Vitals).metaspaceSummary},
	{"jdk.GarbageCollection", 0, "threshold=0ms", (*Vitals).gcCollection},
	{"jdk.GCPhasePause", 0, "threshold=0ms", (*Vitals).gcPause},
	{"jdk.ThreadAllocationStatistics", 16, "period=beginChunk", (*Vitals).weighs},
	{"jdk.ObjectAllocationSample", 16, "throttle=150/s stackTrace=true", (*Vitals).allocationSample},
	// The class of a new buffer of a thread is that of the first object in it, and stands for all.
	{"jdk.ObjectAllocationInNewTLAB", never, "", classIn(func(v *Vitals) *ranking { return &v.alloc.buffers }, "objectClass", sizeAt("tlabSize"))},
	{"jdk.ObjectAllocationOutsideTLAB", never, "", classIn(func(v *Vitals) *ranking { return &v.alloc.buffers }, "objectClass", sizeAt("allocationSize"))},
	{"jdk.ExecutionSample", 0, "period=20ms", topMethodIn(func(v *Vitals) *ranking { return &v.samples.java })},
	{"jdk.NativeMethodSample", 0, "period=20ms", topMethodIn(func(v *Vitals) *ranking { return &v.samples.native })},
	{"jdk.CPUTimeSample", never, "", topMethodIn(func(v *Vitals) *ranking { return &v.samples.cpuTime })},
	{"jdk.JavaMonitorEnter", 0, "threshold=10ms", classIn(func(v *Vitals) *ranking { return &v.locks.monitors }, "monitorClass", lengthOf)},
	{"jdk.ThreadPark", 0, "threshold=10ms", classIn(func(v *Vitals) *ranking { return &v.locks.parks }, "parkedClass", lengthOf)},
	{"jdk.JavaErrorThrow", 0, "", classIn(func(v *Vitals) *ranking { return &v.thrown.errors }, "thrownClass", one)},
	{"jdk.JavaExceptionThrow", 25, "throttle=100/s", classIn(func(v *Vitals) *ranking { return &v.thrown.all }, "thrownClass", one)},
	{"jdk.FileRead", 0, "threshold=10ms", bytesOf(func(o *traffic) *tally { return &o.fileRead }, "bytesRead")},
	{"jdk.FileRead", 25, "threshold=1ms", nil},
	{"jdk.FileWrite", 0, "threshold=10ms", bytesOf(func(o *traffic) *tally { return &o.fileWrite }, "bytesWritten")},
	{"jdk.FileWrite", 25, "threshold=1ms", nil},
	{"jdk.SocketRead", 0, "threshold=10ms", bytesOf(func(o *traffic) *tally { return &o.socketRead }, "bytesRead")},
	{"jdk.SocketRead", 25, "threshold=1ms", nil},
	{"jdk.SocketWrite", 0, "threshold=10ms", bytesOf(func(o *traffic) *tally { return &o.socketWrite }, "bytesWritten")},
	{"jdk.SocketWrite", 25, "threshold=1ms", nil},
}

// never is the release of types that are observed if somebody else has them recorded.
const never = math.MaxInt

// Settings returns the settings of a recording by a JVM of a release, such as 17: each as in
// "jdk.CPULoad#period=1s". Of two for the same thing the later one holds. For a release of 0, which
// is not known, Settings leaves out those that only newer releases understand.
func Settings(release int) []string {
	var texts []string
	for _, s := range observed {
		if s.since > release {
			continue
		}
		for _, setting := range append([]string{"enabled=true"}, strings.Fields(s.settings)...) {
			texts = append(texts, s.event+"#"+setting)
		}
	}
	return texts
}

// topMethodIn counts the method at the top of the stack in a ranking.
func topMethodIn(of func(*Vitals) *ranking) observer {
	return func(v *Vitals, ev mmapjfr.Event, second int64) { of(v).add(second, v.topMethod(ev), 1) }
}

// classIn counts the class in a field in a ranking, with a weight.
func classIn(of func(*Vitals) *ranking, field string, weight func(mmapjfr.Event) int64) observer {
	class := mmapjfr.Path(field)
	return func(v *Vitals, ev mmapjfr.Event, second int64) { of(v).add(second, v.className(ev, class), weight(ev)) }
}

func one(mmapjfr.Event) int64 { return 1 }

func lengthOf(ev mmapjfr.Event) int64 { return int64(length(ev.Duration())) }

func sizeAt(field string) func(mmapjfr.Event) int64 {
	p := mmapjfr.Path(field)
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
	k := &kind{name: name}
	for _, o := range observed {
		if o.event == name && k.observe == nil {
			k.observe = o.observe
		}
	}
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
