package columns_test

import (
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// BenchmarkExport writes the recording that JFR_BENCH_FILE names, or one of testdata, to nowhere.
func BenchmarkExport(b *testing.B) {
	path := os.Getenv("JFR_BENCH_FILE")
	if path == "" {
		path = "../../testdata/jdk25-profile.jfr"
	}
	nowhere := func(_ string, fill func(io.Writer) error) error { return fill(io.Discard) }
	for _, format := range []columns.Format{columns.Parquet, columns.CSV, columns.NDJSON} {
		b.Run(format.Extension()[1:], func(b *testing.B) {
			rec, err := mmapjfr.Open(path)
			require.NoError(b, err)
			defer rec.Close()
			b.SetBytes(rec.Size())
			b.ReportAllocs()
			for b.Loop() {
				_, err := columns.Export(b.Context(), []*mmapjfr.Recording{rec}, format, nowhere, columns.Options{})
				require.NoError(b, err)
			}
		})
	}
}
