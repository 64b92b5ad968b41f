package main

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/oracle"
)

// scanOf runs jfrbench scan.
func scanOf(t *testing.T, args ...string) (code int, s scanned) {
	code, stdout, stderr := command(append([]string{"scan", "-work"}, args...)...)
	require.Equal(t, code == exitOK, stderr == "", stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &s))
	require.Positive(t, s.Nanos)
	return code, s
}

// joinedByID is a recording of two virtual machines that give different types
// the same id. The JDK joins types by id: of those without events it lists only
// the ones of the first chunk.
const joinedByID = "concat-jdk17-jdk25.jfr"

// TestScansAgreeWithJDK does all works on all recordings, and compares counts and bytes with
// jfr summary, and counts with what jfr print says of each chunk by itself. What is read
// depends on the recording alone.
func TestScansAgreeWithJDK(t *testing.T) {
	seen := make(map[string]string)
	for _, file := range recordings(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			answers, err := oracle.Load(file)
			require.NoError(t, err)
			truth := answers.Truth()
			code, s := scanOf(t, "summary", file)
			require.Equal(t, exitOK, code)
			want := maps.Clone(truth.Summary.Types)
			if filepath.Base(file) == joinedByID {
				none := func(_ string, n oracle.Count) bool { return n.Events == 0 }
				maps.DeleteFunc(s.Types, none)
				maps.DeleteFunc(want, none)
			}
			require.Equal(t, want, s.Types)
			for name, sum := range truth.Events {
				require.Equal(t, sum.N, s.Types[name].Events, name)
			}
			for _, work := range []string{"count", "read"} {
				code, s = scanOf(t, work, file)
				require.Equal(t, exitOK, code)
				require.Equal(t, truth.Events.Len(), s.Events)
				require.Equal(t, work == "read", s.Checksum != "")
			}
			res, err := bench(file, 0)
			require.NoError(t, err)
			require.Equal(t, res.events, s.Events)
			_, again := scanOf(t, "read", file)
			require.Equal(t, s.Checksum, again.Checksum)
			if s.Events > 0 {
				require.NotContains(t, seen, s.Checksum)
				seen[s.Checksum] = file
			}
		})
	}
}

func TestScanCountsEachType(t *testing.T) {
	const file = "../../testdata/jdk25-profile.jfr"
	_, want := scanOf(t, "summary", file)
	for _, name := range []string{"jdk.ClassLoad", "jdk.ExecutionSample", "gen.Loaders$Loaded", "jdk.ZAllocationStall"} {
		require.Contains(t, want.Types, name)
		code, s := scanOf(t, "type", "-type", name, file)
		require.Equal(t, exitOK, code)
		require.Equal(t, want.Types[name].Events, s.Events, name)
		require.Equal(t, name, s.Type)
	}
}

// TestScanTakesTheNameAsItIs has types that a pattern would take for each other.
func TestScanTakesTheNameAsItIs(t *testing.T) {
	b := jfrtest.NewChunk()
	for name, n := range map[string]int{"Some": 1, "test.Some": 2, "test.S*": 4} {
		class := b.Event(name)
		for range n {
			b.Emit(class, int64(1))
		}
	}
	file := writeFile(t, b.Bytes())
	for name, n := range map[string]uint64{"Some": 1, "test.Some": 2, "test.S*": 4} {
		_, s := scanOf(t, "type", "-type", name, file)
		require.Equal(t, n, s.Events, name)
	}
	code, stdout, stderr := command("scan", "-work", "type", "-type", "*", file)
	require.Equal(t, exitDamaged, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "it has no type *; mjfr types lists those it has")
}

// TestSameIDsOfOtherTypes joins chunks in which an id stands for other types.
func TestSameIDsOfOtherTypes(t *testing.T) {
	chunk := func(events int, names ...string) *jfrtest.Builder {
		b := jfrtest.NewChunk()
		for i, name := range names {
			class := b.Event(name)
			class.ID = int64(500 + i)
			for range events * (i + 1) {
				b.Emit(class, int64(1))
			}
		}
		return b
	}
	data, _ := jfrtest.Concat(chunk(1, "test.A", "test.B"), chunk(10, "test.B", "test.A"))
	_, s := scanOf(t, "summary", writeFile(t, data))
	require.Equal(t, uint64(1+20), s.Types["test.A"].Events)
	require.Equal(t, uint64(2+10), s.Types["test.B"].Events)
}

// TestScanOfDamage cuts a recording, and breaks the second of its three chunks.
func TestScanOfDamage(t *testing.T) {
	data := recording(t, "jdk25-chunks.jfr")
	_, whole := scanOf(t, "count", writeFile(t, data))
	file := writeFile(t, data[:len(data)-100])
	for _, work := range []string{"summary", "count", "read"} {
		code, s := scanOf(t, work, file)
		require.Equal(t, exitDamaged, code)
		require.NotZero(t, s.Events)
		_, _, stderr := command("scan", "-work", work, file)
		require.Regexp(t, `: 1 error, the first: chunk 2, offset 0x[0-9a-f]+: .*truncated.*; mjfr verify lists them\n$`, stderr)
	}
	rec, err := jfrtest.Decode(data)
	require.NoError(t, err)
	second := rec.Chunks[1]
	data[second.Events[1].Offset] = 1 // a size that does not hold the event's own head
	code, s := scanOf(t, "summary", writeFile(t, data))
	require.Equal(t, exitDamaged, code)
	require.Equal(t, whole.Events-uint64(len(second.Events)-1), s.Events)
}
