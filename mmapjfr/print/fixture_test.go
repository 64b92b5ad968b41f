package print_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// readable returns the names of all recordings of testdata, those included that the
// JDK does not read.
func readable(t *testing.T) (names []string) {
	t.Helper()
	for _, path := range longtest.Recordings(t) {
		names = append(names, filepath.Base(path))
	}
	return names
}

// open opens a recording of testdata until the test ends.
var open = opentest.File

// writtenOf returns what is written of recordings that are open.
func writtenOf(t *testing.T, rec *mmapjfr.Recording, o print.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, print.Write(t.Context(), &b, []*mmapjfr.Recording{rec}, o))
	return b.Bytes()
}
