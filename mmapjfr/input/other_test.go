package input_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// TestOther offers what was named and is no recording, unpacked; nothing of directories and archives.
func TestOther(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		return path
	}
	var packed, archive bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte("packed words"))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	a := zip.NewWriter(&archive)
	member, err := a.Create("member")
	require.NoError(t, err)
	_, err = member.Write([]byte("words of a member"))
	require.NoError(t, err)
	require.NoError(t, a.Close())

	var got []string
	open := func(names ...string) error {
		got = nil
		set, err := input.Open(t.Context(), names, input.Options{
			Stdin: bytes.NewReader([]byte("words of a pipe")),
			Other: func(name string, r *bufio.Reader) (bool, error) {
				if head, _ := r.Peek(4); string(head) == "not " {
					return false, nil
				}
				text, err := io.ReadAll(r)
				got = append(got, filepath.Base(name)+": "+string(text))
				return true, err
			},
		})
		if err == nil {
			assert.NoError(t, set.Close())
		}
		return err
	}
	require.NoError(t, open(write("plain", []byte("words")), write("packed.gz", packed.Bytes()), "-"))
	assert.Equal(t, []string{"plain: words", "packed.gz: packed words", "standard input: words of a pipe"}, got)
	require.ErrorIs(t, open(write("none", []byte("not these"))), mmapjfr.ErrNotRecording)
	require.ErrorIs(t, open(write("a.zip", archive.Bytes())), mmapjfr.ErrNotRecording)
	require.ErrorIs(t, open(dir), mmapjfr.ErrNotRecording)
	assert.Empty(t, got)
	require.ErrorIs(t, open(write("cut.gz", packed.Bytes()[:packed.Len()-9])), io.ErrUnexpectedEOF)
}
