package input_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// Whatever the bytes are, opening them ends with recordings or an error, and within
// the limit.
func FuzzOpen(f *testing.F) {
	raw := startingAt(0)
	f.Add(raw)
	for _, w := range ways {
		packed := w.pack(f, raw)
		f.Add(packed)
		f.Add(packed[:len(packed)/2])
		f.Add(gzipped(f, packed))
	}
	f.Add(zipOf(f, 93, raw))
	f.Add(oldLZ4(f, raw))
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 1 << 20
		set, err := input.Open(context.Background(), []string{"-"}, input.Options{Stdin: bytes.NewReader(data), MaxUnpacked: limit})
		if err != nil {
			return
		}
		size := int64(0)
		for _, rec := range set.Recordings {
			size += rec.Size()
		}
		assert.Positive(t, size)
		assert.LessOrEqual(t, size, int64(limit))
		assert.NoError(t, set.Close())
	})
}
