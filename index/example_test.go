package index_test

import (
	"fmt"
	"log"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Where the parts of a chunk lie: its checkpoints, a constant and its events.
func Example() {
	rec, err := mmapjfr.Open("../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	err = rec.Protect(func() error {
		for _, chunk := range index.Chunks(rec) {
			constants, err := chunk.Constants()
			if err != nil {
				return err
			}
			frameType, _ := rec.Type("jdk.types.FrameType")
			at, _ := constants.Lookup(frameType.ID(), 1)
			events := 0
			for event, err := range chunk.Events() {
				if err != nil {
					return err
				}
				if event.Type > 1 {
					events++
				}
			}
			fmt.Println(chunk.Offset, chunk.Metadata, len(constants.Checkpoints), at, events)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0 461809 63 100 4459
}
