package arrow_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	"github.com/mmapjfr/jfr/mmapjfr/columns/arrow"
)

var update = flag.Bool("update", false, "write testdata/judged.txt anew; let `.ci/long columns` read the streams first")

// TestStreamsAreThoseThatPyarrowHasRead compares streams with those that pyarrow has read, validated and found equal
// to what is printed (.ci/long columns).
func TestStreamsAreThoseThatPyarrowHasRead(t *testing.T) {
	var b strings.Builder
	for _, name := range []string{"jdk25-kinds", "jdk17-strings", "jdk25-virtual"} {
		rec, err := mmapjfr.Open("../../../testdata/" + name + ".jfr")
		require.NoError(t, err)
		var mu sync.Mutex
		streams := make(map[string][]byte)
		sink := func(table string, fill func(io.Writer) error) error {
			var b bytes.Buffer
			err := fill(&b)
			mu.Lock()
			defer mu.Unlock()
			streams[table] = b.Bytes()
			return err
		}
		o := columns.Options{InlineStacks: true, Name: func(*mmapjfr.Recording) string { return name }}
		_, err = columns.Export(t.Context(), []*mmapjfr.Recording{rec}, arrow.Format, sink, o)
		require.NoError(t, err)
		require.NoError(t, rec.Close())
		for _, table := range slices.Sorted(maps.Keys(streams)) {
			fmt.Fprintf(&b, "%s %s %x\n", name, table, sha256.Sum256(streams[table]))
		}
	}
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile("testdata/judged.txt", []byte(b.String()), 0o666))
	}
	want, err := os.ReadFile("testdata/judged.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String())
}
