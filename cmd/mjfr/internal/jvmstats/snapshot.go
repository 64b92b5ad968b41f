package jvmstats

import "time"

// State is how a stream is.
type State string

// The states of a stream.
const (
	// Waiting is before the first flush.
	Waiting State = "waiting"
	// Live is while events come.
	Live State = "live"
	// Ended is when there are no more events, as they should end.
	Ended State = "ended"
	// Lost is when there may be more events, which cannot be had.
	Lost State = "lost"
)

// Snapshot is what was known after a flush. What no event has told is zero; it is then
// absent in JSON. Rates and shares are of the last ten seconds, or of the time there
// has been if that is shorter, and all that is said to be recent of the last minute.
// The slices are shared by all who got the same state, and must not be changed.
type Snapshot struct {
	// Time is the time of the events, and Start that of the first one.
	Time  time.Time `json:"time,omitzero"`
	Start time.Time `json:"start,omitzero"`
	State State     `json:"state"`
	// Why is why a stream was lost.
	Why string `json:"why,omitempty"`
	// Quiet is how long ago, by the clock of this process, the last flush was.
	Quiet time.Duration `json:"quietNanos"`
	// Number counts the states: what has another one is of another flush, or of the end.
	Number uint64 `json:"-"`
	// Remarks are what a person should be told of, see [Vitals.Remark].
	Remarks []string `json:"-"`

	Events    Events     `json:"events"`
	JVM       JVM        `json:"jvm,omitzero"`
	CPU       CPU        `json:"cpu,omitzero"`
	Heap      Heap       `json:"heap,omitzero"`
	Metaspace Metaspace  `json:"metaspace,omitzero"`
	GC        GC         `json:"gc,omitzero"`
	Alloc     Allocation `json:"allocation,omitzero"`
	// Methods are those that samples of threads in Java found running, Native those in
	// native code, and CPUTime those that the processor was spent on.
	Methods    Methods    `json:"methods,omitzero"`
	Native     Methods    `json:"nativeMethods,omitzero"`
	CPUTime    Methods    `json:"cpuTimeMethods,omitzero"`
	Locks      []Lock     `json:"locks,omitempty"`
	Exceptions Exceptions `json:"exceptions,omitzero"`
	Threads    Threads    `json:"threads,omitzero"`
	IO         IO         `json:"io,omitzero"`

	// Types are all types that had events, by name.
	Types []TypeRate `json:"types"`
	// Picked is the type that was picked, and Recent its last events as text, the
	// oldest first.
	Picked string   `json:"picked,omitempty"`
	Recent []string `json:"recent,omitempty"`
}

// Events tells of all events.
type Events struct {
	Count     uint64  `json:"count"`
	PerSecond float64 `json:"perSecond"`
}

// TypeRate tells of the events of a type.
type TypeRate struct {
	Name  string `json:"name"`
	Count uint64 `json:"count"`
	// PerSecond is the rate of the last ten seconds, PerSecondMinute that of the last
	// minute.
	PerSecond       float64   `json:"perSecond"`
	PerSecondMinute float64   `json:"perSecondMinute"`
	Last            time.Time `json:"last,omitzero"`
}

// JVM tells what runs.
type JVM struct {
	PID           int64     `json:"pid,omitempty"`
	Name          string    `json:"name,omitempty"`
	Version       string    `json:"version,omitempty"`
	Arguments     string    `json:"arguments,omitempty"`
	JavaArguments string    `json:"javaArguments,omitempty"`
	Start         time.Time `json:"start,omitzero"`
	// Processor is the processor's name, and HardwareThreads how many threads all
	// processors run at a time.
	Processor       string `json:"processor,omitempty"`
	HardwareThreads int64  `json:"hardwareThreads,omitempty"`
}

// CPU is how busy the processors are, 1 being all of them.
type CPU struct {
	Time      time.Time  `json:"time,omitzero"`
	JVMUser   float64    `json:"jvmUser"`
	JVMSystem float64    `json:"jvmSystem"`
	Machine   float64    `json:"machine"`
	History   []CPUPoint `json:"history,omitempty"`
}

// CPUPoint is how busy the processors were: the JVM, user and system together, and the
// machine.
type CPUPoint struct {
	Time    time.Time `json:"time,omitzero"`
	JVM     float64   `json:"jvm"`
	Machine float64   `json:"machine"`
}

// Heap is the Java heap, in bytes.
type Heap struct {
	Time      time.Time `json:"time,omitzero"`
	Used      int64     `json:"used"`
	Committed int64     `json:"committed"`
	Max       int64     `json:"max,omitempty"`
	// BeforeGC and AfterGC are what was used before and after the last collection.
	BeforeGC int64       `json:"beforeGC,omitempty"`
	AfterGC  int64       `json:"afterGC,omitempty"`
	History  []HeapPoint `json:"history,omitempty"`
}

// HeapPoint is the most that was used in a second, and what was committed.
type HeapPoint struct {
	Time      time.Time `json:"time,omitzero"`
	Used      int64     `json:"used"`
	Committed int64     `json:"committed"`
}

// Metaspace is where the JVM keeps classes, in bytes.
type Metaspace struct {
	Time      time.Time `json:"time,omitzero"`
	Used      int64     `json:"used"`
	Committed int64     `json:"committed"`
	Reserved  int64     `json:"reserved"`
}

// GC tells of the pauses for garbage collections.
type GC struct {
	// Time is when the last pause ended, and Last how long it was.
	Time time.Time     `json:"time,omitzero"`
	Last time.Duration `json:"lastNanos"`
	// Recent is how many pauses there were, and Sum and Longest how long they were.
	Recent  int64         `json:"recent"`
	Sum     time.Duration `json:"sumNanos"`
	Longest time.Duration `json:"longestNanos"`
	// Share is the part of the time of the recent pauses in all time.
	Share float64 `json:"share"`
	// Count is how many pauses there have been in all, and Total how long they were.
	Count  uint64        `json:"count"`
	Total  time.Duration `json:"totalNanos"`
	Causes []Cause       `json:"causes,omitempty"`
	// Young and Old are the names of the collectors.
	Young string `json:"young,omitempty"`
	Old   string `json:"old,omitempty"`
}

// Cause is why recent collections were, and how long the pauses for them.
type Cause struct {
	Name   string        `json:"name"`
	Count  int64         `json:"count"`
	Pauses time.Duration `json:"pausesNanos"`
}

// Allocation is how much memory is used for new objects, in bytes. It is estimated from
// samples, or from buffers of threads that are used up.
type Allocation struct {
	// Source is the event type that tells.
	Source    string       `json:"source,omitempty"`
	PerSecond float64      `json:"bytesPerSecond"`
	Recent    int64        `json:"recentBytes"`
	Classes   []ClassAlloc `json:"classes,omitempty"`
}

// ClassAlloc is how much of the recent allocation was objects of a class.
type ClassAlloc struct {
	Class  string  `json:"class"`
	Bytes  int64   `json:"bytes"`
	Events int64   `json:"events"`
	Share  float64 `json:"share"`
}

// Methods are where recent samples found threads.
type Methods struct {
	Samples int64    `json:"samples"`
	Top     []Method `json:"top,omitempty"`
}

// Method is a method that was found running, at the top of the stack.
type Method struct {
	Name    string  `json:"name"`
	Samples int64   `json:"samples"`
	Share   float64 `json:"share"`
}

// LockKind is in what way threads wait.
type LockKind string

// The kinds of locks.
const (
	// Monitor is for the monitor of an object.
	Monitor LockKind = "monitor"
	// Park is what locks of java.util.concurrent do.
	Park LockKind = "park"
)

// Lock is how often and how long, in sum, threads waited recently.
type Lock struct {
	Kind  LockKind      `json:"kind"`
	Class string        `json:"class"`
	Count int64         `json:"count"`
	Wait  time.Duration `json:"waitNanos"`
}

// Exceptions tells of what was thrown.
type Exceptions struct {
	// Time is when the JVM last told how many there have been: Count.
	Time      time.Time `json:"time,omitzero"`
	Count     int64     `json:"count"`
	PerSecond float64   `json:"perSecond"`
	// Recorded is how many recent ones were recorded one by one, and Source the event
	// type.
	Source   string       `json:"source,omitempty"`
	Recorded int64        `json:"recorded"`
	Classes  []ClassCount `json:"classes,omitempty"`
}

// ClassCount is how often there was something of a class.
type ClassCount struct {
	Class string `json:"class"`
	Count int64  `json:"count"`
}

// Threads is how many threads there are, and how many there have been.
type Threads struct {
	Time    time.Time `json:"time,omitzero"`
	Active  int64     `json:"active"`
	Daemon  int64     `json:"daemon"`
	Peak    int64     `json:"peak"`
	Started int64     `json:"started"`
}

// IO is how many bytes are read and written a second, by what is recorded: as a rule
// only what takes long is.
type IO struct {
	Time         time.Time `json:"time,omitzero"`
	FileRead     float64   `json:"fileReadBytesPerSecond"`
	FileWrite    float64   `json:"fileWriteBytesPerSecond"`
	SocketRead   float64   `json:"socketReadBytesPerSecond"`
	SocketWrite  float64   `json:"socketWriteBytesPerSecond"`
	RecentEvents int64     `json:"recentEvents"`
}
