package mmapjfr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// BenchmarkAccessors asks the same of one event again and again: as an iteration hands it
// out, detached from the iteration, and of a recording that is in memory. What lies in the
// event is read without a trap for faults in the first and the last case.
func BenchmarkAccessors(b *testing.B) {
	number, duration, thread := mmapjfr.Path("startTime"), mmapjfr.Path("duration"), mmapjfr.Path("eventThread")
	name, text := mmapjfr.Path("eventThread.javaName"), mmapjfr.Path("text")
	for _, op := range []struct {
		name, kind string
		do         func(ev mmapjfr.Event) int
	}{
		{"Int", "jdk.JavaMonitorWait", func(ev mmapjfr.Event) int { return int(ev.Int(number)) }},
		{"GetInt", "jdk.JavaMonitorWait", func(ev mmapjfr.Event) int { return int(ev.Get(number).Int()) }},
		{"Timespan", "jdk.JavaMonitorWait", func(ev mmapjfr.Event) int { return int(ev.Timespan(duration)) }},
		{"StartNanos", "jdk.JavaMonitorWait", func(ev mmapjfr.Event) int { return int(ev.StartNanos()) }},
		{"GetConstant", "jdk.JavaMonitorWait", func(ev mmapjfr.Event) int { return int(engine.ValueKey(ev.Get(thread))) }},
		{"StrOfConstant", "jdk.JavaMonitorWait", func(ev mmapjfr.Event) int { return len(ev.Str(name)) }},
		{"ThreadName", "jdk.JavaMonitorWait", func(ev mmapjfr.Event) int { return len(ev.Thread().Name()) }},
		{"Str", "test.N", func(ev mmapjfr.Event) int { return len(ev.Str(text)) }},
		{"StrView", "test.N", func(ev mmapjfr.Event) int { return len(ev.StrView(text)) }},
		{"Fields", "jdk.JavaMonitorWait", func(ev mmapjfr.Event) (n int) {
			for _, v := range ev.Fields() {
				n += int(v.Int())
			}
			return n
		}},
		{"Frames", "jdk.JavaMonitorWait", func(ev mmapjfr.Event) (n int) {
			for f := range ev.StackTrace().Frames() {
				n += f.Line()
			}
			return n
		}},
		{"FrameNames", "jdk.JavaMonitorWait", func(ev mmapjfr.Event) (n int) {
			for f := range ev.StackTrace().Frames() {
				m := f.Method()
				n += f.Line() + len(m.Name()) + len(m.Class().Name())
			}
			return n
		}},
	} {
		path := "../testdata/jdk25-profile.jfr"
		if op.kind == "test.N" {
			path = placed(b, plain(1).Bytes())
		}
		for _, form := range []string{"iterated", "detached", "in memory"} {
			b.Run(op.name+"/"+form, func(b *testing.B) {
				var opts []mmapjfr.Option
				if form == "in memory" {
					opts = append(opts, mmapjfr.CopyOnOpen())
				}
				rec, err := mmapjfr.Open(path, opts...)
				require.NoError(b, err)
				defer rec.Close()
				cur := rec.Select(mmapjfr.Types(op.kind)).Cursor()
				require.True(b, cur.Next())
				ev := cur.Event()
				if form == "detached" {
					ev = ev.Detached()
				}
				op.do(ev) // what is looked for once has been found
				b.ReportAllocs()
				for b.Loop() {
					sinkInt += int64(op.do(ev))
				}
			})
		}
	}
}

// BenchmarkRoute resolves a path for a type that has been asked for it before.
func BenchmarkRoute(b *testing.B) {
	rec, err := mmapjfr.Open("../testdata/jdk25-profile.jfr")
	require.NoError(b, err)
	defer rec.Close()
	cur, p := rec.Select().Cursor(), mmapjfr.Path("startTime")
	require.True(b, cur.Next())
	ev := cur.Event()
	for b.Loop() {
		if !ev.Has(p) {
			b.Fatal("no such field")
		}
	}
}
