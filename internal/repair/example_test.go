package repair_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/mmapjfr/jfr/internal/repair"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// What a killed virtual machine has left becomes a recording that the JDK's tools read.
func ExampleWrite() {
	rec, err := mmapjfr.Open("../../testdata/jdk25-killed.jfr", mmapjfr.Salvage())
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	var whole bytes.Buffer // or a file
	report, err := repair.Write(context.Background(), &whole, rec)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Events(), "events in", len(report.Chunks), "chunk; complete:", report.Whole())

	repaired, err := mmapjfr.OpenBytes(whole.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	defer repaired.Close()
	for _, err := range repaired.Events() {
		if err != nil {
			log.Fatal(err) // there is no error: the recording is whole
		}
	}
	// Output:
	// 1896 events in 1 chunk; complete: true
}
