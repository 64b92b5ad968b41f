package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// scanOf runs jfrbench scan.
func scanOf(t *testing.T, args ...string) (code int, s scanned) {
	code, stdout, stderr := command(append([]string{"scan"}, args...)...)
	require.Equal(t, code == exitOK, stderr == "", stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &s))
	require.Positive(t, s.Nanos)
	return code, s
}

// TestScansAgreeWithTheFullReport does all works on all recordings.
func TestScansAgreeWithTheFullReport(t *testing.T) {
	for _, file := range recordings(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			_, want := report(t, file)
			code, s := scanOf(t, "-work", "count", file)
			require.Equal(t, exitOK, code)
			require.Equal(t, want.Events, s.Events)
			require.Empty(t, s.Checksum)
			code, s = scanOf(t, "-work", "read", file)
			require.Equal(t, exitOK, code)
			require.Equal(t, want.Events, s.Events)
			require.Equal(t, want.Checksum, s.Checksum)
		})
	}
}

func TestScanCountsEachType(t *testing.T) {
	const file = "../../testdata/jdk25-profile.jfr"
	_, want := report(t, file)
	for _, name := range []string{"jdk.ClassLoad", "jdk.ExecutionSample", "gen.Loaders$Loaded", "jdk.ZAllocationStall"} {
		require.Contains(t, want.Types, name)
		code, s := scanOf(t, "-work", "type", "-type", name, file)
		require.Equal(t, exitOK, code)
		require.Equal(t, want.Types[name].Count, s.Events, name)
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
		_, s := scanOf(t, "-work", "type", "-type", name, file)
		require.Equal(t, n, s.Events, name)
	}
	code, stdout, stderr := command("scan", "-work", "type", "-type", "*", file)
	require.Equal(t, exitDamaged, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "it has no type *; jfrbench summary -all lists those it has")
}

func TestScanTellsOfDamage(t *testing.T) {
	data := recording(t, "jdk25-chunks.jfr")
	file := writeFile(t, data[:len(data)-100])
	for _, work := range []string{"count", "read"} {
		code, s := scanOf(t, "-work", work, file)
		require.Equal(t, exitDamaged, code)
		require.NotZero(t, s.Events)
		_, _, stderr := command("scan", "-work", work, file)
		require.Regexp(t, `: 1 error, the first: chunk 2, offset 0x[0-9a-f]+: .*truncated.*; jfrbench without scan lists them\n$`, stderr)
	}
}

func TestScanUsageErrors(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no work":       {[]string{"a.jfr"}, `-work is ""; it must be count, read or type`},
		"unknown work":  {[]string{"-work", "walk", "a.jfr"}, `-work is "walk"`},
		"no type":       {[]string{"-work", "type", "a.jfr"}, "-work type needs -type NAME"},
		"type too much": {[]string{"-work", "read", "-type", "a.B", "a.jfr"}, "-type goes with -work type, not with -work read"},
		"no file":       {[]string{"-work", "read"}, "as in jfrbench scan app.jfr"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := command(append([]string{"scan"}, c.args...)...)
			require.Equal(t, exitUsage, code)
			require.Empty(t, stdout)
			require.Contains(t, stderr, c.says)
			require.Contains(t, stderr, "Try jfrbench scan -help.")
		})
	}
	code, _, stderr := command("scan", "-work", "read", "nosuch.jfr")
	require.Equal(t, exitDamaged, code)
	require.Contains(t, stderr, "nosuch.jfr: there is no such file")
}
