package profile

// grafanaKinds are the profiles that Grafana's parser makes of a recording. Each type of allocation
// is one of its own; nothing is left out for something better.
var grafanaKinds = []knownKind{
	{Kind{"process_cpu", "CPU time", []ValueType{{"cpu", Nanoseconds}}, true}, []source{
		{event: executionSample, values: [maxValues]weight{perSample(), {}, {}}, state: pathState, mode: grafanaCPU},
		{event: wallSampleEvent, values: [maxValues]weight{perSample("samples"), {}, {}}, state: pathState, mode: grafanaWallCPU},
	}},
	{Kind{"wall", "Wall-clock time", []ValueType{{"wall", Nanoseconds}}, true}, []source{
		{event: wallSampleEvent, values: [maxValues]weight{perSample("samples"), {}, {}}},
		{event: executionSample, values: [maxValues]weight{perSample(), {}, {}}, mode: grafanaWall},
	}},
	grafanaKind("alloc_in_new_tlab", "jdk.ObjectAllocationInNewTLAB", "objects", ValueType{"bytes", Bytes}, numbers("tlabSize")),
	grafanaKind("alloc_outside_tlab", "jdk.ObjectAllocationOutsideTLAB", "objects", ValueType{"bytes", Bytes}, numbers("allocationSize")),
	grafanaKind("alloc_sample", sampleEvent, "objects", ValueType{"bytes", Bytes}, numbers("weight")),
	grafanaKind("mutex", "jdk.JavaMonitorEnter", "contentions", ValueType{"delay", Nanoseconds}, duration),
	grafanaKind("block", "jdk.ThreadPark", "contentions", ValueType{"delay", Nanoseconds}, duration),
	{Kind{"live", "Objects that are still alive", []ValueType{{"live", Count}}, false}, []source{
		{event: "profiler.LiveObject", values: [maxValues]weight{one, {}, {}}},
	}},
	grafanaKind("malloc", mallocEvent, "objects", ValueType{"bytes", Bytes}, numbers("size")),
}

// grafanaKind returns a kind with a count and another value, of events of one type.
func grafanaKind(name, event, count string, value ValueType, w weight) knownKind {
	return knownKind{
		Kind{name, name, []ValueType{{count, Count}, value}, false},
		[]source{{event: event, values: [maxValues]weight{one, w, {}}}},
	}
}
