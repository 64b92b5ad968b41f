package summary_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// The types that take most of a recording.
func ExampleCount() {
	rec, err := mmapjfr.Open("../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	sum, err := summary.Count(context.Background(), []*mmapjfr.Recording{rec}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Version(), sum.Duration(), sum.Events)
	for _, t := range sum.Types[:3] {
		fmt.Printf("%s %d events, %.1f %%\n", t.Name, t.Events, 100*sum.Share(t.Bytes))
	}
	// Output:
	// 2.1 8.18781151s 4459
	// jdk.ClassLoad 539 events, 1.6 %
	// jdk.ModuleExport 518 events, 1.0 %
	// jdk.BooleanFlag 496 events, 2.7 %
}
