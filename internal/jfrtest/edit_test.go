package jfrtest_test

import (
	"bytes"
	_ "embed"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// edited is three events that start at 1, 2 and 3, the second with a size of four bytes, between
// them a checkpoint, at the end another that names it, then metadata, and two bytes that are no chunk.
//
//go:embed testdata/edited.jfr
var edited []byte

func TestEditOfNothingChangesNothing(t *testing.T) {
	data := edited
	assert.Equal(t, data, jfrtest.Edit(data, nil))
	assert.Equal(t, data, jfrtest.Edit(data, []byte{0}[:0]))
	assert.Equal(t, []byte("FLR"), jfrtest.Edit([]byte("FLR"), []byte{1, 2, 3, 4, 5, 6, 7, 8}))
	programs(100, func(program []byte) {
		data := jfrtest.Generate(program)
		assert.Equal(t, data, jfrtest.Edit(data, nil))
	})
}

func TestEditKeepsTheRest(t *testing.T) {
	data := edited
	for name, tt := range map[string]struct {
		edits  []byte
		starts []int64
	}{
		// Chunk, event (a product), other event, position (two bytes), what.
		"a byte":            {[]byte{0, 0, 0, 0, 0, 1, 0, 9}, []int64{9, 2, 3}},
		"a bit":             {[]byte{0, 1, 1, 0, 0, 1, 1, 6}, []int64{1, 66, 3}},
		"a number":          {[]byte{0, 0, 0, 0, 0, 1, 4, 200, 0, 0}, []int64{1<<8 + 1, 2, 3}},
		"bytes put in":      {[]byte{0, 0, 0, 0, 0, 1, 2, 0x80, 5}, []int64{5 << 7, 2, 3}},
		"bytes taken out":   {[]byte{0, 1, 3, 0, 0, 2, 3, 9}, []int64{1, 2, 3}},
		"an event twice":    {[]byte{0, 1, 1, 3, 0, 0, 7}, []int64{1, 2, 2, 3}},
		"an event taken":    {[]byte{0, 0, 0, 0, 0, 0, 8}, []int64{2, 3}},
		"events exchanged":  {[]byte{0, 1, 3, 0, 0, 0, 9}, []int64{3, 2, 1}},
		"a checkpoint gone": {[]byte{0, 1, 2, 0, 0, 0, 9}, []int64{2, 1, 3}},
	} {
		rec, err := jfrtest.Decode(bytes.TrimSuffix(jfrtest.Edit(data, tt.edits), []byte{0, 1}))
		require.NoError(t, err, name)
		c := rec.Chunks[0]
		var starts []int64
		for _, e := range c.Events {
			starts = append(starts, e.Field("startTime").(int64))
		}
		assert.Equal(t, tt.starts, starts, name)
		assert.Len(t, c.Checkpoints, 2, name)
	}
	for name, edits := range map[string][]byte{
		"a size":   {0, 1, 1, 0, 0, 0, 10, 100},
		"a header": {0, 0, 0, 0, 0, 0, 11, 5, 9},
		"a delta":  {0, 1, 4, 0, 0, 3, 0, 5},
	} {
		_, err := jfrtest.Decode(jfrtest.Edit(data, edits)[:len(data)-2])
		assert.ErrorIs(t, err, jfrtest.ErrBad, name)
	}
}

func TestEditsAreSurvived(t *testing.T) {
	changed, right := 0, 0
	programs(500, func(program []byte) {
		data := jfrtest.Generate(program[len(program)/8:])
		got := jfrtest.Edit(data, program[:len(program)/8])
		if !bytes.Equal(got, data) {
			changed++
		}
		if _, err := jfrtest.Decode(got); err == nil {
			right++
		}
	})
	assert.Greater(t, changed, 400)
	assert.Greater(t, right, 20)
}
