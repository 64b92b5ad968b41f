package print_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// TestPrinter puts together what is written of single events and compares it with what
// is written of all at once.
func TestPrinter(t *testing.T) {
	rec, err := mmapjfr.OpenBytes(said.Recording(t, "jdk25-cputime.jfr"))
	require.NoError(t, err)
	defer rec.Close()
	for _, f := range []struct {
		format  print.Format
		between string
	}{{print.Text, ""}, {print.Exact, ""}, {print.NDJSON, ""}, {print.XML, ""}, {print.JSON, ", "}} {
		o := print.Options{Format: f.format, StackDepth: 3, Order: print.ByFile}
		p, err := print.NewPrinter(o)
		require.NoError(t, err)
		var out []byte
		for ev, err := range rec.Events() {
			require.NoError(t, err)
			if len(out) > 0 {
				out = append(out, f.between...)
			}
			out = p.Append(out, ev)
		}
		require.NotEmpty(t, out)
		assert.True(t, bytes.Contains(writtenOf(t, rec, o), out), "format %d", f.format)
	}
}

func TestPrinterHasNoRows(t *testing.T) {
	for _, f := range []print.Format{print.CSV, print.TSV} {
		_, err := print.NewPrinter(print.Options{Format: f, Fields: []string{"startTime"}})
		assert.Error(t, err)
	}
}
