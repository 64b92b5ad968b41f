package writer_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/writer"
)

// request is an event as services have them.
type request struct {
	Path   string        `jfr:"path" label:"Path"`
	Method string        `jfr:"method" type:"app.Method"`
	Status int32         `jfr:"status"`
	Size   int64         `jfr:"size" unit:"bytes"`
	Queued time.Duration `jfr:"queued"`
}

func sampleRequest() request {
	return request{Path: "/orders/7", Method: "GET", Status: 200, Size: 4711, Queued: time.Millisecond}
}

// record returns a function that writes an event to nowhere.
func record(t testing.TB, info writer.EventInfo, named bool) func() error {
	w, err := writer.New(io.Discard, writer.ChunkSize(1<<20))
	require.NoError(t, err)
	info.Name = "app.Request"
	r, err := writer.NewRecorder[request](w, info)
	require.NoError(t, err)
	ctx := context.Background()
	if named {
		ctx = writer.WithThread(ctx, writer.Thread{Name: "worker", ID: 7})
	}
	event := sampleRequest()
	return func() error { return r.Record(ctx, event) }
}

func BenchmarkRecord(b *testing.B) {
	for name, f := range map[string]func() error{
		"thread":      record(b, writer.EventInfo{}, true),
		"no-thread":   record(b, writer.EventInfo{NoThread: true}, false),
		"goroutine":   record(b, writer.EventInfo{}, false),
		"stack-trace": record(b, writer.EventInfo{StackTrace: true}, true),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	w, err := writer.New(io.Discard, writer.ChunkSize(1<<20))
	require.NoError(b, err)
	event, err := w.DefineEvent(writer.Type{Name: "app.Count", Fields: []writer.Field{
		writer.StartTimeField(), {Name: "count", Type: "long"}, {Name: "name", Type: "java.lang.String"},
	}})
	require.NoError(b, err)
	start := w.Now()
	b.ReportAllocs()
	for b.Loop() {
		if err := event.Write(writer.Time(start), writer.Int(42), writer.Text("orders")); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSteadyStateAllocatesNothing counts over many chunks, so that the ends of chunks count for
// little.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	for name, f := range map[string]func() error{
		"thread":      record(t, writer.EventInfo{}, true),
		"goroutine":   record(t, writer.EventInfo{}, false),
		"stack trace": record(t, writer.EventInfo{StackTrace: true, Spans: true}, true),
	} {
		t.Run(name, func(t *testing.T) {
			for range 1000 {
				require.NoError(t, f())
			}
			require.Zero(t, testing.AllocsPerRun(2000, func() { _ = f() }))
		})
	}
}
