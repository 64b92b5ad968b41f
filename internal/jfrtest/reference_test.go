package jfrtest_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// assertSame is assert.Equal for big maps: it names what differs and nothing else.
func assertSame[V any](t *testing.T, want, got map[string]V) {
	t.Helper()
	for name, v := range want {
		assert.Equal(t, v, got[name], "%.300s", name)
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			assert.Fail(t, "too many", "%.300s", name)
		}
	}
}

func testdata(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", name+".jfr"))
	require.NoError(t, err)
	return data
}

func TestReferenceReadsForeignRecordings(t *testing.T) {
	files := longtest.Others(t)
	if len(files) == 0 {
		t.Skip("no recordings of other producers here")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			f, err := os.Open(file)
			require.NoError(t, err)
			defer f.Close()
			z, err := gzip.NewReader(f)
			require.NoError(t, err)
			data, err := io.ReadAll(z)
			require.NoError(t, err)
			rec, err := jfrtest.Decode(data)
			if strings.Contains(file, "u40") {
				require.ErrorIs(t, err, jfrtest.ErrBad)
				return
			}
			require.NoError(t, err)
			for _, c := range rec.Chunks {
				for _, e := range c.Events {
					assert.NotEmpty(t, e.TypeName)
					assert.Zero(t, e.Rest, e.TypeName)
				}
			}
		})
	}
}
