package columns_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// rowsOf returns the rows of a table of NDJSON.
func rowsOf(t testing.TB, data []byte) (rows []map[string]any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		var row map[string]any
		err := d.Decode(&row)
		if err == io.EOF {
			return rows
		}
		require.NoError(t, err)
		rows = append(rows, row)
	}
}

// TestFramesOfStacksAreThoseOfTheirTable compares the frames in the rows of stacks with the rows of the table of frames.
func TestFramesOfStacksAreThoseOfTheirTable(t *testing.T) {
	unknown := 0
	for _, path := range []string{"../../testdata/jdk25-profile.jfr", "../../testdata/jdk17-kinds.jfr"} {
		files := export(t, columns.NDJSON, columns.Options{}, open(t, path))
		frames := rowsOf(t, files["_frames"])
		for _, stack := range rowsOf(t, files["_stacks"]) {
			list, ok := stack["frames"].([]any)
			require.True(t, ok)
			for position, frame := range list {
				want := frames[0]
				frames = frames[1:]
				assert.Equal(t, want["stack_id"], stack["stack_id"])
				assert.EqualValues(t, position, want["position"])
				if want["line"] == nil {
					unknown++
				}
				delete(want, "stack_id")
				delete(want, "position")
				require.Equal(t, any(want), frame)
			}
		}
		assert.Empty(t, frames)
	}
	assert.Positive(t, unknown, "so the test is one")
}
