package profiletest

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// start is when events begin, in ticks of a nanosecond.
const start = 1_000_000

// numberFields are fields of samples that profiles take for numbers, and otherFields all others.
var (
	numberFields = []string{"duration", "samples", "weight", "size", "tlabSize", "allocationSize", "objectSize", "samplingPeriod", "lostSamples", "bytesRead", "bytesWritten", "sumOfPauses", "timeSpan", "address", "spanId", "traceIdHi", "traceIdLo"}
	otherFields  = []string{"stackTrace", "eventThread", "sampledThread", "state", "objectClass", "monitorClass", "parkedClass", "thrownClass", "cause", "name", "failed", "object", "root"}
)

// eventTypes are the types of the events that profiles are made of.
func eventTypes() (names []string) {
	for _, k := range profile.Kinds() {
		names = append(names, profile.Events(k.Name)...)
	}
	slices.Sort(names)
	return slices.Compact(append(names, "jdk.GCPhasePause", "profiler.Span", "profiler.Free"))
}

// all emits an event of each type with all fields, which are made by a function, as often as there
// are rows of values.
func all(b *jfrtest.Builder, field func(name string) jfrtest.Field, rows ...func(name string) any) {
	names := append(slices.Clone(numberFields), otherFields...)
	for _, name := range eventTypes() {
		var fields []jfrtest.Field
		for _, f := range names {
			fields = append(fields, field(f))
		}
		e := b.Event(name, fields...)
		for i, row := range rows {
			values := []any{start + 1000*i}
			for _, f := range names {
				values = append(values, row(f))
			}
			b.Emit(e, values...)
		}
	}
}

// usual returns fields as recordings have them.
func usual(name string) jfrtest.Field {
	switch name {
	case "stackTrace":
		return jfrtest.StackTrace()
	case "eventThread", "sampledThread":
		return jfrtest.Const(name, "java.lang.Thread")
	case "state":
		return jfrtest.Const(name, "jdk.types.ThreadState")
	case "failed":
		return jfrtest.Of(name, "boolean")
	case "cause", "name":
		return jfrtest.Of(name, jfrtest.StringClass)
	}
	if slices.Contains(otherFields, name) {
		return jfrtest.Const(name, "java.lang.Class")
	}
	return jfrtest.Of(name, "long")
}

// value returns the values of fields, of which numbers are n and constants have a key.
func value(n int64, key any) func(name string) any {
	return func(name string) any {
		switch {
		case slices.Contains(numberFields, name):
			return n
		case name == "failed":
			return 0
		case name == "cause" || name == "name":
			return "x"
		}
		return key
	}
}

// constants adds what key 1 stands for: a thread, a state, a class, and a stack of two frames.
func constants(b *jfrtest.Builder) {
	b.Constant("java.lang.Thread", 1, "os", 1, "main", 1, 0, false)
	b.Constant("jdk.types.ThreadState", 1, "STATE_RUNNABLE")
	b.Constant("jdk.types.FrameType", 1, "JIT compiled")
	for i, text := range []string{"a/B", "run", "()V"} {
		b.Constant("jdk.types.Symbol", i+1, text)
	}
	b.Constant("java.lang.Class", 1, 0, 1, 0, 0, false)
	b.Constant("jdk.types.Method", 1, 1, 2, 3, 0, false)
	b.Constant("jdk.types.StackTrace", 1, false, []jfrtest.Inline{{1, 10, 0, 1}, {1, 20, 0, 1}})
}

// recordings make the chunks of recordings by name.
var recordings = []struct {
	name string
	fill func(b *jfrtest.Builder)
}{
	{"as usual", func(b *jfrtest.Builder) { constants(b); all(b, usual, value(1, 1), value(7, 1)) }},
	{"keys that lead nowhere", func(b *jfrtest.Builder) {
		b.Constant("jdk.types.StackTrace", 1, false, []jfrtest.Inline{{99, 1, 1, 99}, {1, 1, 1, 0}, {0, 0, 0, 0}})
		b.Constant("jdk.types.Method", 1, 99, 98, 97, 0, false)
		all(b, usual, value(1, 1), value(1, 99), value(1, int64(-1)), value(1, 0))
	}},
	{"rings of constants", func(b *jfrtest.Builder) {
		b.Constant("java.lang.Thread", 1, "os", 1, nil, 1, 1, false)
		b.Constant("jdk.types.ThreadGroup", 1, 1, nil)
		b.Constant("java.lang.Class", 1, 1, 0, 1, 0, false)
		b.Constant("jdk.types.ClassLoader", 1, 1, 0)
		b.Constant("jdk.types.Package", 1, 0, 1, true)
		b.Constant("jdk.types.Module", 1, 0, 0, 0, 1)
		b.Constant("jdk.types.Method", 1, 1, 0, 0, 0, false)
		b.Constant("jdk.types.StackTrace", 1, true, slices.Repeat([]jfrtest.Inline{{1, -1, 0, 1}}, 100))
		all(b, usual, value(1, 1))
	}},
	{"stacks that claim frames", func(b *jfrtest.Builder) {
		constants(b)
		for i, n := range []int64{1 << 20, 1 << 30, math.MaxInt32, -1} {
			b.Constant("jdk.types.StackTrace", 2+i, false, jfrtest.Counted{Count: n, Values: []any{jfrtest.Inline{1, 10, 0, 1}}})
		}
		all(b, usual, value(1, 1), value(1, 2), value(1, 3), value(1, 4), value(1, 5))
	}},
	{"numbers", func(b *jfrtest.Builder) {
		constants(b)
		all(b, usual, value(-1, 1), value(math.MinInt64, 1), value(math.MaxInt64, 1), value(math.MaxInt64, 1), value(1<<40, 1))
	}},
	{"fractions", func(b *jfrtest.Builder) {
		constants(b)
		double := func(f float64) func(string) any {
			return func(name string) any {
				if v := value(1, 1)(name); v != int64(1) {
					return v
				}
				return f
			}
		}
		all(b, func(name string) jfrtest.Field {
			if f := usual(name); f.Class != "long" {
				return f
			}
			return jfrtest.Of(name, "double")
		}, double(-1), double(math.NaN()), double(math.Inf(1)), double(math.Inf(-1)), double(1e300), double(0.5))
	}},
	{"times", func(b *jfrtest.Builder) {
		constants(b)
		e := b.Event("jdk.ExecutionSample", usual("sampledThread"), usual("stackTrace"), usual("state"))
		w := b.Event("profiler.WallClockSample", usual("sampledThread"), usual("stackTrace"), usual("state"), usual("samples"), usual("timeSpan"))
		for _, at := range []int64{0, start, start - 1e9, start + 1e12, math.MaxInt64, math.MinInt64, -1} {
			b.Emit(e, at, 1, 1, 1)
			for _, n := range []int64{1, 1000, 1 << 40, math.MaxInt64} {
				b.Emit(w, at, 1, 1, 1, n, n)
			}
		}
	}},
	{"no types", func(b *jfrtest.Builder) { b.Constant("java.lang.Thread", 1, "os", 1, "main", 1, 0, false) }},
	{"names", func(b *jfrtest.Builder) {
		constants(b)
		e := b.Event("jdk.JavaMonitorEnter", jfrtest.Duration(), usual("eventThread"), usual("stackTrace"), usual("monitorClass"))
		for i, name := range Names {
			key := i + 10
			b.Constant("jdk.types.Symbol", key, jfrtest.UTF8(name))
			b.Constant("java.lang.Class", key, 0, key, 0, 0, false)
			b.Constant("jdk.types.Method", key, key, 10+(i+1)%len(Names), 10+(i+2)%len(Names), 0, false)
			b.Constant("java.lang.Thread", key, jfrtest.UTF8(name), i, jfrtest.UTF8(name), i, 0, false)
			b.Constant("jdk.types.StackTrace", key, false, []jfrtest.Inline{{key, 1, 0, 1}, {1, 1, 0, 1}})
			b.Emit(e, start+i, 5, key, key, key)
		}
	}},
	{"deep", func(b *jfrtest.Builder) {
		constants(b)
		depth := longtest.Cases(5000, MaxDepth)
		for i := range depth {
			b.Constant("jdk.types.Symbol", 10+i, strconv.Itoa(i))
			b.Constant("jdk.types.Method", 10+i, 1, 10+i, 3, 0, false)
		}
		frames := make([]jfrtest.Inline, depth)
		for i := range frames {
			frames[i] = jfrtest.Inline{10 + i, i, 0, 1}
		}
		b.Constant("jdk.types.StackTrace", 2, false, frames)
		b.Constant("jdk.types.StackTrace", 3, true, slices.Repeat([]jfrtest.Inline{{1, 1, 0, 1}}, depth))
		b.Constant("jdk.types.StackTrace", 4, false, []jfrtest.Inline{})
		e := b.Event("jdk.ExecutionSample", usual("sampledThread"), usual("stackTrace"), usual("state"))
		for key := range 5 {
			b.Emit(e, start+key, 1, key, 1)
		}
	}},
}

// wrongTypes are types that no field of a sample has, with a value of each.
var wrongTypes = map[string]struct {
	field func(name string) jfrtest.Field
	value any
}{
	"texts":    {func(n string) jfrtest.Field { return jfrtest.Of(n, jfrtest.StringClass) }, "x"},
	"doubles":  {func(n string) jfrtest.Field { return jfrtest.Of(n, "double") }, 1.5},
	"floats":   {func(n string) jfrtest.Field { return jfrtest.Of(n, "float") }, float32(1.5)},
	"booleans": {func(n string) jfrtest.Field { return jfrtest.Of(n, "boolean") }, 1},
	"bytes":    {func(n string) jfrtest.Field { return jfrtest.Of(n, "byte") }, 200},
	"chars":    {func(n string) jfrtest.Field { return jfrtest.Of(n, "char") }, 65},
	"longs":    {func(n string) jfrtest.Field { return jfrtest.Of(n, "long") }, -5},
	"arrays":   {func(n string) jfrtest.Field { return jfrtest.Of(n, "long").Array() }, []int{1, 2, 3}},
	"threads":  {func(n string) jfrtest.Field { return jfrtest.Const(n, "java.lang.Thread") }, 1},
	"stacks":   {func(n string) jfrtest.Field { return jfrtest.Const(n, "jdk.types.StackTrace") }, 1},
	"stacks in place": {func(n string) jfrtest.Field { return jfrtest.Of(n, "jdk.types.StackTrace") },
		jfrtest.Inline{false, []jfrtest.Inline{{1, 10, 0, 1}}}},
	"lists of stacks": {func(n string) jfrtest.Field { return jfrtest.Const(n, "jdk.types.StackTrace").Array() }, []int{1, 1}},
}

// headers are clocks that no virtual machine has.
var headers = map[string]func(h *jfrtest.Header){
	"as ever":       func(*jfrtest.Header) {},
	"no rate":       func(h *jfrtest.Header) { h.TickRate = 0 },
	"greatest rate": func(h *jfrtest.Header) { h.TickRate = math.MaxInt64 },
	"least rate":    func(h *jfrtest.Header) { h.TickRate = 1 },
	"endless":       func(h *jfrtest.Header) { h.DurationNanos = math.MaxInt64 },
	"before 1970":   func(h *jfrtest.Header) { h.StartNanos = -1 << 60 },
	"after all":     func(h *jfrtest.Header) { h.StartNanos = math.MaxInt64 },
}

// periods are settings of the time that samples stand for.
var periods = []string{"0", "-1 ms", "everyChunk", "1e99 s", "9223372036854775807 d", "99999999999999999999", "1 ns", "", "20 ms"}

// Recordings runs a test for each of the recordings. Each has jdk.ActiveSetting and one chunk.
func Recordings(t *testing.T, test func(t *testing.T, data []byte)) {
	t.Helper()
	run := func(name string, fill func(b *jfrtest.Builder)) {
		b := jfrtest.NewChunk()
		fill(b)
		t.Run(name, func(t *testing.T) { test(t, b.Bytes()) })
	}
	for _, r := range recordings {
		run(r.name, r.fill)
	}
	for _, name := range slices.Sorted(maps.Keys(wrongTypes)) {
		typ := wrongTypes[name]
		run("fields are "+name, func(b *jfrtest.Builder) {
			constants(b)
			row := func(string) any { return typ.value }
			all(b, typ.field, row, row)
			b.Emit(b.Event("jdk.ActiveSetting", typ.field("id"), typ.field("name"), typ.field("value")), start, typ.value, typ.value, typ.value)
		})
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		run("clock: "+name, func(b *jfrtest.Builder) {
			constants(b)
			headers[name](&b.Header)
			all(b, usual, value(1, 1), value(1000, 1))
		})
	}
	for _, text := range periods {
		run("period "+text, func(b *jfrtest.Builder) {
			constants(b)
			setting := b.Event("jdk.ActiveSetting", jfrtest.Of("id", "long"), jfrtest.Of("name", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass))
			all(b, usual, value(3, 1))
			for _, name := range []string{"period", "interval", "wall", "event"} {
				for _, typ := range eventTypes() {
					b.Emit(setting, start, b.Lookup(typ).ID, name, text)
				}
			}
		})
	}
}
