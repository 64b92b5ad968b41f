package timeline_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/timeline"
)

// How long each thread waited for locks.
func Example() {
	rec, err := mmapjfr.Open("../../../testdata/jdk17-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	o := timeline.Options{Filters: []mmapjfr.Filter{mmapjfr.Types("jdk.JavaMonitorEnter")}}
	t := timeline.New([]*mmapjfr.Recording{rec}, profile.New(), o)
	waited := make(map[string]int64)
	err = t.Walk(context.Background(), func(list []timeline.Entry) error {
		for _, e := range list {
			waited[t.Threads[e.Thread].Title()] += (e.End - e.Start) / 1e6
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(waited), "threads,", waited["contender 1"], "ms")
	// Output: 15 threads, 105 ms
}
