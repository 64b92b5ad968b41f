package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

func TestTypes(t *testing.T) {
	const profile = "jdk25-profile.jfr"
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"all that have events": {[]string{clitest.File("jdk25-chunks.jfr")}, "gen.Chunks$Always 66 1359 -\n" +
			"gen.Chunks$FromSecond 2 28 -\ngen.Chunks$OnlyFirst 1 30 -\n"},
		"by name": {[]string{"--sort", "name", "--events", "jdk.GC*Configuration", clitest.File(profile)}, "jdk.GCConfiguration 2 50 GC Configuration\n" +
			"jdk.GCHeapConfiguration 1 24 GC Heap Configuration\n" +
			"jdk.GCSurvivorConfiguration 1 10 GC Survivor Configuration\njdk.GCTLABConfiguration 1 12 TLAB Configuration\n"},
		"by count, then by name": {[]string{"--sort", "count", "--events", "GC*Configuration", clitest.File(profile)}, "jdk.GCConfiguration 2 50 GC Configuration\n" +
			"jdk.GCHeapConfiguration 1 24 GC Heap Configuration\n" +
			"jdk.GCSurvivorConfiguration 1 10 GC Survivor Configuration\njdk.GCTLABConfiguration 1 12 TLAB Configuration\n"},
		"by bytes": {[]string{"--sort", "bytes", "--events", "GC*Configuration", clitest.File(profile)}, "jdk.GCConfiguration 2 50 GC Configuration\n" +
			"jdk.GCHeapConfiguration 1 24 GC Heap Configuration\n" +
			"jdk.GCTLABConfiguration 1 12 TLAB Configuration\njdk.GCSurvivorConfiguration 1 10 GC Survivor Configuration\n"},
		"several names": {[]string{"--events", "SystemGC, jdk.JVMInformation", clitest.File(profile)},
			"jdk.SystemGC 2 30 System GC\njdk.JVMInformation 1 395 JVM Information\n"},
		"of a category": {[]string{"--categories", "Reference", clitest.File(profile)},
			"jdk.GCReferenceStatistics 28 281 GC Reference Statistics\n"},
		"initials and a name": {[]string{"--categories", "JVM", "--events", "*Heap*", "--sort", "name", clitest.File(profile)},
			"jdk.G1HeapSummary 14 314 G1 Heap Summary\njdk.GCHeapConfiguration 1 24 GC Heap Configuration\n" +
				"jdk.GCHeapMemoryPoolUsage 6 217 GC Heap Memory Pool Usage\njdk.GCHeapMemoryUsage 2 38 GC Heap Memory Usage\n" +
				"jdk.GCHeapSummary 14 504 Heap Summary\n"},
		"without events": {[]string{"--all", "--events", "jdk.Shut*", clitest.File("jdk25-chunks.jfr")}, "jdk.Shutdown 0 0 JVM Shutdown\n"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, told := mjfrCommand(t, append([]string{"types"}, c.args...)...)
			require.Equal(t, cli.ExitOK, code, told)
			assert.Empty(t, told)
			head, rows, _ := strings.Cut(out, "\n")
			assert.Equal(t, "Event Type\tCount\tSize (bytes)\tLabel", head)
			rows = strings.ReplaceAll(rows, "\t\n", "\t-\n")
			assert.Equal(t, c.want, strings.ReplaceAll(rows, "\t", " "))
		})
	}
}

// typesDocument is what types --json writes.
type typesDocument struct {
	Types     []summary.TypeDocument  `json:"types"`
	Selection string                  `json:"selection"`
	Errors    []summary.FaultDocument `json:"errors"`
}

func TestTypesAllAndJSON(t *testing.T) {
	file := clitest.File("jdk25-kinds.jfr")
	some := documentOf[typesDocument](t, "types", file)
	all := documentOf[typesDocument](t, "types", "--all", file)
	assert.Greater(t, len(all.Types), 150)
	assert.Equal(t, some.Types, all.Types[:len(some.Types)])
	for i, typ := range all.Types {
		assert.Equal(t, i < len(some.Types), typ.Count > 0)
		assert.NotEqual(t, "jdk.Checkpoint", typ.Name)
	}
	one := documentOf[typesDocument](t, "types", "--events", "ActiveSetting", file).Types
	require.Len(t, one, 1)
	assert.Equal(t, "Recording Setting", one[0].Label)
	assert.Equal(t, []string{"Flight Recorder"}, one[0].Category)
}
