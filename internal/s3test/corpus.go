package s3test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Corpus gives put recordings of many kinds and their keys: real ones, also packed, cut, changed,
// and several of them one after the other; what is none; and generated ones, right and faulty. With
// made, those take the place of the generated ones: each begins at another time, and some are cut.
func Corpus(t testing.TB, n int, made [][]byte, put func(key string, data []byte)) {
	t.Helper()
	var whole [][]byte
	for _, path := range longtest.Recordings(t) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		whole = append(whole, data)
	}
	shared, _ := filepath.Glob(filepath.Join(longtest.Root(t), "../shared/recordings/*.jfr.gz")) // which may be missing
	programs := jfrtest.Programs(n, 11)
	for i := range n {
		key := fmt.Sprintf("service=%s/date=2026-11-%02d/%05d.jfr", []string{"shop", "cart", "mail"}[i%3], i%7+1, i)
		data := whole[i*3%len(whole)]
		switch kind := i % 40; {
		case kind == 0:
		case kind == 1:
			data, key = Packed(t, data, i%80 == 1), key+map[bool]string{true: ".gz", false: ".zst"}[i%80 == 1]
		case kind == 2:
			data = slices.Clone(data)
			for j := i * 7 % len(data); j < len(data); j += 5000 + i {
				data[j] ^= byte(1 + i%255)
			}
		case kind == 3:
			data = data[:len(data)*2/3]
		case kind == 4:
			data = slices.Concat(data, whole[0], data) // to be divided
		case kind == 5 && len(shared) > 0 && longtest.Enabled():
			var err error
			data, err = os.ReadFile(shared[i/40%len(shared)])
			require.NoError(t, err)
			key += ".gz"
		case kind == 6:
			data = []byte("no recording")
		case len(made) > 0:
			if data = later(made[i%len(made)], i); kind == 7 {
				data = data[:len(data)-len(data)*(i%9)/10]
			}
		case kind%5 == 2:
			data = jfrtest.GenerateFaulty(programs[i])
		default:
			data = jfrtest.Generate(programs[i])
		}
		put(key, data)
	}
}

// later returns a recording whose chunks begin some seconds later.
func later(data []byte, seconds int) []byte {
	const startNanos = 32 // in a chunk header
	data = slices.Clone(data)
	for at := 0; at+wire.HeaderLen <= len(data); {
		h, ok := wire.ReadHeader(data[at:])
		if !ok || h.Size < wire.HeaderLen {
			break
		}
		binary.BigEndian.PutUint64(data[at+startNanos:], uint64(h.StartNanos+int64(seconds)*1e9))
		at += int(h.Size)
	}
	return data
}

// Packed returns bytes that are packed by gzip or zstd.
func Packed(t testing.TB, data []byte, gz bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if gz {
		w := gzip.NewWriter(&b)
		_, err := w.Write(data)
		require.NoError(t, errors.Join(err, w.Close()))
		return b.Bytes()
	}
	w, err := zstd.NewWriter(&b)
	require.NoError(t, err)
	_, err = w.Write(data)
	require.NoError(t, errors.Join(err, w.Close()))
	return b.Bytes()
}
