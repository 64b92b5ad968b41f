package query_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

func Example() {
	rec, err := mmapjfr.Open("../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	result, err := query.Run(context.Background(), []*mmapjfr.Recording{rec},
		"select name, count(*) as n from GarbageCollection group by name order by n desc")
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range result.Rows {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row[0], row[1].Int())
	}
	// Output:
	// G1New 4
	// G1Full 2
	// G1Old 1
}

// Partial results of recordings are bytes between machines, and are merged in any order.
func ExamplePartial_Merge() {
	var recs []*mmapjfr.Recording
	for _, name := range []string{"jdk25-profile", "jdk25-chunks"} {
		rec, err := mmapjfr.Open("../../testdata/" + name + ".jfr")
		if err != nil {
			log.Fatal(err)
		}
		defer rec.Close()
		recs = append(recs, rec)
	}
	statement, err := query.Parse("select count(*), unique(eventThread) from jdk.ThreadStart", query.Options{})
	if err != nil {
		log.Fatal(err)
	}
	types, err := mmapjfr.EventTypes(recs)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := statement.Plan(types, query.Options{})
	if err != nil {
		log.Fatal(err)
	}
	sum := plan.NewPartial()
	for _, rec := range recs {
		found, err := query.Read(context.Background(), []*mmapjfr.Recording{rec}, []*query.Plan{plan}, query.ReadOptions{})
		if err != nil {
			log.Fatal(err)
		}
		data, err := found[0].MarshalBinary()
		if err != nil {
			log.Fatal(err)
		}
		part, err := plan.Unmarshal(data)
		if err != nil {
			log.Fatal(err)
		}
		sum.Merge(part)
	}
	if err := sum.Err(); err != nil {
		log.Fatal(err)
	}
	for row := range sum.Result().Rows {
		fmt.Println(row[0], row[1])
	}
	// Output:
	// 20 20
}

// A statement is answered again and again for what a JVM records. Here its recording is a file; stream.Attach
// and stream.OpenRepository have streams of running JVMs.
func ExampleStatement_Follow() {
	s, err := stream.OpenFile("../../testdata/jdk25-flushed.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := s.SetFollow(false); err != nil { // no more is written to this one
		log.Fatal(err)
	}
	statement, err := query.Parse("select eventType.name, count(*) from gen.* group by all", query.Options{})
	if err != nil {
		log.Fatal(err)
	}
	total := map[string]int64{}
	err = statement.Follow(context.Background(), s, time.Second, query.Options{}, func(w query.Window) error {
		for row, err := range w.Result.Rows { // valid until the function returns
			if err != nil {
				return err
			}
			total[row[0].String()] += row[1].Int()
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(total)
	// Output:
	// map[gen.Growing$Common:92 gen.Growing$Second:2 gen.Growing$Third:1]
}

// A condition is a filter. Events of types without its fields are never decoded.
func ExampleWhere() {
	rec, err := mmapjfr.Open("../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	long, err := query.Where(`duration > 450ms && stackTrace ~ Locks`, query.Options{})
	if err != nil {
		log.Fatal(err) // it shows where in the text the error is
	}
	for ev, err := range rec.Select(long, mmapjfr.Not(mmapjfr.Types("ThreadPark"))).Events() {
		if err != nil {
			log.Print(err) // what cannot be read; the loop goes on with what can
			continue
		}
		fmt.Println(ev.Type().SimpleName(), ev.Duration(), ev.Thread().JavaThreadID())
	}
	// Output:
	// JavaMonitorEnter 467.630522ms 44
	// JavaMonitorEnter 495.639579ms 43
	// JavaMonitorEnter 502.292487ms 28
	// JavaMonitorEnter 514.391309ms 29
	// JavaMonitorWait 551.820509ms 3
}
