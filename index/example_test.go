package index_test

import (
	"fmt"
	"log"
	"testing"

	"github.com/stretchr/testify/require"

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
	for _, chunk := range index.Chunks(rec) {
		constants, err := chunk.Constants()
		if err != nil {
			log.Fatal(err)
		}
		frameType, _ := rec.Type("jdk.types.FrameType")
		at, _ := constants.Lookup(frameType.ID(), 1)
		events := 0
		for event, err := range chunk.Events() {
			if err != nil {
				log.Fatal(err)
			}
			if event.Type > 1 { // neither metadata nor a checkpoint
				events++
			}
		}
		fmt.Println(chunk.Offset, chunk.Metadata, len(constants.Checkpoints), at, events)
	}
	// Output:
	// 0 461809 63 100 4459
}

func TestClosedAndZeroChunks(t *testing.T) {
	rec, err := mmapjfr.Open("../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	chunk := index.Chunks(rec)[0]
	require.NoError(t, rec.Close())
	for _, c := range []index.Chunk{chunk, {}} {
		k, err := c.Constants()
		require.ErrorIs(t, err, mmapjfr.ErrClosed)
		_, err = c.Blocks()
		require.ErrorIs(t, err, mmapjfr.ErrClosed)
		for _, err := range c.Events() {
			require.ErrorIs(t, err, mmapjfr.ErrClosed)
		}
		_, found := k.Lookup(1, 1)
		require.False(t, found)
	}
}
