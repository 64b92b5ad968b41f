package print_test

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// The longest waits for locks, as rows for a spreadsheet.
func ExampleWrite() {
	rec, err := mmapjfr.Open("../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	err = print.Write(context.Background(), os.Stdout, []*mmapjfr.Recording{rec}, print.Options{
		Format:  print.CSV,
		Fields:  []string{"@start", "@duration", "@thread", "monitorClass"},
		Filters: []mmapjfr.Filter{mmapjfr.Types("jdk.JavaMonitorEnter")},
		Where:   func(ev mmapjfr.Event) bool { return ev.Duration() > 500*time.Millisecond },
		OnError: func(_ *mmapjfr.Recording, err error) { log.Print(err) },
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// @start,@duration,@thread,monitorClass
	// 2026-11-21T00:49:20.376872014Z,502292487,contender 0,java.lang.Object
	// 2026-11-21T00:49:20.392592271Z,514391309,contender 1,java.lang.Object
}
