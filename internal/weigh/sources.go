// Package weigh says which events are samples of which kinds of profiles, and what each stands for.
package weigh

import (
	"context"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// MaxValues is how many values a kind has at most.
const MaxValues = 3

// Kind is a kind with the events that it is made of.
type Kind struct {
	Name, Title string
	Values      []Value // the number of events first
	Sampled     bool
	Sources     []Source
}

// Value is a value of a kind, and its unit.
type Value struct{ Name, Unit string }

// The units of values.
const (
	Count       = "count"
	Nanoseconds = "nanoseconds"
	Bytes       = "bytes"
)

// OutsideTLAB_ is the state of objects that were too large for the thread's allocation buffer.
const OutsideTLAB = "outside TLAB"

// Main returns the index of the value that people look at first.
func (k *Kind) Main() int { return len(k.Values) - 1 }

// Source says how the events of a type become samples of a kind.
type Source struct {
	Event string
	// Rank orders sources that measure the same: of a chunk only those of the lowest rank count that
	// has samples, and more than are left over from another time. Sources of one rank add up.
	Rank int
	// Values are one for each value of the kind.
	Values [MaxValues]Factor
	// Thread, Class and State are where labels come from; nil for none.
	Thread, Class, State *mmapjfr.FieldPath
	// StateText is the state of all samples, if it is not "".
	StateText string
	// AsFrames makes frames of state and class, for events without a stack trace.
	AsFrames bool
	// Mode says which samples count, for types that profilers use for several kinds.
	Mode Mode
	// SinceLast is set if a sample weighs what was allocated since the last one of its thread, maybe before the recording.
	SinceLast bool
	// Failed is set in samples whose stack could not be recorded.
	Failed *mmapjfr.FieldPath
	// Called is the method that was called from the stack, which does not have it.
	Called *mmapjfr.FieldPath
}

// Factor is how a value of a sample is found: 1 times all that is set. The zero weight is always
// 0.
type Factor struct {
	set    bool
	fields []*mmapjfr.FieldPath // numbers; times become nanoseconds
	Period bool                 // the time that a sample stands for, by the settings
}

var (
	PathEventThread = mmapjfr.Path("eventThread")
	PathSampled     = mmapjfr.Path("sampledThread")
	pathState       = mmapjfr.Path("state")
	pathClass       = mmapjfr.Path("objectClass")
	pathMonitor     = mmapjfr.Path("monitorClass")
	pathParked      = mmapjfr.Path("parkedClass")
	pathThrown      = mmapjfr.Path("thrownClass")
	pathCause       = mmapjfr.Path("cause")
	PathName        = mmapjfr.Path("name")
	pathOldObject   = mmapjfr.Path("object.type")
	pathRoot        = mmapjfr.Path("root.system")
	calledMethod    = mmapjfr.Path("method")
	One             = Factor{set: true}
	duration        = Numbers("duration")
)

// Numbers returns the weight of fields that are multiplied.
func Numbers(paths ...string) Factor {
	w := Factor{set: true}
	for _, p := range paths {
		w.fields = append(w.fields, mmapjfr.Path(p))
	}
	return w
}

// perSample returns the weight of the time that samples stand for.
func perSample(paths ...string) Factor {
	w := Numbers(paths...)
	w.Period = true
	return w
}

// cpuKind is the kind of processor time. Samples of running threads that stand for no time are of RunningKind:
// the JVM takes those of a few threads at a time, however many run.
const (
	CPUKind     = "cpu"
	RunningKind = "running"
)

// errorEvent is the type of events of errors, one for each. The JVM writes two of JavaExceptionThrow as well, of the
// constructors of Throwable and of Error, and since JDK 25 only some of those.
const errorEvent = "jdk.JavaErrorThrow"

// ExecutionSample is the type of samples of running threads. The JVM and async-profiler both write it.
const ExecutionSample = "jdk.ExecutionSample"

// Kinds are all kinds, in the order of profiles.
var Kinds = []Kind{
	{CPUKind, "CPU time", []Value{{"samples", Count}, {"cpu", Nanoseconds}}, true, []Source{
		{Event: "jdk.CPUTimeSample", Values: [MaxValues]Factor{One, Numbers("samplingPeriod"), {}}, Thread: PathEventThread, Failed: mmapjfr.Path("failed")},
		{Event: "jdk.CPUTimeSamplesLost", Values: [MaxValues]Factor{Numbers("lostSamples"), {}, {}}, Mode: Lost},
		{Event: "datadog.ExecutionSample", Rank: 1, Values: [MaxValues]Factor{Numbers("weight"), perSample("weight"), {}}, Thread: PathEventThread, State: pathState},
		{Event: ExecutionSample, Rank: 2, Values: [MaxValues]Factor{One, perSample(), {}}, Thread: PathSampled, State: pathState, Mode: onTimedCPU},
		{Event: WallSampleEvent, Rank: 3, Values: [MaxValues]Factor{Numbers("samples"), perSample("samples"), {}}, Thread: PathSampled, State: pathState, Mode: onCPU},
	}},
	{RunningKind, "Samples of running threads", []Value{{"samples", Count}}, true,
		[]Source{{Event: ExecutionSample, Values: [MaxValues]Factor{One, {}, {}}, Thread: PathSampled, State: pathState, Mode: untimed}}},
	{"wall", "Wall-clock time", []Value{{"samples", Count}, {"wall", Nanoseconds}}, true, []Source{
		{Event: WallSampleEvent, Values: [MaxValues]Factor{Numbers("samples"), perSample("samples"), {}}, Thread: PathSampled, State: pathState},
		{Event: "datadog.MethodSample", Rank: 1, Values: [MaxValues]Factor{Numbers("weight"), perSample("weight"), {}}, Thread: PathEventThread, State: pathState},
		{Event: ExecutionSample, Rank: 2, Values: [MaxValues]Factor{One, perSample(), {}}, Thread: PathSampled, State: pathState, Mode: onWall},
	}},
	{"native", "Samples in native methods", []Value{{"samples", Count}}, true,
		[]Source{{Event: "jdk.NativeMethodSample", Values: [MaxValues]Factor{One, {}, {}}, Thread: PathSampled, State: pathState}}},
	{"alloc", "Allocated memory", []Value{{"samples", Count}, {"bytes", Bytes}}, false, []Source{
		{Event: "jdk.ObjectAllocationInNewTLAB", Values: [MaxValues]Factor{One, Numbers("tlabSize"), {}}, Thread: PathEventThread, Class: pathClass},
		{Event: "jdk.ObjectAllocationOutsideTLAB", Values: [MaxValues]Factor{One, Numbers("allocationSize"), {}}, Thread: PathEventThread, Class: pathClass, StateText: OutsideTLAB},
		{Event: "datadog.ObjectSample", Rank: 1, Values: [MaxValues]Factor{Numbers("weight"), Numbers("size", "weight"), {}}, Thread: PathEventThread, Class: pathClass},
		{Event: sampleEvent, Rank: 2, Values: [MaxValues]Factor{One, Numbers("weight"), {}}, Thread: PathEventThread, Class: pathClass, SinceLast: true},
	}},
	{"live", "Objects that are still alive", []Value{{"objects", Count}, {"bytes", Bytes}}, false, []Source{
		{Event: "profiler.LiveObject", Values: [MaxValues]Factor{One, Numbers("allocationSize"), {}}, Thread: PathEventThread, Class: pathClass},
		{Event: "datadog.HeapLiveObject", Values: [MaxValues]Factor{Numbers("weight"), Numbers("size", "weight"), {}}, Thread: PathEventThread, Class: pathClass},
		{Event: "jdk.OldObjectSample", Rank: 1, Values: [MaxValues]Factor{One, Numbers("objectSize"), {}}, Thread: PathEventThread, Class: pathOldObject, State: pathRoot},
	}},
	{"lock", "Waiting for locks", []Value{{"contentions", Count}, {"delay", Nanoseconds}}, false,
		[]Source{{Event: "jdk.JavaMonitorEnter", Values: [MaxValues]Factor{One, duration, {}}, Thread: PathEventThread, Class: pathMonitor}}},
	{"park", "Parked threads", []Value{{"parks", Count}, {"parked", Nanoseconds}}, false,
		[]Source{{Event: "jdk.ThreadPark", Values: [MaxValues]Factor{One, duration, {}}, Thread: PathEventThread, Class: pathParked}}},
	{"nativelock", "Waiting for native locks", []Value{{"contentions", Count}, {"delay", Nanoseconds}}, false,
		[]Source{{Event: "profiler.NativeLock", Values: [MaxValues]Factor{One, duration, {}}, Thread: PathEventThread}}},
	{"malloc", "Native memory", []Value{{"allocations", Count}, {"bytes", Bytes}}, false,
		[]Source{{Event: mallocEvent, Values: [MaxValues]Factor{One, Numbers("size"), {}}, Thread: PathEventThread}}},
	{"leak", "Native memory that was never freed", []Value{{"allocations", Count}, {"bytes", Bytes}}, false,
		[]Source{{Event: mallocEvent, Values: [MaxValues]Factor{One, Numbers("size"), {}}, Thread: PathEventThread, Mode: Leaked}}},
	{"exceptions", "Exceptions", []Value{{"exceptions", Count}}, false, []Source{
		{Event: "jdk.JavaExceptionThrow", Values: [MaxValues]Factor{One, {}, {}}, Thread: PathEventThread, Class: pathThrown, Mode: NotErrors},
		{Event: errorEvent, Values: [MaxValues]Factor{One, {}, {}}, Thread: PathEventThread, Class: pathThrown},
	}},
	{"io", "Files and sockets", []Value{{"operations", Count}, {"bytes", Bytes}, {"time", Nanoseconds}}, false, []Source{
		{Event: "jdk.FileRead", Values: [MaxValues]Factor{One, Numbers("bytesRead"), duration}, Thread: PathEventThread},
		{Event: "jdk.FileWrite", Values: [MaxValues]Factor{One, Numbers("bytesWritten"), duration}, Thread: PathEventThread},
		{Event: "jdk.SocketRead", Values: [MaxValues]Factor{One, Numbers("bytesRead"), duration}, Thread: PathEventThread},
		{Event: "jdk.SocketWrite", Values: [MaxValues]Factor{One, Numbers("bytesWritten"), duration}, Thread: PathEventThread},
		{Event: "jdk.FileForce", Values: [MaxValues]Factor{One, {}, duration}, Thread: PathEventThread},
	}},
	{"trace", "Traced methods", []Value{{"calls", Count}, {"time", Nanoseconds}}, false,
		[]Source{{Event: "jdk.MethodTrace", Values: [MaxValues]Factor{One, duration, {}}, Thread: PathEventThread, Called: calledMethod}}},
	{"gc", "Garbage collections", []Value{{"collections", Count}, {"pauses", Nanoseconds}}, false,
		[]Source{{Event: "jdk.GarbageCollection", Values: [MaxValues]Factor{One, Numbers("sumOfPauses"), {}}, Class: pathCause, State: PathName, AsFrames: true}}},
}

// Mode says which samples of a type are of a kind.
type Mode uint8

const (
	all        Mode = iota
	onCPU           // those of threads that run
	onTimedCPU      // the same, if they were taken each time that a thread had used a time
	untimed         // those that were not: they stand for no time
	onWall          // those of threads that were sampled whether they ran or not
	Leaked          // those of memory that was never freed

	grafanaCPU     // those that Grafana's parser takes for processor time
	grafanaWallCPU // those of a wall-clock profile that it takes for processor time
	grafanaWall    // those that it takes for wall-clock time
	Lost           // none: the events count samples that could not be recorded

	NotErrors // those of classes that no JavaErrorThrow of the chunk has
)

// NeedsSettings reports whether settings say which samples count.
func (m Mode) NeedsSettings() bool {
	return m != all && m != Leaked && m != Lost && m != NotErrors
}

// Position returns the number of the source of an event type.
func (k *Kind) Position(event string) int {
	return slices.IndexFunc(k.Sources, func(s Source) bool { return s.Event == event })
}

// ManyChunks is how many chunks for each worker are enough to read each by one worker alone. Workers
// need not wait for each other then.
const ManyChunks = 4

// EachChunk calls do with chunks of a recording, several at once, and with how many workers to read each. The
// memory of a chunk that has been read goes back to the system.
func EachChunk(ctx context.Context, rec *mmapjfr.Recording, chunks []mmapjfr.Chunk, do func(c mmapjfr.Chunk, workers int)) {
	workers := engine.RecordingWorkers(rec)
	atOnce, each := workers, 1
	if len(chunks) < ManyChunks*workers {
		atOnce, each = min(workers, ManyChunks), workers
	}
	parallel.ForEach(atOnce, len(chunks), func(_, i int) {
		if c := chunks[i]; ctx.Err() == nil {
			do(c, each)
			engine.ChunkDropPages(c)
		}
	})
}
