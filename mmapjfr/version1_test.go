package mmapjfr_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// version1 returns a recording of testdata as JDK 9 would have written it.
func version1(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../testdata/" + name + ".jfr")
	require.NoError(t, err)
	return jfrtest.Version1(data)
}

// TestVersion1AgreesWithReference is about format 1.0, and about files that begin with one
// and go on with the other.
func TestVersion1AgreesWithReference(t *testing.T) {
	kinds, err := os.ReadFile("../testdata/jdk25-kinds.jfr")
	require.NoError(t, err)
	for name, data := range map[string][]byte{
		"1.0":              version1(t, "jdk17-kinds"),
		"old objects":      version1(t, "jdk17-oldobjects"),
		"chunks":           version1(t, "jdk17-chunks"),
		"1.0 and then 2.1": slices.Concat(version1(t, "jdk17-kinds"), kinds),
		"2.1 and then 1.0": slices.Concat(kinds, version1(t, "jdk17-chunks")),
		"raw integers, too": func() []byte {
			b := plain(1, 2, 3).Uncompressed()
			b.Header.Major, b.Header.Minor = 1, 0
			return b.Bytes()
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			want, err := jfrtest.Decode(data)
			require.NoError(t, err)
			require.Empty(t, disagreement(openBytes(t, data), want))
			sizes := 0
			for i, c := range openBytes(t, data).Chunks() {
				major, minor := c.Version()
				assert.Equal(t, []int{int(want.Chunks[i].Header.Major), int(want.Chunks[i].Header.Minor)}, []int{major, minor})
				assert.True(t, c.Finished())
				sizes += int(c.Size())
			}
			assert.Len(t, data, sizes)
		})
	}
}

// TestVersion1AnswersToTodaysNames asks a recording of format 1.0, and one in which both formats
// are, by the names of either.
func TestVersion1AnswersToTodaysNames(t *testing.T) {
	of2, err := os.ReadFile("../testdata/jdk17-profile.jfr")
	require.NoError(t, err)
	newer, err := os.ReadFile("../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	of1 := jfrtest.Version1(of2)
	count := func(rec *mmapjfr.Recording, name string) (n int) {
		for _, err := range rec.Select(mmapjfr.Types(name)).Events() {
			require.NoError(t, err)
			n++
		}
		return n
	}
	type load struct {
		At int64 `jfr:"startTime,ticks"`
	}
	for _, c := range []struct{ old, now string }{
		{"com.oracle.jdk.ExecutionSample", "jdk.ExecutionSample"},
		{"com.oracle.jdk.GCG1MMU", "jdk.G1MMU"},
		{"GCG1MMU", "G1MMU"},
		{"com.oracle.jdk.ExecutionSamp*", "jdk.ExecutionSamp*"},
		{"com.oracle.jdk.G?PhasePause", "jdk.G?PhasePause"},
		{"gen.*", "gen.*"},
	} {
		want := count(openBytes(t, of2), c.now)
		both := want + count(openBytes(t, newer), c.now)
		for name, rec := range map[string]*mmapjfr.Recording{"1.0": openBytes(t, of1), "1.0 and 2.1": openBytes(t, slices.Concat(of1, newer)), "2.1 and 1.0": openBytes(t, slices.Concat(newer, of1))} {
			n := both
			if name == "1.0" {
				n = want
				assert.Equal(t, n, count(rec, c.old), "%s: %s", name, c.old)
			}
			assert.Equal(t, n, count(rec, c.now), "%s: %s", name, c.now)
			assert.NoError(t, rec.Check(nil, c.now), "%s: %s", name, c.now)
			if strings.ContainsAny(c.now, "*?") || !strings.HasPrefix(c.now, "jdk.") {
				continue
			}
			for _, asked := range []string{c.old, c.now} {
				typ, ok := rec.Type(asked)
				require.True(t, ok, "%s: %s", name, asked)
				assert.Equal(t, c.now, typ.Name())
				bound, err := mmapjfr.Bind[load](rec, asked)
				require.NoError(t, err, "%s: %s", name, asked)
				n := 0
				for _, err := range bound.Events() {
					require.NoError(t, err)
					n++
				}
				assert.Equal(t, count(rec, c.now), n, "%s: %s", name, asked)
			}
		}
	}
	types, err := openBytes(t, slices.Concat(of1, newer)).Types()
	require.NoError(t, err)
	seen := make(map[string]bool)
	for _, typ := range types {
		assert.False(t, seen[typ.Name()], typ.Name())
		seen[typ.Name()] = true
	}
}

// TestVersion1IsSalvaged has a file end with a chunk as a virtual machine leaves it that is
// killed: the header has no sizes, places or times, and the metadata is not there.
func TestVersion1IsSalvaged(t *testing.T) {
	data := version1(t, "jdk17-chunks")
	rec, err := jfrtest.Decode(data)
	require.NoError(t, err)
	last := rec.Chunks[2]
	clear(data[last.Offset+8:][:48])
	data = data[:last.Metadata[0].Offset]

	salvaged := opentest.Bytes(t, data, mmapjfr.Salvage())
	var want, got []uint64
	for _, c := range rec.Chunks {
		for _, e := range c.Events {
			if e.Offset < int64(len(data)) {
				want = append(want, uint64(e.Offset))
			}
		}
	}
	require.Less(t, uint64(last.Offset), want[len(want)-1])
	for ev := range salvaged.Events() {
		if !ev.IsZero() {
			got = append(got, ev.Offset())
		}
	}
	assert.Equal(t, want, got)
	assert.NotEmpty(t, salvaged.Salvaged())
}
