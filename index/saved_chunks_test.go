package index_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
)

func TestSavedParts(t *testing.T) {
	for _, name := range []string{"jdk25-chunks", "jdk25-live"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("../testdata/" + name + ".jfr")
			require.NoError(t, err)
			x := newIndex(t, data)
			var saved bytes.Buffer
			require.NoError(t, x.Save(&saved, index.FileStamp{Size: uint64(len(data))}))
			parts, err := index.ReadSavedChunks(saved.Bytes())
			require.NoError(t, err)
			require.Len(t, parts, len(x.Chunks()))
			for i, c := range x.Chunks() {
				blocks, constants := index.Sections(saved.Bytes(), i)
				want := index.SavedChunkInfo{Offset: c.Offset(), Size: uint64(len(c.Data()))}
				if c.TrailingErr() == nil {
					want.Blocks, want.Constants = uint64(len(blocks)), uint64(len(constants))
					assert.Positive(t, want.Blocks)
					assert.Positive(t, want.Constants)
				}
				assert.Equal(t, want, parts[i])
			}
			_, err = index.ReadSavedChunks(saved.Bytes()[:saved.Len()-1])
			assert.ErrorIs(t, err, index.ErrSavedIndex)
		})
	}
}
