package schema_test

import (
	"fmt"
	"log"
	"os"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
)

// Where the fields of an event lie in the file.
func ExamplePlan_Layout() {
	data, err := os.ReadFile("../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	ix, err := index.New(data)
	if err != nil {
		log.Fatal(err)
	}
	chunk := ix.Chunks()[0]
	header, _, err := chunk.EventAt(143_992)
	if err != nil {
		log.Fatal(err)
	}
	types, err := chunk.Types()
	if err != nil {
		log.Fatal(err)
	}
	event := types.EventType(header.Type)
	plan, err := event.Plan()
	if err != nil {
		log.Fatal(err)
	}
	slots := make([]uint32, plan.NumSlots())
	if _, ok := plan.Layout(chunk.Data()[header.Offset:], int(header.HeaderLen), int(header.Size), slots); !ok {
		log.Fatal(schema.ErrCorrupt)
	}
	fmt.Println(event.Name, header.Size, "bytes")
	for i := range event.Fields {
		field := &event.Fields[i]
		fmt.Println(slots[field.Slot()], field.Name, field.Type.Name)
	}
	// Output:
	// jdk.ActiveSetting 24 bytes
	// 3 startTime long
	// 8 id long
	// 9 name java.lang.String
	// 18 value java.lang.String
}
