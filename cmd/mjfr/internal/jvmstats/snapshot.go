package jvmstats

import (
	"time"

	"github.com/mmapjfr/jfr/internal/jsonout"
)

// State is the state of a stream.
type State string

// The states of a stream.
const (
	// Waiting is before the first flush.
	Waiting State = "waiting"
	// Live is while events come.
	Live State = "live"
	// Ended is after the last event of a stream that ended as it should.
	Ended State = "ended"
	// Lost is when there may be more events, but they cannot be read.
	Lost State = "lost"
)

// Snapshot is the state after a flush. A value is zero, and absent in JSON, if no event had it.
// Rates and shares are over the last ten seconds, or over the whole time if that is shorter. Recent
// values are over the last minute. All callers that get the same state share the slices, and must
// not change them.
type Snapshot struct {
	// Time is the time of the newest event, and Start that of the first.
	Time  jsonout.Timestamp `json:"time,omitzero"`
	Start jsonout.Timestamp `json:"start,omitzero"`
	State State             `json:"state"`
	// Why is the reason if the stream was lost.
	Why string `json:"why,omitempty"`
	// Quiet is the time since the last flush, by the clock of this process.
	Quiet time.Duration `json:"quietNanos"`
	// Number is different for the state after each flush, and after the end.
	Number uint64 `json:"-"`
	// Remarks are messages for the user, see [Vitals.Remark].
	Remarks []string `json:"-"`

	Events    Events     `json:"events"`
	JVM       JVM        `json:"jvm,omitzero"`
	CPU       CPU        `json:"cpu,omitzero"`
	Heap      Heap       `json:"heap,omitzero"`
	Metaspace Metaspace  `json:"metaspace,omitzero"`
	GC        GC         `json:"gc,omitzero"`
	Alloc     Allocation `json:"allocation,omitzero"`
	// Methods are the methods that samples found running in Java, Native those in native code, and
	// CPUTime those that used processor time.
	Methods    Methods    `json:"methods,omitzero"`
	Native     Methods    `json:"nativeMethods,omitzero"`
	CPUTime    Methods    `json:"cpuTimeMethods,omitzero"`
	Locks      []Lock     `json:"locks,omitempty"`
	Exceptions Exceptions `json:"exceptions,omitzero"`
	Threads    Threads    `json:"threads,omitzero"`
	IO         IO         `json:"io,omitzero"`

	// Types are all types with events, by name.
	Types []TypeRate `json:"types"`
	// Picked is the picked type, and Recent its last events as text, the oldest first.
	Picked string   `json:"picked,omitempty"`
	Recent []string `json:"recent,omitempty"`
}

// Events is the number of all events.
type Events struct {
	Count     uint64  `json:"count"`
	PerSecond float64 `json:"perSecond"`
}

// TypeRate is the number of events of a type.
type TypeRate struct {
	Name  string `json:"name"`
	Count uint64 `json:"count"`
	// PerSecond is over the last ten seconds, and PerSecondMinute over the last minute.
	PerSecond       float64           `json:"perSecond"`
	PerSecondMinute float64           `json:"perSecondMinute"`
	Last            jsonout.Timestamp `json:"last,omitzero"`
}

// JVM is the JVM and its program.
type JVM struct {
	PID           int64             `json:"pid,omitempty"`
	Name          string            `json:"name,omitempty"`
	Version       string            `json:"version,omitempty"`
	Arguments     string            `json:"arguments,omitempty"`
	JavaArguments string            `json:"javaArguments,omitempty"`
	Start         jsonout.Timestamp `json:"start,omitzero"`
	// Processor is the processor's name, and HardwareThreads the number of threads that all
	// processors run at the same time.
	Processor       string `json:"processor,omitempty"`
	HardwareThreads int64  `json:"hardwareThreads,omitempty"`
}

// CPU is the load of the processors; 1 is all of them.
type CPU struct {
	Time      jsonout.Timestamp `json:"time,omitzero"`
	JVMUser   float64           `json:"jvmUser"`
	JVMSystem float64           `json:"jvmSystem"`
	Machine   float64           `json:"machine"`
	History   []CPUPoint        `json:"history,omitempty"`
}

// CPUPoint is the load of the processors: by the JVM, user and system together, and by the machine.
type CPUPoint struct {
	Time    jsonout.Timestamp `json:"time,omitzero"`
	JVM     float64           `json:"jvm"`
	Machine float64           `json:"machine"`
}

// Heap is the Java heap, in bytes.
type Heap struct {
	Time      jsonout.Timestamp `json:"time,omitzero"`
	Used      int64             `json:"used"`
	Committed int64             `json:"committed"`
	Max       int64             `json:"max,omitempty"`
	// BeforeGC and AfterGC are the used bytes before and after the last collection.
	BeforeGC int64       `json:"beforeGC,omitempty"`
	AfterGC  int64       `json:"afterGC,omitempty"`
	History  []HeapPoint `json:"history,omitempty"`
}

// HeapPoint is the greatest number of used bytes in a second, and the committed bytes.
type HeapPoint struct {
	Time      jsonout.Timestamp `json:"time,omitzero"`
	Used      int64             `json:"used"`
	Committed int64             `json:"committed"`
}

// Metaspace is the memory of classes, in bytes.
type Metaspace struct {
	Time      jsonout.Timestamp `json:"time,omitzero"`
	Used      int64             `json:"used"`
	Committed int64             `json:"committed"`
	Reserved  int64             `json:"reserved"`
}

// GC is the pauses of garbage collections.
type GC struct {
	// Time is when the last pause ended, and Last its length.
	Time jsonout.Timestamp `json:"time,omitzero"`
	Last time.Duration     `json:"lastNanos"`
	// Recent is the number of recent pauses, Sum their length, and Longest the longest one.
	Recent  int64         `json:"recent"`
	Sum     time.Duration `json:"sumNanos"`
	Longest time.Duration `json:"longestNanos"`
	// Share is the share of the recent pauses in the time.
	Share float64 `json:"share"`
	// Count is the number of all pauses, and Total their length.
	Count  uint64        `json:"count"`
	Total  time.Duration `json:"totalNanos"`
	Causes []Cause       `json:"causes,omitempty"`
	// Young and Old are the names of the collectors.
	Young string `json:"young,omitempty"`
	Old   string `json:"old,omitempty"`
}

// Cause is a cause of recent collections, with their number and pauses.
type Cause struct {
	Name   string        `json:"name"`
	Count  int64         `json:"count"`
	Pauses time.Duration `json:"pausesNanos"`
}

// Allocation is the memory for new objects, in bytes. It is an estimate from samples, or from
// buffers of threads.
type Allocation struct {
	// Source is the event type of the numbers.
	Source    string       `json:"source,omitempty"`
	PerSecond float64      `json:"bytesPerSecond"`
	Recent    int64        `json:"recentBytes"`
	Classes   []ClassAlloc `json:"classes,omitempty"`
}

// ClassAlloc is the recent allocation of objects of a class.
type ClassAlloc struct {
	Class  string  `json:"class"`
	Bytes  int64   `json:"bytes"`
	Events int64   `json:"events"`
	Share  float64 `json:"share"`
}

// Methods are the methods that recent samples found running.
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

// LockKind is the way in which threads wait.
type LockKind string

// The kinds of locks.
const (
	// Monitor is waiting for the monitor of an object.
	Monitor LockKind = "monitor"
	// Park is waiting for locks of java.util.concurrent.
	Park LockKind = "park"
)

// Lock is the number and the sum of recent waits of threads for objects of a class.
type Lock struct {
	Kind  LockKind      `json:"kind"`
	Class string        `json:"class"`
	Count int64         `json:"count"`
	Wait  time.Duration `json:"waitNanos"`
}

// Exceptions is the exceptions and errors.
type Exceptions struct {
	// Time is when the JVM last recorded Count, the number since its start.
	Time      jsonout.Timestamp `json:"time,omitzero"`
	Count     int64             `json:"count"`
	PerSecond float64           `json:"perSecond"`
	// Recorded is the number of recent ones that have events of their own, and Source their type:
	// that of errors, if there are no events of other exceptions.
	Source   string       `json:"source,omitempty"`
	Recorded int64        `json:"recorded"`
	Classes  []ClassCount `json:"classes,omitempty"`
}

// ClassCount is a class with a number.
type ClassCount struct {
	Class string `json:"class"`
	Count int64  `json:"count"`
}

// Threads is the number of threads.
type Threads struct {
	Time    jsonout.Timestamp `json:"time,omitzero"`
	Active  int64             `json:"active"`
	Daemon  int64             `json:"daemon"`
	Peak    int64             `json:"peak"`
	Started int64             `json:"started"`
}

// IO is the bytes that are read and written per second. Usually only slow operations are recorded.
type IO struct {
	Time         jsonout.Timestamp `json:"time,omitzero"`
	FileRead     float64           `json:"fileReadBytesPerSecond"`
	FileWrite    float64           `json:"fileWriteBytesPerSecond"`
	SocketRead   float64           `json:"socketReadBytesPerSecond"`
	SocketWrite  float64           `json:"socketWriteBytesPerSecond"`
	RecentEvents int64             `json:"recentEvents"`
}

// snapshot returns the state now.
func (v *Vitals) snapshot() Snapshot {
	return Snapshot{
		Time:       jsonout.At(v.clock.time(v.clock.now)),
		Start:      jsonout.At(v.clock.time(v.clock.first)),
		State:      v.state,
		Why:        v.why,
		Number:     v.flushes,
		Events:     Events{v.count, v.rate(&v.perSecond, rateSeconds)},
		JVM:        v.jvm,
		CPU:        v.cpuNow(),
		Heap:       v.heapNow(),
		Metaspace:  v.metaspaceNow(),
		GC:         v.collectionsNow(),
		Alloc:      v.allocationNow(),
		Methods:    v.methodsOf(&v.samples.java),
		Native:     v.methodsOf(&v.samples.native),
		CPUTime:    v.methodsOf(&v.samples.cpuTime),
		Locks:      v.locksNow(),
		Exceptions: v.exceptionsNow(),
		Threads:    v.threadsNow(),
		IO:         v.trafficNow(),
		Types:      v.types(),
	}
}
