package metadata_test

import (
	"fmt"
	"log"
	"os"

	"github.com/mmapjfr/jfr/internal/metadata"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Where a recording speaks of the heap: types and fields whose names or descriptions have the word.
func ExampleSearch() {
	for _, match := range metadata.Search(described("jdk25-profile.jfr").Types(metadata.Options{}), "heap usage") {
		fmt.Println(match.Name, "-", match.Label)
		for _, field := range match.Fields {
			fmt.Println("  ", field.Name, "-", field.Label)
		}
	}
	// Output:
	// jdk.OldObjectSample - Old Object Sample
	//    lastKnownHeapUsage - Last Known Heap Usage
}

// What JDK 25 records that JDK 17 does not.
func ExampleCompare() {
	diff := metadata.Compare(described("jdk17-kinds.jfr"), described("jdk25-kinds.jfr"), metadata.Options{})
	fmt.Println(len(diff.Removed), "removed,", len(diff.Added), "added,", len(diff.Changed), "changed")
	// Output:
	// 14 removed, 46 added, 50 changed
}

// An event type as the JDK's jfr metadata writes it.
func ExampleCatalog_WriteSource() {
	err := described("jdk25-profile.jfr").WriteSource(os.Stdout, metadata.Options{
		Filters: []mmapjfr.Filter{mmapjfr.Types("jdk.ThreadPark")},
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// @Name("jdk.ThreadPark")
	// @Category("Java Application")
	// @Label("Java Thread Park")
	// class ThreadPark extends jdk.jfr.Event {
	//   @Label("Start Time")
	//   @Timestamp("TICKS")
	//   long startTime;
	//
	//   @Label("Duration")
	//   @Timespan("TICKS")
	//   long duration;
	//
	//   @Label("Event Thread")
	//   @Description("Thread in which event was committed in")
	//   Thread eventThread;
	//
	//   @Label("Stack Trace")
	//   @Description("Stack Trace starting from the method the event was committed in")
	//   StackTrace stackTrace;
	//
	//   @Label("Class Parked On")
	//   Class parkedClass;
	//
	//   @Timespan("NANOSECONDS")
	//   @Label("Park Timeout")
	//   long timeout;
	//
	//   @Timestamp("MILLISECONDS_SINCE_EPOCH")
	//   @Label("Park Until")
	//   long until;
	//
	//   @Unsigned
	//   @MemoryAddress
	//   @JavaMonitorAddress
	//   @Label("Address of Object Parked")
	//   long address;
	// }
}

// described returns what a recording describes.
func described(name string) *metadata.Catalog {
	rec, err := mmapjfr.Open("../../testdata/" + name)
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	var types metadata.Catalog
	if err := types.Add(rec); err != nil {
		log.Fatal(err)
	}
	return &types
}
