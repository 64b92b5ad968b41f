package rewrite_test

import (
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// BenchmarkWrite copies the recording that JFR_BENCH_FILE names, or one of testdata: as it is, and anew.
func BenchmarkWrite(b *testing.B) {
	path := os.Getenv("JFR_BENCH_FILE")
	if path == "" {
		path = "../../testdata/jdk25-profile.jfr"
	}
	rec, err := mmapjfr.Open(path)
	require.NoError(b, err)
	defer rec.Close()
	for name, plan := range map[string]rewrite.Plan{
		"copied": {}, "anew": {Anew: true}, "anew on 1 worker": {Anew: true, Workers: 1}, "joined": {Join: true, ChunkSize: 16 << 20},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(rec.Size())
			b.ReportAllocs()
			for b.Loop() {
				report, err := rewrite.Write(b.Context(), io.Discard, []*mmapjfr.Recording{rec}, &plan)
				require.NoError(b, err)
				b.ReportMetric(float64(report.Bytes)/float64(rec.Size()), "size")
			}
		})
	}
}
