package profiletest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// Mixed returns a recording of several chunks, drawn by chance, in which most of what profiles are
// made of depends on other chunks: settings are in some chunks alone, types of events that measure
// the same are in some chunks together, first samples of threads are in any chunk and their times
// in any order, and native memory is freed in other chunks.
func Mixed(rng *rand.Rand, chunks int) (data []byte) {
	m := mixer{rng: rng, quiet: rng.IntN(2) == 0}
	for i := range chunks {
		data = append(data, m.chunk(i)...)
	}
	return data
}

type mixer struct {
	rng   *rand.Rand
	quiet bool // no profiler says what it does
	b     *jfrtest.Builder
	at    int64 // when the chunk begins
}

// chunkLength is the time of a chunk, and how much later the next one begins.
const chunkLength = int64(2 * time.Second)

func (m *mixer) below(n int64) int64       { return m.rng.Int64N(n) }
func (m *mixer) happens(oneOf int) bool    { return m.rng.IntN(oneOf) == 0 }
func (m *mixer) one(list ...string) string { return list[m.rng.IntN(len(list))] }

// some returns a number of events: mostly none or a few, and sometimes many.
func (m *mixer) some() int {
	return []int{0, 0, 0, 1, 3, 40}[m.rng.IntN(6)]
}

// time returns a time in the chunk, rarely one of the chunk before.
func (m *mixer) time() int64 {
	if m.happens(10) {
		return m.at - m.below(chunkLength)
	}
	return m.at + m.below(chunkLength)
}

func (m *mixer) thread() int64 { return 1 + m.below(6) }
func (m *mixer) stack() int64  { return m.below(12) }

// state returns the state of a thread.
func (m *mixer) state() string {
	return m.one("STATE_RUNNABLE", "STATE_RUNNABLE", "STATE_SLEEPING", "STATE_DEFAULT", "STATE_PARKED")
}

// begin begins a chunk.
func (m *mixer) begin(i int) {
	b := jfrtest.NewChunk()
	m.b, m.at = b, 1_000_000+int64(i)*chunkLength
	b.Header.StartNanos += int64(i) * chunkLength
	b.Header.StartTicks, b.Header.DurationNanos = m.at, chunkLength
	m.constants()
	if m.happens(4) {
		b.Event("test.Other", jfrtest.Of("n", "int")) // the types after it have other numbers
	}
}

func (m *mixer) chunk(i int) []byte {
	m.begin(i)
	b := m.b
	text := func(name string) jfrtest.Field { return jfrtest.Of(name, jfrtest.StringClass) }
	number := func(name string) jfrtest.Field { return jfrtest.Of(name, "long") }
	sampled := jfrtest.Const("sampledThread", "java.lang.Thread")
	samples := b.Event("jdk.ExecutionSample", sampled, jfrtest.StackTrace(), text("state"))
	exact := b.Event("jdk.CPUTimeSample", jfrtest.EventThread(), jfrtest.StackTrace(), number("samplingPeriod"), jfrtest.Of("failed", "boolean"))
	missing := b.Event("jdk.CPUTimeSamplesLost", jfrtest.Of("lostSamples", "int"))
	datadog := b.Event("datadog.ExecutionSample", jfrtest.EventThread(), jfrtest.StackTrace(), number("weight"), text("state"))
	wall := b.Event("profiler.WallClockSample", sampled, jfrtest.StackTrace(), text("state"), jfrtest.Of("samples", "int"))
	native := b.Event("jdk.NativeMethodSample", sampled, jfrtest.StackTrace(), text("state"))
	alloc := b.Event("jdk.ObjectAllocationSample", jfrtest.EventThread(), jfrtest.StackTrace(), number("weight"))
	tlab := b.Event("jdk.ObjectAllocationInNewTLAB", jfrtest.EventThread(), jfrtest.StackTrace(), number("tlabSize"))
	malloc := b.Event("profiler.Malloc", jfrtest.EventThread(), jfrtest.StackTrace(), number("address"), number("size"))
	free := b.Event("profiler.Free", jfrtest.EventThread(), number("address"))
	setting := b.Event("jdk.ActiveSetting", number("id"), text("name"), text("value"))

	var emits []func()
	add := func(n int, class *jfrtest.Class, values func() []any) {
		for range n {
			v := append([]any{m.time()}, values()...)
			emits = append(emits, func() { b.Emit(class, v...) })
		}
	}
	add(m.some(), samples, func() []any { return []any{m.thread(), m.stack(), m.state()} })
	add(m.some(), exact, func() []any { return []any{m.thread(), m.stack(), 1_000_000 + m.below(20_000_000), m.happens(8)} })
	add(m.some()%4, missing, func() []any { return []any{int32(m.below(30))} })
	add(m.some(), datadog, func() []any { return []any{m.thread(), m.stack(), m.below(5), m.state()} })
	add(m.some(), wall, func() []any { return []any{m.thread(), m.stack(), m.state(), int32(1 + m.below(4))} })
	add(m.some(), native, func() []any { return []any{m.thread(), m.stack(), m.state()} })
	add(m.some(), alloc, func() []any {
		weight := m.below(2000)
		if m.happens(5) {
			weight += 1_000_000
		}
		return []any{m.thread(), m.stack(), weight}
	})
	add(m.some()*int(m.below(2)), tlab, func() []any { return []any{m.thread(), m.stack(), m.below(100_000)} })
	add(m.some(), malloc, func() []any { return []any{m.thread(), m.stack(), m.below(30), m.below(500)} })
	add(m.some(), free, func() []any { return []any{m.thread(), m.below(30)} })
	add(m.some()%4, setting, func() []any {
		if !m.quiet && m.happens(2) {
			return m.profiler()
		}
		class := []*jfrtest.Class{samples, datadog, wall, native}[m.below(4)]
		return []any{class.ID, m.one("period", "interval"), m.one("20 ms", "10 ms", "7000000", "", "everyChunk")}
	})
	m.rng.Shuffle(len(emits), func(i, j int) { emits[i], emits[j] = emits[j], emits[i] })
	for _, emit := range emits {
		emit()
	}
	return b.Bytes()
}

// profiler returns a setting as async-profiler has it.
func (m *mixer) profiler() []any {
	switch m.below(3) {
	case 0:
		return []any{m.below(3), "event", m.one("cpu", "wall", "")}
	case 1:
		return []any{m.below(3), "wall", m.one("50000000", "0", "")}
	}
	return []any{m.below(3), "interval", m.one("10000000", "0", "3000000")}
}

// constants adds threads and stacks.
func (m *mixer) constants() {
	cp := m.b.Checkpoint(jfrtest.MaskFlush)
	for n := int64(1); n <= 6; n++ {
		name := fmt.Sprint("thread ", n)
		cp.Add("java.lang.Thread", n, name, 100+n, name, n, 0, false)
	}
	for n := range int64(12) {
		if n == 0 {
			continue // no stack
		}
		cp.Add("jdk.types.Symbol", 10+n, fmt.Sprint("method", n))
		cp.Add("jdk.types.Method", 10+n, 0, 10+n, 0, 1, false)
		cp.Add("jdk.types.StackTrace", n, n%5 == 0, []any{jfrtest.Inline{10 + n, n, 0, 0}, jfrtest.Inline{10 + n/2 + 1, 3, 0, 0}})
	}
}
