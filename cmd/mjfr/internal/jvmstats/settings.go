package jvmstats

// setting is what a recording is told, by JVMs of a release and later.
type setting struct {
	since int
	text  string
}

// settings make a JVM record what is observed, at little cost: as in the JDK's default
// profile, but for what tells more at the same price. Exceptions are recorded one by
// one only by JVMs that limit how many.
var settings = []setting{
	{0, "jdk.JVMInformation#enabled=true"},
	{0, "jdk.JVMInformation#period=beginChunk"},
	{0, "jdk.CPUInformation#enabled=true"},
	{0, "jdk.CPUInformation#period=beginChunk"},
	{0, "jdk.CPULoad#enabled=true"},
	{0, "jdk.CPULoad#period=1s"},
	{0, "jdk.JavaThreadStatistics#enabled=true"},
	{0, "jdk.JavaThreadStatistics#period=1s"},
	{0, "jdk.ExceptionStatistics#enabled=true"},
	{0, "jdk.ExceptionStatistics#period=1s"},
	{0, "jdk.GCConfiguration#enabled=true"},
	{0, "jdk.GCConfiguration#period=beginChunk"},
	{0, "jdk.GCHeapConfiguration#enabled=true"},
	{0, "jdk.GCHeapConfiguration#period=beginChunk"},
	{0, "jdk.GCHeapSummary#enabled=true"},
	{21, "jdk.GCHeapMemoryUsage#enabled=true"},
	{21, "jdk.GCHeapMemoryUsage#period=1s"},
	{0, "jdk.MetaspaceSummary#enabled=true"},
	{0, "jdk.GarbageCollection#enabled=true"},
	{0, "jdk.GarbageCollection#threshold=0ms"},
	{0, "jdk.GCPhasePause#enabled=true"},
	{0, "jdk.GCPhasePause#threshold=0ms"},
	{16, "jdk.ObjectAllocationSample#enabled=true"},
	{16, "jdk.ObjectAllocationSample#throttle=150/s"},
	{16, "jdk.ObjectAllocationSample#stackTrace=true"},
	{0, "jdk.ExecutionSample#enabled=true"},
	{0, "jdk.ExecutionSample#period=20ms"},
	{0, "jdk.NativeMethodSample#enabled=true"},
	{0, "jdk.NativeMethodSample#period=20ms"},
	{0, "jdk.JavaMonitorEnter#enabled=true"},
	{0, "jdk.JavaMonitorEnter#threshold=10ms"},
	{0, "jdk.ThreadPark#enabled=true"},
	{0, "jdk.ThreadPark#threshold=10ms"},
	{0, "jdk.JavaErrorThrow#enabled=true"},
	{25, "jdk.JavaExceptionThrow#enabled=true"},
	{25, "jdk.JavaExceptionThrow#throttle=100/s"},
	{0, "jdk.FileRead#enabled=true"},
	{0, "jdk.FileRead#threshold=10ms"},
	{25, "jdk.FileRead#threshold=1ms"},
	{0, "jdk.FileWrite#enabled=true"},
	{0, "jdk.FileWrite#threshold=10ms"},
	{25, "jdk.FileWrite#threshold=1ms"},
	{0, "jdk.SocketRead#enabled=true"},
	{0, "jdk.SocketRead#threshold=10ms"},
	{25, "jdk.SocketRead#threshold=1ms"},
	{0, "jdk.SocketWrite#enabled=true"},
	{0, "jdk.SocketWrite#threshold=10ms"},
	{25, "jdk.SocketWrite#threshold=1ms"},
}

// Settings returns the settings of a recording, by a JVM of that release, such as 17,
// that has what is observed: each as in "jdk.CPULoad#period=1s". Of two for the same
// thing the later one holds. A release of 0 is one that is not known: those that only
// newer ones understand are left out.
func Settings(release int) []string {
	var texts []string
	for _, s := range settings {
		if s.since <= release {
			texts = append(texts, s.text)
		}
	}
	return texts
}
