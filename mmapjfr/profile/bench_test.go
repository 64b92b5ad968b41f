package profile_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// BenchmarkRead reads all kinds of JFR_BENCH_FILE, or of a recording of testdata.
func BenchmarkRead(b *testing.B) {
	path := os.Getenv("JFR_BENCH_FILE")
	if path == "" {
		path = "../../testdata/jdk25-profile.jfr"
	}
	rec, err := mmapjfr.Open(path)
	require.NoError(b, err)
	defer rec.Close()
	b.SetBytes(rec.Size())
	for b.Loop() {
		_, err := profile.Read(b.Context(), []*mmapjfr.Recording{rec}, profile.Options{})
		require.NoError(b, err)
	}
}
