package mmapjfr_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Who waited for a lock for more than 400 ms, and where.
func Example() {
	rec, err := mmapjfr.Open("../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	for ev, err := range rec.Select(mmapjfr.Types("jdk.JavaMonitorEnter")).Events() {
		if err != nil {
			log.Print(err) // what cannot be read; the loop goes on with what can
			continue
		}
		if ev.Duration() > 400*time.Millisecond {
			top := ev.StackTrace().Frame(0)
			fmt.Println(ev.Thread().JavaThreadID(), ev.Duration(), top.Method().Class().Name(), top.Line())
		}
	}
	// Output:
	// 44 467.630522ms gen.Locks 43
	// 43 495.639579ms gen.Locks 43
	// 28 502.292487ms gen.Locks 43
	// 29 514.391309ms gen.Locks 43
	// 38 438.071075ms gen.Locks 43
	// 39 440.539422ms gen.Locks 43
}

// A path is resolved once and then reads any number of events.
func ExamplePath() {
	rec, err := mmapjfr.Open("../testdata/jdk25-chunks.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	group := mmapjfr.Path("eventThread.group.name")
	for ev, err := range rec.Select(mmapjfr.Types("*FromSecond")).Events() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(ev.Chunk().Number(), ev.Type().SimpleName(), ev.Str(group))
	}
	// Output:
	// 1 Chunks$FromSecond main
	// 2 Chunks$FromSecond main
}

// Structs are filled in place; what does not fit is reported when they are bound.
func ExampleBind() {
	rec, err := mmapjfr.Open("../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	type collection struct {
		Name  string        `jfr:"name"`
		Cause string        `jfr:"cause"`
		Sum   time.Duration `jfr:"sumOfPauses"`
	}
	rows, err := mmapjfr.Bind[collection](rec, "GarbageCollection")
	if err != nil {
		log.Fatal(err)
	}
	for gc, err := range rows.Events() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(gc.Name, gc.Cause, gc.Sum)
	}
	// Output:
	// G1New G1 Evacuation Pause 7.994833ms
	// G1New G1 Humongous Allocation 821.40909ms
	// G1Old G1 Humongous Allocation 2.151975ms
	// G1New G1 Evacuation Pause 5.894468ms
	// G1New G1 Evacuation Pause 1.128634ms
	// G1Full System.gc() 14.72425ms
	// G1Full System.gc() 12.42586ms
}

// The offset of an event leads back to it.
func ExampleRecording_EventAtOffset() {
	rec, err := mmapjfr.Open("../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	var offset uint64
	for ev, err := range rec.Select(mmapjfr.Types("jdk.GarbageCollection")).Events() {
		if err != nil {
			log.Fatal(err)
		}
		offset = ev.Offset()
	}
	ev, err := rec.EventAtOffset(offset)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ev.Type().Label())
	_, err = rec.EventAtOffset(offset + 1)
	fmt.Println(errors.Is(err, mmapjfr.ErrNoEvent))
	// Output:
	// Garbage Collection
	// true
}

// Types tell what a recording can hold.
func ExampleRecording_Type() {
	rec, err := mmapjfr.Open("../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	t, ok := rec.Type("CPULoad")
	if !ok {
		log.Fatal("no such type")
	}
	fmt.Println(t.Label(), t.Category())
	for _, f := range t.Fields() {
		fmt.Println(f.Name(), f.Type().Name(), f.Unit() == mmapjfr.Percentage)
	}
	// Output:
	// CPU Load [Operating System Processor]
	// startTime long false
	// jvmUser float true
	// jvmSystem float true
	// machineTotal float true
}

// What was flushed of a recording whose JVM was killed is delivered; then comes
// an error that says so.
func ExampleSelection_Events_unfinished() {
	rec, err := mmapjfr.Open("../testdata/jdk25-killed.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	n := 0
	for _, err := range rec.Events() {
		switch {
		case errors.Is(err, mmapjfr.ErrUnfinished):
			fmt.Println(err)
		case err != nil:
			log.Fatal(err)
		default:
			n++
		}
	}
	fmt.Println(n, "events")
	// Output:
	// ../testdata/jdk25-killed.jfr: chunk 0, offset 0x0: chunk header: unfinished chunk: it was read up to its last flush; 64380 bytes after that are not complete
	// 46 events
}

// The events of a selection are added up on all processors.
func ExampleFold() {
	rec, err := mmapjfr.Open("../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	type waits struct {
		times int
		total time.Duration
	}
	inTheFirstMinute := mmapjfr.Between(rec.Start(), rec.Start().Add(time.Minute))
	sum, err := mmapjfr.Fold(context.Background(), rec.Select(mmapjfr.Types("jdk.JavaMonitorEnter"), inTheFirstMinute),
		func(w *waits, ev mmapjfr.Event) error {
			w.times++
			w.total += ev.Duration()
			return nil
		},
		func(w, next *waits) {
			w.times += next.times
			w.total += next.total
		})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.times, sum.total)
	// Output: 24 6.354264664s
}
