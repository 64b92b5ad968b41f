package writer_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/writer"
)

// An event type for each struct, and contexts for what belongs together.
func ExampleRecorder() {
	type Query struct {
		Text string `jfr:"text" label:"Statement"`
		Rows int64  `jfr:"rows" label:"Rows"`
	}
	var out bytes.Buffer
	w, err := writer.New(&out)
	if err != nil {
		log.Fatal(err)
	}
	queries, err := writer.NewRecorder[Query](w, writer.EventInfo{Name: "app.Query", Label: "Query", Category: []string{"App"}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := writer.WithThread(context.Background(), writer.Thread{Name: "worker 1", ID: 1})
	_, query := queries.Begin(ctx)
	if err := query.End(Query{"select 1", 1}); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	rec, err := mmapjfr.OpenBytes(out.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	for ev, err := range rec.Events() {
		fmt.Println(ev.Type().Label(), ev.Thread().Name(), ev.Str(mmapjfr.Path("text")), err)
	}
	// Output:
	// Query worker 1 select 1 <nil>
}

// Values in the order of the fields, where there is no struct.
func ExampleWriter_DefineEvent() {
	var out bytes.Buffer
	w, err := writer.New(&out)
	if err != nil {
		log.Fatal(err)
	}
	reading, err := w.DefineEvent(writer.Type{
		Name: "app.Reading", Annotations: []writer.Annotation{writer.Label("Reading"), writer.Category("App", "Sensors")},
		Fields: []writer.Field{
			writer.StartTimeField(),
			{Name: "sensor", Type: "java.lang.String", Pooled: true},
			{Name: "sent", Type: "long", Annotations: []writer.Annotation{writer.DataAmount(writer.Bytes)}},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reading.Write(writer.Time(time.Now()), writer.Text("roof"), writer.Int(512)))
	fmt.Println(reading.Write(writer.Time(time.Now()), writer.Text("roof")))
	fmt.Println(w.Close())
	// Output:
	// <nil>
	// writer: an event of type "app.Reading" was not written: "app.Reading" has 3 fields; there are 2 values
	// <nil>
}

// service is a program that records what JDK Mission Control has pages for.
type service struct {
	ring     *writer.Ring
	requests *writer.Recorder[request]
	gcs      *writer.Recorder[writer.GarbageCollection]
	pauses   *writer.Recorder[writer.GCPhasePause]
	heaps    *writer.Recorder[writer.GCHeapSummary]
	loads    *writer.Recorder[writer.CPULoad]
	locks    *writer.Recorder[writer.JavaMonitorEnter]

	start     time.Time
	cache     sync.Mutex
	waited    map[[32]uintptr]int64 // cycles for each stack, as the profile had them
	lastGC    int64
	lastTimes [3]float64
}

// newService defines the event types. Errors are those of the types, so the program ends.
func newService(dir string) (s *service, err error) {
	s = &service{start: time.Now(), waited: make(map[[32]uintptr]int64)}
	if s.ring, err = writer.OpenRing(dir, writer.RingLimits{MaxSize: 64 << 20, MaxAge: time.Hour}); err != nil {
		return nil, err
	}
	w := s.ring.Writer
	recorders := []func() error{
		func() (err error) {
			s.requests, err = writer.NewRecorder[request](w, writer.EventInfo{
				Name: "app.Request", Label: "Request", Category: []string{"App"}, StackTrace: true, Spans: true,
			})
			return err
		},
		func() (err error) {
			s.gcs, err = writer.NewRecorder[writer.GarbageCollection](w, writer.EventInfo{})
			return err
		},
		func() (err error) {
			s.pauses, err = writer.NewRecorder[writer.GCPhasePause](w, writer.EventInfo{})
			return err
		},
		func() (err error) {
			s.heaps, err = writer.NewRecorder[writer.GCHeapSummary](w, writer.EventInfo{})
			return err
		},
		func() (err error) {
			s.loads, err = writer.NewRecorder[writer.CPULoad](w, writer.EventInfo{})
			return err
		},
		func() (err error) {
			s.locks, err = writer.NewRecorder[writer.JavaMonitorEnter](w, writer.EventInfo{})
			return err
		},
	}
	for _, define := range recorders {
		if err := define(); err != nil {
			return nil, err
		}
	}
	program, err := writer.NewRecorder[writer.JVMInformation](w, writer.EventInfo{})
	if err != nil {
		return nil, err
	}
	runtime.SetMutexProfileFraction(1)
	return s, program.Record(context.Background(), writer.JVMInformation{
		Name: "Go", Version: runtime.Version(), Program: strings.Join(os.Args, " "), Start: s.start, PID: int64(os.Getpid()),
	})
}

// serve answers a request. An error of the recording is no error of the service.
func (s *service) serve(ctx context.Context, path string) {
	_, begun := s.requests.Begin(ctx)
	s.cache.Lock()
	time.Sleep(time.Millisecond)
	s.cache.Unlock()
	_ = begun.End(request{Path: path, Method: "GET", Status: 200, Size: 512})
}

// observe records what the runtime has counted since the last time. A service does it once a second, and flushes.
func (s *service) observe(ctx context.Context) error {
	for _, observe := range []func(context.Context) error{s.observeGC, s.observeLoad, s.observeLocks} {
		if err := observe(ctx); err != nil {
			return err
		}
	}
	return s.ring.Flush()
}

func (s *service) observeGC(ctx context.Context) error {
	var gc debug.GCStats
	debug.ReadGCStats(&gc)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for i := min(gc.NumGC-s.lastGC, int64(len(gc.Pause))) - 1; i >= 0; i-- {
		pause, id := gc.Pause[i], uint32(gc.NumGC-i)
		start := gc.PauseEnd[i].Add(-pause)
		if err := s.gcs.RecordAt(ctx, start, pause, writer.GarbageCollection{
			ID: id, Name: "Go", Cause: "Heap Goal", SumOfPauses: pause, LongestPause: pause,
		}); err != nil {
			return err
		}
		if err := s.pauses.RecordAt(ctx, start, pause, writer.GCPhasePause{ID: id, Name: "Stop the world"}); err != nil {
			return err
		}
	}
	s.lastGC = gc.NumGC
	return s.heaps.Record(ctx, writer.GCHeapSummary{
		ID: uint32(gc.NumGC), When: writer.AfterGC, HeapUsed: m.HeapAlloc,
		HeapSpace: writer.VirtualSpace{CommittedSize: m.HeapSys - m.HeapReleased, ReservedSize: m.HeapSys},
	})
}

func (s *service) observeLoad(ctx context.Context) error {
	samples := []metrics.Sample{{Name: "/cpu/classes/user:cpu-seconds"}, {Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/total:cpu-seconds"}}
	metrics.Read(samples)
	var times, since [3]float64
	for i := range samples {
		times[i] = samples[i].Value.Float64()
		since[i] = times[i] - s.lastTimes[i]
	}
	s.lastTimes = times
	if since[2] <= 0 {
		return nil // the runtime counts at collections
	}
	return s.loads.Record(ctx, writer.CPULoad{JVMUser: float32(since[0] / since[2]), JVMSystem: float32(since[1] / since[2])})
}

// observeLocks records for each place where goroutines waited how long they did in all: the profile
// has no single waits.
func (s *service) observeLocks(ctx context.Context) error {
	records := make([]runtime.BlockProfileRecord, 1000)
	n, ok := runtime.MutexProfile(records)
	if !ok {
		return nil
	}
	const cyclesPerNano = 3 // package runtime keeps the true rate to itself; runtime/pprof writes it
	for i := range records[:n] {
		r := &records[i]
		cycles := r.Cycles - s.waited[r.Stack0]
		if cycles <= 0 {
			continue
		}
		s.waited[r.Stack0] = r.Cycles
		d := time.Duration(cycles / cyclesPerNano)
		ctx := writer.WithThread(ctx, writer.Thread{Name: "all goroutines"})
		if err := s.locks.RecordAt(ctx, s.ring.Now().Add(-d), d, writer.JavaMonitorEnter{Stack: r.Stack(), MonitorClass: "sync/Mutex"}); err != nil {
			return err
		}
	}
	return nil
}

// A service records its requests, waits for locks, collections and load for JDK Mission Control.
func Example_service() {
	dir, err := os.MkdirTemp("", "ring")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := newService(dir)
	if err != nil {
		log.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			ctx := writer.WithThread(context.Background(), writer.Thread{Name: fmt.Sprint("worker ", i), ID: int64(i + 1)})
			for n := range 10 {
				s.serve(ctx, fmt.Sprint("/orders/", n))
			}
		})
	}
	group.Wait()
	runtime.GC()
	if err := s.observe(context.Background()); err != nil {
		log.Fatal(err)
	}
	file, err := os.Create(dir + "/dump.jfr")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.ring.Dump(file); err != nil {
		log.Fatal(err)
	}
	if err := s.ring.Close(); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
	rec, err := mmapjfr.Open(file.Name())
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	counts := make(map[string]int)
	for ev, err := range rec.Events() {
		if err != nil {
			log.Fatal(err)
		}
		counts[ev.Type().Name()]++
	}
	fmt.Println("app.Request", counts["app.Request"])
	for _, name := range []string{
		"jdk.JVMInformation", "jdk.GarbageCollection", "jdk.GCPhasePause", "jdk.GCHeapSummary", "jdk.CPULoad", "jdk.JavaMonitorEnter",
	} {
		fmt.Println(name, counts[name] > 0)
	}
	// Output:
	// app.Request 40
	// jdk.JVMInformation true
	// jdk.GarbageCollection true
	// jdk.GCPhasePause true
	// jdk.GCHeapSummary true
	// jdk.CPULoad true
	// jdk.JavaMonitorEnter true
}
