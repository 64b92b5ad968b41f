package jvmstats

// settings make a JVM record what is observed, at little cost: as in the JDK's default
// profile, except where more is recorded at the same price. A JVM records exceptions one by one only
// if it limits their number.
var settings = []struct {
	since    int // the first release that has them
	event    string
	settings []string
}{
	{0, "jdk.JVMInformation", []string{"period=beginChunk"}},
	{0, "jdk.CPUInformation", []string{"period=beginChunk"}},
	{0, "jdk.CPULoad", []string{"period=1s"}},
	{0, "jdk.JavaThreadStatistics", []string{"period=1s"}},
	{0, "jdk.ExceptionStatistics", []string{"period=1s"}},
	{0, "jdk.GCConfiguration", []string{"period=beginChunk"}},
	{0, "jdk.GCHeapConfiguration", []string{"period=beginChunk"}},
	{0, "jdk.GCHeapSummary", nil},
	{21, "jdk.GCHeapMemoryUsage", []string{"period=1s"}},
	{0, "jdk.MetaspaceSummary", nil},
	{0, "jdk.GarbageCollection", []string{"threshold=0ms"}},
	{0, "jdk.GCPhasePause", []string{"threshold=0ms"}},
	{16, "jdk.ObjectAllocationSample", []string{"throttle=150/s", "stackTrace=true"}},
	{0, "jdk.ExecutionSample", []string{"period=20ms"}},
	{0, "jdk.NativeMethodSample", []string{"period=20ms"}},
	{0, "jdk.JavaMonitorEnter", []string{"threshold=10ms"}},
	{0, "jdk.ThreadPark", []string{"threshold=10ms"}},
	{0, "jdk.JavaErrorThrow", nil},
	{25, "jdk.JavaExceptionThrow", []string{"throttle=100/s"}},
	{0, "jdk.FileRead", []string{"threshold=10ms"}},
	{25, "jdk.FileRead", []string{"threshold=1ms"}},
	{0, "jdk.FileWrite", []string{"threshold=10ms"}},
	{25, "jdk.FileWrite", []string{"threshold=1ms"}},
	{0, "jdk.SocketRead", []string{"threshold=10ms"}},
	{25, "jdk.SocketRead", []string{"threshold=1ms"}},
	{0, "jdk.SocketWrite", []string{"threshold=10ms"}},
	{25, "jdk.SocketWrite", []string{"threshold=1ms"}},
}

// Settings returns the settings of a recording by a JVM of a release, such as 17: each as in
// "jdk.CPULoad#period=1s". Of two for the same thing the later one holds. For a release of 0, which
// is not known, Settings leaves out those that only newer releases understand.
func Settings(release int) []string {
	var texts []string
	for _, s := range settings {
		if s.since > release {
			continue
		}
		for _, setting := range append([]string{"enabled=true"}, s.settings...) {
			texts = append(texts, s.event+"#"+setting)
		}
	}
	return texts
}
