package stream_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// What a running virtual machine records already, until it ends or somebody interrupts.
func ExampleAttach() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	s, err := stream.Attach(4711)
	if err != nil {
		log.Fatal(err)
	}
	s.OnEvent(func(ev mmapjfr.Event) error {
		fmt.Println(ev)
		return nil
	})
	err = s.Start(ctx)
	switch {
	case errors.Is(err, stream.ErrNoRecording):
		log.Fatal("it records nothing; start a recording with jcmd 4711 JFR.start, or enable some events")
	case err != nil && ctx.Err() == nil:
		log.Fatal(err)
	}
}

// The load of the processor, and threads that wait long for locks, for a minute.
func ExampleRecordingStream_Enable() {
	s, err := stream.Attach(4711)
	if err != nil {
		log.Fatal(err)
	}
	s.Enable("jdk.CPULoad").WithPeriod(time.Second).WithoutStackTrace()
	s.Enable("jdk.JavaMonitorEnter").WithThreshold(10 * time.Millisecond).WithStackTrace()
	load := mmapjfr.Path("machineTotal")
	s.OnEventType("jdk.CPULoad", func(ev mmapjfr.Event) error {
		fmt.Printf("%s %.0f%%\n", ev.Start().Format(time.TimeOnly), 100*ev.Float(load))
		return nil
	})
	s.OnEventType("jdk.JavaMonitorEnter", func(ev mmapjfr.Event) error {
		fmt.Println(ev.Thread().Name(), "waited", ev.Duration())
		return nil
	})
	ctx := context.Background()
	if err := s.StartAsync(ctx); err != nil {
		log.Fatal(err)
	}
	time.Sleep(time.Minute)
	// What was recorded up to now is delivered, and the machine records no more of it.
	if err := s.Stop(ctx); err != nil {
		log.Fatal(err)
	}
}
