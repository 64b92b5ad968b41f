package print_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// TestStructInItself prints an event with a struct that lies in itself, by way of an array: the text has an end.
func TestStructInItself(t *testing.T) {
	rec := opentest.Bytes(t, longtest.Read(t, filepath.Join("testdata", "struct-in-itself.jfr.gz")))
	for _, format := range []print.Format{print.Text, print.JSON, print.Exact, print.XML, print.NDJSON}[:longtest.Cases(2, 5)] {
		var out bytes.Buffer
		require.NoError(t, print.Write(t.Context(), &out, []*mmapjfr.Recording{rec}, print.Options{Format: format}))
		assert.Less(t, out.Len(), 64<<20, format)
	}
}
