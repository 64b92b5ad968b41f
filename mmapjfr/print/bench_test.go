package print_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// counter counts the bytes that are written to it.
type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

var _ io.Writer = (*counter)(nil)

func BenchmarkWrite(b *testing.B) {
	for _, f := range []struct {
		name   string
		format print.Format
	}{{"json", print.JSON}} {
		b.Run(f.name, func(b *testing.B) {
			rec, err := mmapjfr.Open("../../testdata/jdk25-profile.jfr")
			require.NoError(b, err)
			defer rec.Close()
			o := print.Options{Format: f.format, StackDepth: print.DefaultStackDepth}
			b.ReportAllocs()
			var out counter
			for b.Loop() {
				out.n = 0
				require.NoError(b, print.Write(b.Context(), &out, []*mmapjfr.Recording{rec}, o))
			}
			b.SetBytes(out.n)
		})
	}
}

func BenchmarkText(b *testing.B) {
	for _, f := range []struct {
		name   string
		format print.Format
		depth  int
	}{
		{"text", print.Text, print.DefaultStackDepth},
		{"exact", print.Exact, print.DefaultStackDepth},
		{"deep", print.Text, 64},
	} {
		b.Run(f.name, func(b *testing.B) {
			rec, err := mmapjfr.Open("../../testdata/jdk25-profile.jfr")
			require.NoError(b, err)
			defer rec.Close()
			b.ReportAllocs()
			b.SetBytes(rec.Size())
			var out counter
			for b.Loop() {
				require.NoError(b, print.Write(b.Context(), &out, []*mmapjfr.Recording{rec}, print.Options{Format: f.format, StackDepth: f.depth}))
			}
		})
	}
}
