package index_test

import (
	"fmt"
	"log"
	"os"

	"github.com/mmapjfr/jfr/index"
)

// Where the things of a chunk lie: its types, its pools and its events.
func Example() {
	data, err := os.ReadFile("../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	ix, err := index.New(data)
	if err != nil {
		log.Fatal(err)
	}
	for _, chunk := range ix.Chunks() {
		types, err := chunk.Types()
		if err != nil {
			log.Fatal(err)
		}
		constants, err := chunk.Constants()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(chunk.Offset(), len(types.Types), len(constants.Checkpoints()), chunk.Blocks().Events())
	}
	// Output:
	// 0 301 63 4459
}
