package input_test

import (
	"context"
	"io"
	"regexp"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// inBlocks are ways to pack in several blocks. Where data is cut between them it
// looks as if it ended there.
var inBlocks = []way{
	{"gzip", func(t testing.TB, data []byte) []byte {
		return packed(t, data, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
	}},
	{"zstd", func(t testing.TB, data []byte) []byte {
		return packed(t, data, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
	}},
	{"lz4", func(t testing.TB, data []byte) []byte {
		return packed(t, data, func(w io.Writer) (io.WriteCloser, error) {
			z := lz4.NewWriter(w)
			return z, z.Apply(lz4.BlockSizeOption(lz4.Block64Kb))
		})
	}},
	{"lz4", func(t testing.TB, data []byte) []byte {
		return packed(t, data, func(w io.Writer) (io.WriteCloser, error) {
			z := lz4.NewWriter(w)
			return z, z.Apply(lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(false), lz4.BlockChecksumOption(true))
		})
	}},
	{"xz", func(t testing.TB, data []byte) []byte {
		return packed(t, data, func(w io.Writer) (io.WriteCloser, error) {
			return xz.WriterConfig{BlockSize: 64 << 10, DictCap: 1 << 16}.NewWriter(w)
		})
	}},
}

// No cut goes unnoticed.
func TestNoticesEveryCut(t *testing.T) {
	raw := append(begunChunk(), make([]byte, 140<<10)...)
	for _, w := range inBlocks {
		t.Run(w.name, func(t *testing.T) {
			whole := w.pack(t, raw)
			path := write(t, t.TempDir(), "x", whole)
			o, told := options(t)
			open(t, o, path)
			require.Empty(t, *told)
			for cut := 6; cut < len(whole); cut += longtest.Cases(19, 1) {
				write(t, "", path, whole[:cut])
				*told = nil
				set, err := input.Open(context.Background(), []string{path}, o)
				if err != nil {
					require.EqualError(t, err, path+": its "+w.name+" data ends too early; copy it again", "cut at %d of %d", cut, len(whole))
					continue
				}
				require.Len(t, *told, 1, "cut at %d of %d", cut, len(whole))
				require.Regexp(t, "^its "+regexp.QuoteMeta(w.name)+" data ends too early", (*told)[0].err.Error(), "cut at %d of %d", cut, len(whole))
				require.NoError(t, set.Close())
			}
		})
	}
}
