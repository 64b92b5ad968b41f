package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
	"github.com/mmapjfr/jfr/testdata"
)

// How busy the processors are, as a process of a virtual machine is made to tell.
func Example() {
	s, err := stream.Attach(4711)
	if err != nil {
		log.Fatal(err)
	}
	s.Enable("jdk.CPULoad").WithPeriod(time.Second)
	total := mmapjfr.Path("machineTotal")
	s.OnEventType("jdk.CPULoad", func(ev mmapjfr.Event) error {
		fmt.Println(ev.Start(), ev.Float(total))
		return nil
	})
	if err := s.Start(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// A file that a virtual machine is writing to, or one that is finished.
func ExampleOpenFile() {
	s, err := stream.OpenFile("../../testdata/jdk25-flushed.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	events := 0
	s.OnEventType("gen.*", func(mmapjfr.Event) error {
		events++
		return nil
	})
	s.OnFlush(func() error {
		fmt.Println(events, "events so far")
		return nil
	})
	if err := s.Start(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 23 events so far
	// 47 events so far
	// 72 events so far
	// 95 events so far
}

// What a virtual machine records, from now on until it ends or the program is interrupted.
func ExampleOpenRepository() {
	s, err := stream.OpenRepository("/tmp/2026_11_21_12_00_00_4711")
	if err != nil {
		log.Fatal(err)
	}
	machineTotal := mmapjfr.Path("machineTotal")
	s.OnEventType("jdk.CPULoad", func(ev mmapjfr.Event) error {
		fmt.Println(ev.Start(), ev.Float(machineTotal))
		return nil
	})
	s.OnError(func(err error) {
		switch {
		case errors.Is(err, stream.ErrKilled):
			log.Println("the virtual machine was killed")
		default:
			log.Println(err)
		}
	})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := s.Start(ctx); err != nil && !errors.Is(err, context.Canceled) {
		log.Fatal(err)
	}
}

// A recording out of a pipe, such as os.Stdin, or a connection.
func ExampleOpenReader() {
	s := stream.OpenReader(bytes.NewReader(testdata.Profile))
	collections := 0
	pauses := time.Duration(0)
	sum := mmapjfr.Path("sumOfPauses")
	s.OnEventType("jdk.GarbageCollection", func(ev mmapjfr.Event) error {
		collections++
		pauses += ev.Get(sum).Duration()
		return nil
	})
	if err := s.Start(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(collections, "collections paused for", pauses)
	// Output: 7 collections paused for 865.72911ms
}

// A loop over the events. Leaving it closes the stream.
func ExampleStream_Events() {
	s, err := stream.OpenFile("../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	message := mmapjfr.Path("message")
	for ev, err := range s.Events(context.Background(), "jdk.JavaExceptionThrow") {
		if err != nil {
			log.Println(err) // what cannot be read; the loop goes on
			continue
		}
		if text := ev.Str(message); !strings.HasPrefix(text, "'") {
			fmt.Println(text)
			break
		}
	}
	// Output: Read timed out
}

// Types come and go: programs register their own while they run.
func ExampleStream_OnMetadata() {
	s, err := stream.OpenFile("../../testdata/jdk25-chunks.jfr")
	if err != nil {
		log.Fatal(err)
	}
	first := true
	s.OnMetadata(func(m stream.Metadata) error {
		if first {
			first = false
			return nil
		}
		for _, t := range m.Added {
			fmt.Println("new:", t.Name())
		}
		return nil
	})
	if err := s.Start(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output: new: gen.Chunks$FromSecond
}
