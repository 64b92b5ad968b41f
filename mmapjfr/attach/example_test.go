package attach_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// Which JVMs run here.
func ExampleList() {
	jvms, err := attach.List()
	if err != nil {
		log.Fatal(err)
	}
	for _, jvm := range jvms {
		fmt.Println(jvm.PID, jvm.Version, jvm.Main)
	}
}

// What a JVM says of itself.
func ExampleVM_Command() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	vm, err := attach.Open(ctx, 4711)
	if err != nil {
		log.Fatal(err)
	}
	text, err := vm.Command(ctx, "VM.uptime")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
}

// A recording of the load of the processor and of long waits for locks, which is
// written to a file after a minute.
func ExampleVM_StartRecording() {
	ctx := context.Background()
	vm, err := attach.Open(ctx, 4711)
	if err != nil {
		log.Fatal(err)
	}
	var events []attach.EventSetting
	for _, text := range []string{"jdk.CPULoad#period=1s", "jdk.JavaMonitorEnter#threshold=10ms"} {
		e, err := attach.ParseEventSetting(text)
		if err != nil {
			log.Fatal(err)
		}
		events = append(events, e)
	}
	id, err := vm.StartRecording(ctx, attach.RecordingOptions{Name: "locks", Events: events, MaxAge: 10 * time.Minute})
	if refused, ok := errors.AsType[*attach.CommandError](err); ok {
		log.Fatal("the JVM says: ", refused.Text)
	} else if err != nil {
		log.Fatal(err)
	}
	time.Sleep(time.Minute)
	if err := errors.Join(vm.Dump(ctx, id, "/tmp/locks.jfr"), vm.Stop(ctx, id)); err != nil {
		log.Fatal(err)
	}
}

// Where a JVM writes what it records.
func ExampleVM_Repository() {
	ctx := context.Background()
	vm, err := attach.Open(ctx, 4711)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := vm.Repository(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if dir == "" {
		fmt.Println("nothing is recorded to disk yet")
		return
	}
	fmt.Println("follow the files in", dir)
}
