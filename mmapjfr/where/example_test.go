package where_test

import (
	"fmt"
	"log"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/where"
)

// A condition selects types first, so that other events are never decoded, and then events.
func Example() {
	rec, err := mmapjfr.Open("../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	condition, err := where.Parse(`duration > 450ms && stackTrace ~ Locks`)
	if err != nil {
		log.Fatal(err) // it shows where in the text the error is
	}
	types, err := rec.Chunks()[0].Types()
	if err != nil {
		log.Fatal(err)
	}
	filter, err := condition.Filter(types)
	if err != nil {
		log.Fatal(err) // no type has these fields
	}
	for ev, err := range rec.Select(filter).Events() {
		if err != nil {
			log.Print(err) // what cannot be read; the loop goes on with what can
			continue
		}
		if condition.Matches(ev) {
			fmt.Println(ev.Type().SimpleName(), ev.Duration(), ev.Thread().JavaThreadID())
		}
	}
	// Output:
	// JavaMonitorEnter 467.630522ms 44
	// JavaMonitorEnter 495.639579ms 43
	// JavaMonitorEnter 502.292487ms 28
	// JavaMonitorEnter 514.391309ms 29
	// JavaMonitorWait 551.820509ms 3
}
