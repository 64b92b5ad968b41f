package profiletest

import (
	"math/rand/v2"
	"time"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// Crossing returns a recording of several chunks, drawn by chance, whose events last longer than
// chunks and lie in others than those that they are joined with. Samples weigh by settings in some
// of the chunks, a field is a whole number in some and a fraction in others, and not all chunks
// name their virtual machine.
func Crossing(rng *rand.Rand, chunks int) (data []byte) {
	m := mixer{rng: rng, quiet: rng.IntN(2) == 0}
	for i := range chunks {
		data = append(data, m.crossing(i)...)
	}
	return data
}

// lasting returns when an event began and how long it took: sometimes more than a chunk.
func (m *mixer) lasting() (start, length int64) {
	length = m.below(int64(50 * time.Millisecond))
	if m.happens(6) {
		length = m.below(3 * chunkLength)
	}
	return max(m.time()-length, 1), length
}

func (m *mixer) crossing(i int) []byte {
	m.begin(i)
	b := m.b
	text := func(name string) jfrtest.Field { return jfrtest.Of(name, jfrtest.StringClass) }
	number := func(name string) jfrtest.Field { return jfrtest.Of(name, "long") }
	size := jfrtest.Of("size", []string{"long", "double"}[m.below(2)])
	thread := jfrtest.EventThread()
	samples := b.Event("jdk.ExecutionSample", jfrtest.Const("sampledThread", "java.lang.Thread"), jfrtest.StackTrace(), text("state"))
	alloc := b.Event("jdk.ObjectAllocationSample", thread, jfrtest.StackTrace(), number("weight"))
	park := b.Event("jdk.ThreadPark", jfrtest.Duration(), thread, number("address"))
	request := b.Event("test.Request", jfrtest.Duration(), thread, text("name"), number("n"))
	step := b.Event("test.Step", jfrtest.Duration(), thread, size)
	gc := b.Event("jdk.GarbageCollection", jfrtest.Duration(), jfrtest.Of("gcId", "int"), text("name"))
	heap := b.Event("jdk.GCHeapSummary", jfrtest.Of("gcId", "int"), text("when"), number("heapUsed"))
	load := b.Event("jdk.CPULoad", number("machine"))
	jvm := b.Event("jdk.JVMInformation", number("pid"), jfrtest.Of("jvmStartTime", "long"), text("jvmName"), text("jvmVersion"))
	setting := b.Event("jdk.ActiveSetting", number("id"), text("name"), text("value"))

	var emits []func()
	add := func(n int, class *jfrtest.Class, values func() []any) {
		for range n {
			v := values()
			emits = append(emits, func() { b.Emit(class, v...) })
		}
	}
	lasting := func(more ...any) []any {
		start, length := m.lasting()
		return append([]any{start, length}, more...)
	}
	add(m.some(), samples, func() []any { return []any{m.time(), m.thread(), m.stack(), m.state()} })
	add(m.some(), alloc, func() []any { return []any{m.time(), m.thread(), m.stack(), m.below(3000)} })
	add(m.some(), park, func() []any { return lasting(m.thread(), m.below(4)) })
	add(m.some(), request, func() []any { return lasting(m.thread(), m.one("get", "put", ""), m.below(100)) })
	add(m.some(), step, func() []any {
		if size.Class == "double" {
			return lasting(m.thread(), float64(m.below(1000))/8)
		}
		return lasting(m.thread(), m.below(1<<60))
	})
	add(m.some()%7, gc, func() []any { return lasting(int32(m.below(5)), m.one("young", "old")) })
	add(m.some(), heap, func() []any {
		return []any{m.time(), int32(m.below(5)), m.one("Before GC", "After GC"), m.below(1 << 30)}
	})
	add(m.some()%7, load, func() []any { return []any{m.time(), m.below(4)} })
	add(int(m.below(2)), jvm, func() []any { return []any{m.time(), 1 + m.below(2), int64(5), "vm", "1"} })
	add(m.some()%4, setting, func() []any {
		if !m.quiet && m.happens(2) {
			return append([]any{m.time()}, m.profiler()...)
		}
		return []any{m.time(), samples.ID, m.one("period", "interval"), m.one("20 ms", "10 ms", "7000000")}
	})
	m.rng.Shuffle(len(emits), func(i, j int) { emits[i], emits[j] = emits[j], emits[i] })
	for _, emit := range emits {
		emit()
	}
	return b.Bytes()
}
