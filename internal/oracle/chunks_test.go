package oracle_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/oracle"
)

// chunk makes a chunk of length bytes whose header says size.
func chunk(length int, size int64, state byte) []byte {
	b := make([]byte, length)
	copy(b, "FLR\x00")
	binary.BigEndian.PutUint64(b[8:], uint64(size))
	b[64] = state
	return b
}

func TestCuts(t *testing.T) {
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	a, b := chunk(100, 100, 0), chunk(68, 68, 0)
	for name, c := range map[string]struct {
		file            []byte
		plain, finished []oracle.Cut
	}{
		"empty":             {file: nil},
		"no recording":      {file: []byte("hello"), plain: []oracle.Cut{{0, 5, 0}}},
		"one":               {file: a, plain: []oracle.Cut{{0, 100, 0}}},
		"two":               {file: join(a, b), plain: []oracle.Cut{{0, 100, 0}, {100, 68, 0}}},
		"garbage after":     {file: join(a, []byte("xyz")), plain: []oracle.Cut{{0, 100, 0}, {100, 3, 0}}},
		"cut short":         {file: join(b, a[:80]), plain: []oracle.Cut{{0, 68, 0}, {68, 80, 0}}},
		"cut in the header": {file: join(b, a[:40]), plain: []oracle.Cut{{0, 68, 0}, {68, 40, 0}}},
		"size zero":         {file: chunk(90, 0, 0), plain: []oracle.Cut{{0, 90, 0}}},
		"size negative":     {file: chunk(90, -1, 0), plain: []oracle.Cut{{0, 90, 0}}},
		"unfinished": {
			file:     join(b, chunk(200, 150, 7)),
			plain:    []oracle.Cut{{0, 68, 0}, {68, 200, 7}},
			finished: []oracle.Cut{{0, 68, 0}, {68, 150, 0}},
		},
		"unfinished before another": {
			file:     join(chunk(150, 150, 7), a),
			plain:    []oracle.Cut{{0, 150, 7}, {150, 100, 0}},
			finished: []oracle.Cut{{0, 150, 0}, {150, 100, 0}},
		},
		"unfinished and longer than the file": {
			file:     chunk(100, 5000, 255),
			plain:    []oracle.Cut{{0, 100, 255}},
			finished: []oracle.Cut{{0, 100, 0}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.finished == nil {
				c.finished = c.plain
			}
			assert.Equal(t, c.plain, oracle.Cuts(c.file, false))
			assert.Equal(t, c.finished, oracle.Cuts(c.file, true))
		})
	}
}

func TestChunkIsAsIfFinished(t *testing.T) {
	file := append(chunk(150, 150, 7), chunk(200, 120, 9)...)
	for i, want := range [][]byte{file[:150], file[150:270]} {
		want = bytes.Clone(want)
		want[64] = 0
		got, err := oracle.Chunk(file, i)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := oracle.Chunk(file, 2)
	assert.EqualError(t, err, "oracle: there is no chunk 2, but 2 chunks")
}
