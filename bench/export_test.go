//go:build unix

package bench_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	tables "github.com/mmapjfr/jfr/mmapjfr/columns"
)

// BenchmarkExport writes all events as Parquet. MB/s/core are megabytes of the recording for each second of a processor.
func BenchmarkExport(b *testing.B) {
	for _, file := range files() {
		b.Run(filepath.Base(file), func(b *testing.B) {
			rec, err := mmapjfr.Open(file)
			require.NoError(b, err)
			defer rec.Close()
			sink := tables.Folder(b.TempDir(), tables.Parquet, true)
			b.SetBytes(rec.Size())
			b.ReportAllocs()
			began, bytes := processorTime(b), int64(0)
			for b.Loop() {
				_, err := tables.Export(b.Context(), []*mmapjfr.Recording{rec}, tables.Parquet, sink, tables.Options{})
				require.NoError(b, err)
				bytes += rec.Size()
			}
			b.ReportMetric(float64(bytes)/1e6/(processorTime(b)-began).Seconds(), "MB/s/core")
		})
	}
}
