package profile

import (
	"cmp"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Kind is what stacks are weighted by.
type Kind struct {
	// Name is short, such as "cpu" or "alloc": what option -t of mjfr profile takes.
	Name string
	// Title is a name for people, such as "CPU time".
	Title string
	// Values are what each sample has: the number of events first. There is at least one.
	Values []ValueType
	// Sampled is true if each event was taken after a length of time, whatever a thread did.
	Sampled bool
}

// ValueType says what a number of a sample counts.
type ValueType struct {
	Name string // such as "samples"
	Unit Unit
}

// Unit is the unit of a value.
type Unit string

// The units of values.
const (
	Count       Unit = "count"
	Nanoseconds Unit = "nanoseconds"
	Bytes       Unit = "bytes"
)

// maxValues is how many values a kind has at most.
const maxValues = 3

// Main returns the index of the value that people look at first: time or bytes if there are
// any, else the number of events. [Profile.Main] knows which of them were recorded.
func (k *Kind) Main() int { return len(k.Values) - 1 }

// Kinds returns the kinds that [Read] knows by name, in the order in which profiles have them.
func Kinds() []Kind {
	list := make([]Kind, len(kinds))
	for i, k := range kinds {
		list[i] = k.Kind
	}
	return list
}

// Events returns the names of the event types that a kind is made of, the most exact first; nil
// for a kind that Read does not know by name.
func Events(kind string) (names []string) {
	for _, k := range kinds {
		if k.Name == kind {
			for _, s := range k.sources {
				names = append(names, s.event)
			}
		}
	}
	return names
}

// knownKind is a kind with the events that it is made of.
type knownKind struct {
	Kind
	sources []source
}

// source says how the events of a type become samples of a kind.
type source struct {
	event string
	// rank orders sources that measure the same: of a chunk only those of the lowest rank count that
	// has samples, and more than are left over from another time. Sources of one rank add up.
	rank int
	// values are one for each value of the kind.
	values [maxValues]weight
	// thread, class and state are where labels come from; nil for none.
	thread, class, state *mmapjfr.FieldPath
	// stateText is the state of all samples, if it is not "".
	stateText string
	// asFrames makes frames of state and class, for events without a stack trace.
	asFrames bool
	// mode says which samples count, for types that profilers use for several kinds.
	mode sampleMode
	// sinceLast is set if a sample weighs what was allocated since the last one of its thread, maybe before the recording.
	sinceLast bool
	// failed is set in samples whose stack could not be recorded.
	failed *mmapjfr.FieldPath
	// called is the method that was called from the stack, which does not have it.
	called *mmapjfr.FieldPath
}

// weight is how a value of a sample is found: 1 times all that is set. The zero weight is always
// 0.
type weight struct {
	set    bool
	fields []*mmapjfr.FieldPath // numbers; times become nanoseconds
	period bool                 // the time that a sample stands for, by the settings
}

var (
	pathStack       = mmapjfr.Path("stackTrace")
	pathEventThread = mmapjfr.Path("eventThread")
	pathSampled     = mmapjfr.Path("sampledThread")
	pathState       = mmapjfr.Path("state")
	pathClass       = mmapjfr.Path("objectClass")
	pathMonitor     = mmapjfr.Path("monitorClass")
	pathParked      = mmapjfr.Path("parkedClass")
	pathThrown      = mmapjfr.Path("thrownClass")
	pathCause       = mmapjfr.Path("cause")
	pathName        = mmapjfr.Path("name")
	pathOldObject   = mmapjfr.Path("object.type")
	pathRoot        = mmapjfr.Path("root.system")
)

// numbers returns the weight of fields that are multiplied.
func numbers(paths ...string) weight {
	w := weight{set: true}
	for _, p := range paths {
		w.fields = append(w.fields, mmapjfr.Path(p))
	}
	return w
}

// perSample returns the weight of the time that samples stand for.
func perSample(paths ...string) weight {
	w := numbers(paths...)
	w.period = true
	return w
}

var (
	one      = weight{set: true}
	duration = numbers("duration")
)

// cpuKind is the kind of processor time. Samples of running threads that stand for no time are of runningKind:
// the JVM takes those of a few threads at a time, however many run.
const (
	cpuKind     = "cpu"
	runningKind = "running"
)

// errorEvent is the type of events of errors, one for each. The JVM writes two of JavaExceptionThrow as well, of the
// constructors of Throwable and of Error, and since JDK 25 only some of those.
const errorEvent = "jdk.JavaErrorThrow"

// executionSample is the type of samples of running threads. The JVM and async-profiler both write it.
const executionSample = "jdk.ExecutionSample"

// kinds are all kinds, in the order of profiles.
var kinds = []knownKind{
	{Kind{cpuKind, "CPU time", []ValueType{{"samples", Count}, {"cpu", Nanoseconds}}, true}, []source{
		{event: "jdk.CPUTimeSample", values: [maxValues]weight{one, numbers("samplingPeriod"), {}}, thread: pathEventThread, failed: mmapjfr.Path("failed")},
		{event: "jdk.CPUTimeSamplesLost", values: [maxValues]weight{numbers("lostSamples"), {}, {}}, mode: lost},
		{event: "datadog.ExecutionSample", rank: 1, values: [maxValues]weight{numbers("weight"), perSample("weight"), {}}, thread: pathEventThread, state: pathState},
		{event: executionSample, rank: 2, values: [maxValues]weight{one, perSample(), {}}, thread: pathSampled, state: pathState, mode: onTimedCPU},
		{event: wallSampleEvent, rank: 3, values: [maxValues]weight{numbers("samples"), perSample("samples"), {}}, thread: pathSampled, state: pathState, mode: onCPU},
	}},
	{Kind{runningKind, "Samples of running threads", []ValueType{{"samples", Count}}, true}, []source{
		{event: executionSample, values: [maxValues]weight{one, {}, {}}, thread: pathSampled, state: pathState, mode: untimed},
	}},
	{Kind{"wall", "Wall-clock time", []ValueType{{"samples", Count}, {"wall", Nanoseconds}}, true}, []source{
		{event: wallSampleEvent, values: [maxValues]weight{numbers("samples"), perSample("samples"), {}}, thread: pathSampled, state: pathState},
		{event: "datadog.MethodSample", rank: 1, values: [maxValues]weight{numbers("weight"), perSample("weight"), {}}, thread: pathEventThread, state: pathState},
		{event: executionSample, rank: 2, values: [maxValues]weight{one, perSample(), {}}, thread: pathSampled, state: pathState, mode: onWall},
	}},
	{Kind{"native", "Samples in native methods", []ValueType{{"samples", Count}}, true}, []source{
		{event: "jdk.NativeMethodSample", values: [maxValues]weight{one, {}, {}}, thread: pathSampled, state: pathState},
	}},
	{Kind{"alloc", "Allocated memory", []ValueType{{"samples", Count}, {"bytes", Bytes}}, false}, []source{
		{event: "jdk.ObjectAllocationInNewTLAB", values: [maxValues]weight{one, numbers("tlabSize"), {}}, thread: pathEventThread, class: pathClass},
		{event: "jdk.ObjectAllocationOutsideTLAB", values: [maxValues]weight{one, numbers("allocationSize"), {}}, thread: pathEventThread, class: pathClass, stateText: OutsideTLAB},
		{event: "datadog.ObjectSample", rank: 1, values: [maxValues]weight{numbers("weight"), numbers("size", "weight"), {}}, thread: pathEventThread, class: pathClass},
		{event: sampleEvent, rank: 2, values: [maxValues]weight{one, numbers("weight"), {}}, thread: pathEventThread, class: pathClass, sinceLast: true},
	}},
	{Kind{"live", "Objects that are still alive", []ValueType{{"objects", Count}, {"bytes", Bytes}}, false}, []source{
		{event: "profiler.LiveObject", values: [maxValues]weight{one, numbers("allocationSize"), {}}, thread: pathEventThread, class: pathClass},
		{event: "datadog.HeapLiveObject", values: [maxValues]weight{numbers("weight"), numbers("size", "weight"), {}}, thread: pathEventThread, class: pathClass},
		{event: "jdk.OldObjectSample", rank: 1, values: [maxValues]weight{one, numbers("objectSize"), {}}, thread: pathEventThread, class: pathOldObject, state: pathRoot},
	}},
	{Kind{"lock", "Waiting for locks", []ValueType{{"contentions", Count}, {"delay", Nanoseconds}}, false}, []source{
		{event: "jdk.JavaMonitorEnter", values: [maxValues]weight{one, duration, {}}, thread: pathEventThread, class: pathMonitor},
	}},
	{Kind{"park", "Parked threads", []ValueType{{"parks", Count}, {"parked", Nanoseconds}}, false}, []source{
		{event: "jdk.ThreadPark", values: [maxValues]weight{one, duration, {}}, thread: pathEventThread, class: pathParked},
	}},
	{Kind{"nativelock", "Waiting for native locks", []ValueType{{"contentions", Count}, {"delay", Nanoseconds}}, false}, []source{
		{event: "profiler.NativeLock", values: [maxValues]weight{one, duration, {}}, thread: pathEventThread},
	}},
	{Kind{"malloc", "Native memory", []ValueType{{"allocations", Count}, {"bytes", Bytes}}, false}, []source{
		{event: mallocEvent, values: [maxValues]weight{one, numbers("size"), {}}, thread: pathEventThread},
	}},
	{Kind{"leak", "Native memory that was never freed", []ValueType{{"allocations", Count}, {"bytes", Bytes}}, false}, []source{
		{event: mallocEvent, values: [maxValues]weight{one, numbers("size"), {}}, thread: pathEventThread, mode: leaked},
	}},
	{Kind{"exceptions", "Exceptions", []ValueType{{"exceptions", Count}}, false}, []source{
		{event: "jdk.JavaExceptionThrow", values: [maxValues]weight{one, {}, {}}, thread: pathEventThread, class: pathThrown, mode: notErrors},
		{event: errorEvent, values: [maxValues]weight{one, {}, {}}, thread: pathEventThread, class: pathThrown},
	}},
	{Kind{"io", "Files and sockets", []ValueType{{"operations", Count}, {"bytes", Bytes}, {"time", Nanoseconds}}, false}, []source{
		{event: "jdk.FileRead", values: [maxValues]weight{one, numbers("bytesRead"), duration}, thread: pathEventThread},
		{event: "jdk.FileWrite", values: [maxValues]weight{one, numbers("bytesWritten"), duration}, thread: pathEventThread},
		{event: "jdk.SocketRead", values: [maxValues]weight{one, numbers("bytesRead"), duration}, thread: pathEventThread},
		{event: "jdk.SocketWrite", values: [maxValues]weight{one, numbers("bytesWritten"), duration}, thread: pathEventThread},
		{event: "jdk.FileForce", values: [maxValues]weight{one, {}, duration}, thread: pathEventThread},
	}},
	{Kind{"trace", "Traced methods", []ValueType{{"calls", Count}, {"time", Nanoseconds}}, false}, []source{
		{event: "jdk.MethodTrace", values: [maxValues]weight{one, duration, {}}, thread: pathEventThread, called: pathMethod},
	}},
	{Kind{"gc", "Garbage collections", []ValueType{{"collections", Count}, {"pauses", Nanoseconds}}, false}, []source{
		{event: "jdk.GarbageCollection", values: [maxValues]weight{one, numbers("sumOfPauses"), {}}, class: pathCause, state: pathName, asFrames: true},
	}},
}

// sampleMode says which samples of a type are of a kind.
type sampleMode uint8

const (
	all        sampleMode = iota
	onCPU                 // those of threads that run
	onTimedCPU            // the same, if they were taken each time that a thread had used a time
	untimed               // those that were not: they stand for no time
	onWall                // those of threads that were sampled whether they ran or not
	leaked                // those of memory that was never freed

	grafanaCPU     // those that Grafana's parser takes for processor time
	grafanaWallCPU // those of a wall-clock profile that it takes for processor time
	grafanaWall    // those that it takes for wall-clock time
	lost           // none: the events count samples that could not be recorded

	notErrors // those of classes that no JavaErrorThrow of the chunk has
)

// needsSettings reports whether settings say which samples count.
func (m sampleMode) needsSettings() bool {
	return m != all && m != leaked && m != lost && m != notErrors
}

// kindOrder is the position of each known kind.
var kindOrder = func() map[string]int {
	order := make(map[string]int)
	for i, k := range kinds {
		order[k.Name] = i - len(kinds) // others are 0
	}
	return order
}()

func compareKindNames(a, b string) int { return compareKinds(Kind{Name: a}, Kind{Name: b}) }

// compareKinds puts known kinds first.
func compareKinds(a, b Kind) int {
	return cmp.Or(kindOrder[a.Name]-kindOrder[b.Name], cmp.Compare(a.Name, b.Name))
}
