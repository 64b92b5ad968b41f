package print_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// version1 opens a recording of testdata as JDK 9 would have written it.
func version1(t *testing.T, name string) (*mmapjfr.Recording, []byte) {
	t.Helper()
	data := jfrtest.Version1(said.Recording(t, name))
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	t.Cleanup(func() { rec.Close() })
	return rec, data
}

// TestVersion1IsPrintedAsTheJDKDoes prints recordings of format 1.0, in which the JDK
// knows stack frames and the like by other names, and old objects not at all.
func TestVersion1IsPrintedAsTheJDKDoes(t *testing.T) {
	for _, c := range []struct {
		name     string
		question string
		options  print.Options
	}{
		{"jdk17-profile", "print", print.Options{Format: print.Text, StackDepth: print.DefaultStackDepth}},
		{"jdk17-profile", "print --exact --stack-depth 20", print.Options{Format: print.Exact, StackDepth: 20}},
		{"jdk17-profile", "print --xml --stack-depth 1", print.Options{Format: print.XML, StackDepth: 1}},
		{"jdk17-chunks", "print", print.Options{Format: print.Text, StackDepth: print.DefaultStackDepth}},
		{"jdk17-kinds", "print --json", print.Options{Format: print.JSON, StackDepth: print.DefaultStackDepth}},
		{"jdk17-oldobjects", "print", print.Options{Format: print.Text, StackDepth: print.DefaultStackDepth}},
		{"jdk25-virtual", "print --json --stack-depth 2", print.Options{Format: print.JSON, StackDepth: 2}},
	} {
		t.Run(c.name+" "+c.question, func(t *testing.T) {
			rec, data := version1(t, c.name+".jfr")
			answer := said.OfBytes(t, c.name+"-v1.jfr", data, strings.Fields(c.question)...)
			require.Empty(t, answer.Refusal)
			said.Same(t, answer.Out, writtenOf(t, rec, c.options))
		})
	}
}

// TestVersion1InRowsIsThatOf2 has the formats that the JDK does not know write the same
// of both formats but for the names of event types.
func TestVersion1InRowsIsThatOf2(t *testing.T) {
	renamed := strings.NewReplacer("com.oracle.jdk.GCG1MMU", "jdk.G1MMU", "com.oracle.jdk.", "jdk.")
	old, _ := version1(t, "jdk17-profile.jfr")
	for _, options := range []print.Options{
		{Format: print.NDJSON},
		{Format: print.CSV, Filters: []mmapjfr.Filter{mmapjfr.Types("ClassLoad")}},
		{Format: print.CSV, Fields: []string{"@thread", "@stack", "@top", "@class", "stackTrace.frames[0].method.type", "eventThread.group.name"}},
		{Format: print.TSV, Filters: []mmapjfr.Filter{mmapjfr.Types("com.oracle.jdk.ExecutionSample", "jdk.ExecutionSample")}},
	} {
		options.StackDepth = print.DefaultStackDepth
		want, got := writtenOf(t, open(t, "jdk17-profile.jfr"), options), writtenOf(t, old, options)
		assert.Greater(t, len(got), 4000)
		said.Same(t, want, []byte(renamed.Replace(string(got))))
	}
}
