package print_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// Recordings of other producers are not part of the project. Where they are at hand,
// and a JDK is, it is asked about each chunk of them.
func TestOtherProducers(t *testing.T) {
	longtest.Slow(t, "it asks JDKs again and again")
	files := longtest.Others(t)
	home := longtest.JDK25(t)
	if len(files) == 0 {
		t.Skip("there are no recordings of other producers")
	}
	for _, file := range files {
		data := gunzip(t, file)
		rec, err := mmapjfr.OpenBytes(data)
		if err != nil {
			continue // they are older than what is read here
		}
		for i := range rec.Chunks() {
			chunk, err := oracle.Chunk(data, i)
			require.NoError(t, err)
			if len(chunk) > 2<<20 {
				continue // the JDK takes half a minute
			}
			name := strings.TrimSuffix(filepath.Base(file), ".gz")
			t.Run(name+" chunk "+strconv.Itoa(i), func(t *testing.T) { sameAsJDK(t, home, name, chunk) })
		}
	}
}

// sameAsJDK compares what is written of a recording with what the JDK prints.
func sameAsJDK(t *testing.T, home, name string, data []byte) {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, data, 0o644))
	rec := opentest.Bytes(t, data)
	for _, f := range []struct {
		question []string
		options  print.Options
	}{
		{[]string{"print", "--exact", "--stack-depth", "20"}, print.Options{Format: print.Exact, StackDepth: 20}},
		{[]string{"print", "--json"}, print.Options{Format: print.JSON, StackDepth: print.DefaultStackDepth}},
		{[]string{"print", "--xml", "--stack-depth", "2"}, print.Options{Format: print.XML, StackDepth: 2}},
	} {
		want, refusal, err := oracle.Verbatim(t.Context(), home, path, f.question...)
		require.NoError(t, err)
		if refusal != "" {
			t.Skip("the JDK refuses it: " + refusal)
		}
		said.Same(t, want, writtenOf(t, rec, f.options))
	}
}

func gunzip(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	data, err := io.ReadAll(z)
	require.NoError(t, err)
	return data
}
