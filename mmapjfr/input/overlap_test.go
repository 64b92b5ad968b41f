package input_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// TestZipWithOneStreamForManyFiles makes the entries of an archive lead to one another's data.
func TestZipWithOneStreamForManyFiles(t *testing.T) {
	raw := recording(t, "jdk25-empty.jfr")
	data := zipped(t, member{"a.jfr", raw}, member{"b.jfr", raw}, member{"c.jfr", raw})
	open := func() error {
		set, err := input.Open(context.Background(), []string{write(t, t.TempDir(), "x.zip", data)}, input.Options{})
		if err == nil {
			require.NoError(t, set.Close())
		}
		return err
	}
	require.NoError(t, open())
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	first, err := z.File[0].DataOffset()
	require.NoError(t, err)
	// The last entry of the central directory gets the place of the first.
	const placeAt = 42
	at := bytes.LastIndex(data, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(data[at+placeAt:], uint32(first)-30-uint32(len("a.jfr")))
	assert.ErrorContains(t, open(), "files in this zip archive share packed data")
}
