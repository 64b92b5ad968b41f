package weigh

// GrafanaKinds are the profiles that Grafana's parser makes of a recording. Each type of allocation
// is one of its own; nothing is left out for something better.
var GrafanaKinds = []Kind{
	{"process_cpu", "CPU time", []Value{{"cpu", Nanoseconds}}, true, []Source{
		{Event: ExecutionSample, Values: [MaxValues]Factor{perSample(), {}, {}}, State: pathState, Mode: grafanaCPU},
		{Event: WallSampleEvent, Values: [MaxValues]Factor{perSample("samples"), {}, {}}, State: pathState, Mode: grafanaWallCPU},
	}},
	{"wall", "Wall-clock time", []Value{{"wall", Nanoseconds}}, true, []Source{
		{Event: WallSampleEvent, Values: [MaxValues]Factor{perSample("samples"), {}, {}}},
		{Event: ExecutionSample, Values: [MaxValues]Factor{perSample(), {}, {}}, Mode: grafanaWall},
	}},
	grafanaKind("alloc_in_new_tlab", "jdk.ObjectAllocationInNewTLAB", "objects", Value{"bytes", Bytes}, Numbers("tlabSize")),
	grafanaKind("alloc_outside_tlab", "jdk.ObjectAllocationOutsideTLAB", "objects", Value{"bytes", Bytes}, Numbers("allocationSize")),
	grafanaKind("alloc_sample", sampleEvent, "objects", Value{"bytes", Bytes}, Numbers("weight")),
	grafanaKind("mutex", "jdk.JavaMonitorEnter", "contentions", Value{"delay", Nanoseconds}, duration),
	grafanaKind("block", "jdk.ThreadPark", "contentions", Value{"delay", Nanoseconds}, duration),
	{"live", "Objects that are still alive", []Value{{"live", Count}}, false,
		[]Source{{Event: "profiler.LiveObject", Values: [MaxValues]Factor{One, {}, {}}}}},
	grafanaKind("malloc", mallocEvent, "objects", Value{"bytes", Bytes}, Numbers("size")),
}

// grafanaKind returns a kind with a count and another value, of events of one type.
func grafanaKind(name, event, count string, of Value, w Factor) Kind {
	return Kind{name, name, []Value{{count, Count}, of}, false, []Source{{Event: event, Values: [MaxValues]Factor{One, w, {}}}}}
}
