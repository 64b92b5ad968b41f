package mmapjfr_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
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
			agree(t, openBytes(t, data), want)
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

// TestVersion1HasViews has the views of a recording be those of the one that it was made of.
func TestVersion1HasViews(t *testing.T) {
	type sample struct {
		Thread mmapjfr.Thread     `jfr:"sampledThread"`
		Stack  mmapjfr.StackTrace `jfr:"stackTrace"`
		Method mmapjfr.Method     `jfr:"stackTrace.frames[0].method"`
		Text   string             `jfr:"stackTrace.frames[0].method"`
		Top    mmapjfr.Frame      `jfr:"@top"`
	}
	type loaded struct {
		Class  mmapjfr.Class       `jfr:"loadedClass"`
		Loader mmapjfr.ClassLoader `jfr:"definingClassLoader"`
	}
	texts := func(data []byte, prefix string) (list []string) {
		rec := openBytes(t, data)
		samples, err := mmapjfr.Bind[sample](rec, prefix+"ExecutionSample")
		require.NoError(t, err)
		for row, err := range samples.Events() {
			require.NoError(t, err)
			list = append(list, row.Thread.Name(), row.Thread.Group().Name(), row.Method.Class().Name()+"."+row.Method.Name(), row.Text, row.Top.Text(), row.Top.Method().Value().String(), row.Stack.Value().String())
			for f := range row.Stack.Frames() {
				list = append(list, f.Method().Name(), f.Kind())
			}
		}
		n := len(list)
		require.Positive(t, n)
		loads, err := mmapjfr.Bind[loaded](rec, prefix+"ClassLoad")
		require.NoError(t, err)
		for row, err := range loads.Events() {
			require.NoError(t, err)
			list = append(list, row.Class.Name(), row.Loader.Name(), row.Loader.Type().Name())
		}
		require.Greater(t, len(list), n)
		for ev, err := range rec.Events() {
			require.NoError(t, err)
			list = append(list, ev.Value().Text())
		}
		return list
	}
	of2, err := os.ReadFile("../testdata/jdk17-profile.jfr")
	require.NoError(t, err)
	assert.Equal(t, texts(of2, "jdk."), texts(jfrtest.Version1(of2), "com.oracle.jdk."))

	rec := openBytes(t, jfrtest.Version1(of2))
	typ, ok := rec.Type("com.oracle.jdk.ExecutionSample")
	require.True(t, ok)
	assert.Equal(t, "jdk.ExecutionSample", typ.Name())
	assert.Equal(t, "com.oracle.jdk.ExecutionSample", typ.RecordedName())
	assert.Equal(t, "", mmapjfr.Type{}.Name())
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
				assert.True(t, typ.IsCalled(asked))
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

// TestVersion1HasASavedIndex opens a recording of format 1.0 by its saved index.
func TestVersion1HasASavedIndex(t *testing.T) {
	data := slices.Concat(version1(t, "jdk17-profile"), sizable(t))
	want := shown(t, openBytes(t, data))
	file := placed(t, data)
	save(t, file)
	rec := openSaved(t, file)
	assert.Equal(t, want, shown(t, rec))
}

// TestVersion1IsReadFromAPipe has a recording come in pieces.
func TestVersion1IsReadFromAPipe(t *testing.T) {
	of2, err := os.ReadFile("../testdata/jdk25-empty.jfr")
	require.NoError(t, err)
	data := slices.Concat(version1(t, "jdk17-chunks"), of2, version1(t, "jdk25-virtual"))
	want, errs := mappedLines(t, data)
	require.Empty(t, errs)
	got, errs := pipedLines(t, iotest.HalfReader(bytes.NewReader(data)))
	require.Empty(t, errs)
	require.Len(t, got, len(want))
	for i := range want {
		requireAsFlushed(t, want[i], got[i])
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

	salvaged, err := mmapjfr.OpenBytes(data, mmapjfr.Salvage())
	require.NoError(t, err)
	defer salvaged.Close()
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
