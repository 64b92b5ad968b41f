package verify_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// What is wrong with a recording whose virtual machine was killed.
func ExampleCheck() {
	rec, err := mmapjfr.Open("../../testdata/jdk25-killed.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	report, err := verify.Check(context.Background(), rec)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Events, "events,", report.Constants, "constants")
	for _, f := range report.Findings {
		fmt.Println(f.Kind.Severity(), f.Kind, f.Chunk, f.Text)
	}
	fmt.Println("no errors:", report.OK(verify.Warning))
	// Output:
	// 46 events, 623 constants
	// note unfinished-chunk 0 its last flush ends at 0x1db70
	// no errors: true
}
