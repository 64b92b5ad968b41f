package writer

import "time"

// Events of the JDK that make sense for programs in other languages too, for a [Recorder]: the tools
// of the JDK and JDK Mission Control have views of them.

// CPULoad is jdk.CPULoad: shares of all processors, from 0 to 1.
type CPULoad struct {
	JVMUser      float32 `jfr:"jvmUser" label:"JVM User" unit:"percentage"`
	JVMSystem    float32 `jfr:"jvmSystem" label:"JVM System" unit:"percentage"`
	MachineTotal float32 `jfr:"machineTotal" label:"Machine Total" unit:"percentage"`
}

// EventInfo describes the event type.
func (CPULoad) EventInfo() EventInfo {
	return EventInfo{
		Name: "jdk.CPULoad", Label: "CPU Load", Category: []string{"Operating System", "Processor"},
		Description: "Information about the recent CPU usage of the process", Instant: true, NoThread: true,
	}
}

// GarbageCollection is jdk.GarbageCollection.
type GarbageCollection struct {
	ID           uint32        `jfr:"gcId" label:"GC Identifier" annotate:"jdk.types.GcId"`
	Name         string        `jfr:"name" label:"Name" type:"jdk.types.GCName"`
	Cause        string        `jfr:"cause" label:"Cause" type:"jdk.types.GCCause"`
	SumOfPauses  time.Duration `jfr:"sumOfPauses" label:"Sum of Pauses" unit:"ticks"`
	LongestPause time.Duration `jfr:"longestPause" label:"Longest Pause" unit:"ticks"`
}

// EventInfo describes the event type.
func (GarbageCollection) EventInfo() EventInfo {
	return EventInfo{
		Name: "jdk.GarbageCollection", Label: "Garbage Collection", Description: "Garbage collection",
		Category: []string{"Java Virtual Machine", "GC", "Collector"}, NoThread: true,
	}
}

// GCPhasePause is jdk.GCPhasePause, a time in which a collection stopped the program.
type GCPhasePause struct {
	ID   uint32 `jfr:"gcId" label:"GC Identifier" annotate:"jdk.types.GcId"`
	Name string `jfr:"name" label:"Name" type:"java.lang.String"`
}

// EventInfo describes the event type.
func (GCPhasePause) EventInfo() EventInfo {
	return EventInfo{Name: "jdk.GCPhasePause", Label: "GC Phase Pause", Category: []string{"Java Virtual Machine", "GC", "Phases"}}
}

// VirtualSpace is jdk.types.VirtualSpace, a range of memory.
type VirtualSpace struct {
	Start         uint64 `jfr:"start" label:"Start Address" unit:"address"`
	CommittedEnd  uint64 `jfr:"committedEnd" label:"Committed End Address" unit:"address"`
	CommittedSize uint64 `jfr:"committedSize" label:"Committed Size" unit:"bytes"`
	ReservedEnd   uint64 `jfr:"reservedEnd" label:"Reserved End Address" unit:"address"`
	ReservedSize  uint64 `jfr:"reservedSize" label:"Reserved Size" unit:"bytes"`
}

// When an event of the heap is recorded.
const (
	BeforeGC = "Before GC"
	AfterGC  = "After GC"
)

// GCHeapSummary is jdk.GCHeapSummary: the heap before or after a collection.
type GCHeapSummary struct {
	ID        uint32       `jfr:"gcId" label:"GC Identifier" annotate:"jdk.types.GcId"`
	When      string       `jfr:"when" label:"When" type:"jdk.types.GCWhen"` // BeforeGC or AfterGC
	HeapSpace VirtualSpace `jfr:"heapSpace" label:"Heap Space" type:"jdk.types.VirtualSpace"`
	HeapUsed  uint64       `jfr:"heapUsed" label:"Heap Used" description:"Bytes of objects in the heap" unit:"bytes"`
}

// EventInfo describes the event type.
func (GCHeapSummary) EventInfo() EventInfo {
	return EventInfo{
		Name: "jdk.GCHeapSummary", Label: "Heap Summary", Category: []string{"Java Virtual Machine", "GC", "Heap"},
		Instant: true, NoThread: true,
	}
}

// ExecutionSample is jdk.ExecutionSample: a thread was found running on a processor.
type ExecutionSample struct {
	Thread Thread `jfr:"sampledThread" label:"Thread"`
	Stack  Stack  `jfr:"stackTrace" label:"Stack Trace"`
	State  string `jfr:"state" label:"Thread State" type:"jdk.types.ThreadState"` // such as STATE_RUNNABLE
}

// EventInfo describes the event type.
func (ExecutionSample) EventInfo() EventInfo {
	return EventInfo{
		Name: "jdk.ExecutionSample", Label: "Java Execution Sample", Description: "Snapshot of a thread executing code",
		Category: []string{"Java Virtual Machine", "Profiling"}, Instant: true, NoThread: true,
	}
}

// JavaMonitorEnter is jdk.JavaMonitorEnter: a thread waited for a lock, as the profiles mutex and
// block of package runtime show.
type JavaMonitorEnter struct {
	Stack         Stack     `jfr:"stackTrace" label:"Stack Trace"`
	MonitorClass  ClassName `jfr:"monitorClass" label:"Monitor Class"`
	PreviousOwner Thread    `jfr:"previousOwner" label:"Previous Monitor Owner"`
	Address       uint64    `jfr:"address" label:"Monitor Address" unit:"address" annotate:"jdk.types.JavaMonitorAddress"`
}

// EventInfo describes the event type.
func (JavaMonitorEnter) EventInfo() EventInfo {
	return EventInfo{Name: "jdk.JavaMonitorEnter", Label: "Java Monitor Blocked", Category: []string{"Java Application"}}
}

// ObjectAllocationSample is jdk.ObjectAllocationSample: a sample of what is allocated.
type ObjectAllocationSample struct {
	Stack  Stack     `jfr:"stackTrace" label:"Stack Trace"`
	Class  ClassName `jfr:"objectClass" label:"Object Class"`
	Weight int64     `jfr:"weight" label:"Sample Weight" unit:"bytes"`
}

// EventInfo describes the event type.
func (ObjectAllocationSample) EventInfo() EventInfo {
	return EventInfo{
		Name: "jdk.ObjectAllocationSample", Label: "Object Allocation Sample", Category: []string{"Java Application"}, Instant: true,
	}
}

// JVMInformation is jdk.JVMInformation, which says what program was recorded.
type JVMInformation struct {
	Name      string    `jfr:"jvmName" label:"JVM Name"`
	Version   string    `jfr:"jvmVersion" label:"JVM Version"`
	Arguments string    `jfr:"jvmArguments" label:"JVM Command Line Arguments"`
	Flags     string    `jfr:"jvmFlags" label:"JVM Settings File Arguments"`
	Program   string    `jfr:"javaArguments" label:"Java Application Arguments"`
	Start     time.Time `jfr:"jvmStartTime" label:"JVM Start Time" unit:"ms"`
	PID       int64     `jfr:"pid" label:"Process Identifier"`
}

// EventInfo describes the event type.
func (JVMInformation) EventInfo() EventInfo {
	return EventInfo{
		Name: "jdk.JVMInformation", Label: "JVM Information", Description: "Description of the program",
		Category: []string{"Java Virtual Machine"}, Instant: true, NoThread: true,
	}
}
