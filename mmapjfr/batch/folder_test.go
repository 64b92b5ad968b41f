package batch

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFilesAreMergedByObject orders files by what they begin with, whatever they are called and whatever is before their parts.
func TestFilesAreMergedByObject(t *testing.T) {
	dir := t.TempDir()
	var files, want []string
	for i := range 20 {
		p := &Partial{
			Question: "parts", Note: []string{"parts", "{["}, Key: []Label{{"parts", "x"}}, Answer: nothing{},
			parts: ordered([]Part{{Object: fmt.Sprintf("%02d.jfr", i/4), From: uint64(i%4) * 100, To: 1}}, Part.compare),
		}
		data, err := p.MarshalBinary()
		require.NoError(t, err)
		path := filepath.Join(dir, fmt.Sprintf("%02d", (i*7)%20))
		require.NoError(t, os.WriteFile(path, data, 0o600))
		files, want = append(files, path), append(want, path)
	}
	bad := filepath.Join(dir, "bad")
	require.NoError(t, os.WriteFile(bad, []byte(magic+"\xff\xff"), 0o600))
	for i, j := 0, len(files)-1; i < j; i, j = i+3, j-2 {
		files[i], files[j] = files[j], files[i]
	}
	assert.Equal(t, append([]string{bad}, want...), byObject(append(files, bad)))
}
