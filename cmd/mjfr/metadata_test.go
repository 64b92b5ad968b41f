package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
)

// metadataOf runs the verb, which must succeed without a word on standard error.
var metadataOf = mjfrCommand.Output("metadata")

// The options are those of the JDK, wherever they stand. Their results are compared
// for more recordings where it is written.
func TestMetadataIsThatOfTheJDK(t *testing.T) {
	for _, q := range []struct {
		recording string
		question  []string
	}{
		{"jdk25-profile.jfr", []string{"metadata"}},
		{"jdk17-strings.jfr", []string{"metadata", "--ids"}},
		{"jdk25-profile.jfr", []string{"metadata", "--events", "CPULoad,GC?eap*,jdk.ThreadSt*"}},
		{"jdk25-profile.jfr", []string{"metadata", "--categories", "GC,Operating*"}},
		{"jdk25-profile.jfr", []string{"metadata", "--categories", "JVM", "--events", "*Configuration"}},
	} {
		want := said.Of(t, q.recording, q.question...)
		require.NotEmpty(t, want.Out)
		got := metadataOf(t, append(q.question[1:], clitest.File(q.recording))...)
		said.Same(t, want.Out, []byte(got))
		assert.Equal(t, got, metadataOf(t, append([]string{clitest.File(q.recording)}, q.question[1:]...)...))
	}
}

func TestMetadataMisused(t *testing.T) {
	file := clitest.File("jdk25-empty.jfr")
	for _, c := range []struct {
		args []string
		told string
	}{
		{nil, "name a recording"},
		{[]string{"--events", "A", "--events", "B", file}, "use --events event1,event2,event3"},
		{[]string{"--events", "", file}, `the filter "" has no names`},
		{[]string{"--categories", "A", "--categories", "B", file}, "use --categories category1,category2"},
		{[]string{"--search", "", file}, "--search needs a text"},
		{[]string{"--search", "a", "--diff", file, file}, "cannot be used together"},
		{[]string{"--event", "A", file}, "did you mean --events?"},
	} {
		code, out, told := mjfrCommand(t, append([]string{"metadata"}, c.args...)...)
		assert.Equal(t, cli.ExitUsage, code, c.args)
		assert.Empty(t, out)
		assert.Contains(t, told, c.told)
	}
}

func TestMetadataAsJSON(t *testing.T) {
	var document struct {
		Types []struct {
			Name   string
			ID     int64
			Fields []struct{ Name, Type, Unit string }
		}
	}
	out := metadataOf(t, "--json", "--events", "CPULoad", clitest.File("jdk25-kinds.jfr"))
	require.NoError(t, json.Unmarshal([]byte(out), &document))
	require.Len(t, document.Types, 1)
	assert.EqualValues(t, 110, document.Types[0].ID)
	assert.Equal(t, "timestamp ticks", document.Types[0].Fields[0].Unit)
	assert.True(t, strings.HasPrefix(out, "{\n  \"types\": [\n    {\n      \"name\": \"jdk.CPULoad\",\n"))
	out = metadataOf(t, "--json", clitest.File("jdk25-kinds.jfr"))
	require.NoError(t, json.Unmarshal([]byte(out), &document))
	assert.Greater(t, len(document.Types), 200)
	assert.Contains(t, out, "<tags> &", "nothing is escaped for browsers")

	_, out, _ = mjfrCommand(t, "metadata", "--json", "--events", "Nothing*", clitest.File("jdk25-kinds.jfr"))
	assert.Equal(t, "{\n  \"types\": []\n}\n", out)
}

func TestMetadataSearch(t *testing.T) {
	file := clitest.File("jdk25-profile.jfr")
	assert.Equal(t, "Type\tField\tLabel\tDescription\n"+
		"jdk.YoungGenerationConfiguration\tnewRatio\tNew Ratio\tThe size of the young generation relative to the tenured generation\n",
		metadataOf(t, "--search", "newratio", file))
	assert.Contains(t, metadataOf(t, "--search", "of the jvm process", file),
		"jdk.CPULoad\t\tCPU Load\tInformation about the recent CPU usage of the JVM process\n")
	assert.Contains(t, metadataOf(t, "--search", "second line", clitest.File("jdk25-kinds.jfr")),
		"\tFirst line second line tab\\\\backslash\n", "a line for each")
	assert.Equal(t, "Type\tField\tLabel\tDescription\n", metadataOf(t, "--search", "newratio", "--events", "CPULoad,Old*", file))
	var document struct {
		Types []struct {
			Name   string
			Itself bool
			Fields []struct{ Name string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(metadataOf(t, "--search", "newratio", "--json", file)), &document))
	require.Len(t, document.Types, 1)
	assert.False(t, document.Types[0].Itself)
	assert.Equal(t, "newRatio", document.Types[0].Fields[0].Name)
	assert.Equal(t, "{\n  \"types\": []\n}\n", metadataOf(t, "--search", "no such text", "--json", file))
}

func TestMetadataDiff(t *testing.T) {
	old, now := clitest.File("jdk17-empty.jfr"), clitest.File("jdk25-empty.jfr")
	out := metadataOf(t, "--diff", now, old)
	assert.Contains(t, out, "- class jdk.GCLocker extends jdk.jfr.Event\n")
	assert.Contains(t, out, "+ class jdk.SwapSpace extends jdk.jfr.Event\n")
	assert.Contains(t, out, "  class java.lang.Thread\n+   boolean virtual\n")
	assert.Contains(t, metadataOf(t, "--diff", old, now), "  class java.lang.Thread\n-   boolean virtual\n")
	assert.Empty(t, metadataOf(t, "--diff", now, now))
	assert.Contains(t, metadataOf(t, "--color", "always", "--diff", now, old), "\x1b[31m- class jdk.GCLocker extends jdk.jfr.Event\x1b[0m\n")
	assert.Contains(t, metadataOf(t, "--color", "always", "--diff", now, old), "\n\x1b[32m+   boolean virtual\x1b[0m\n")
	assert.Equal(t, "+ class jdk.SwapSpace extends jdk.jfr.Event\n", metadataOf(t, "--events", "SwapSpace", "--diff", now, old))

	var document struct {
		Removed, Added []struct{ Name string }
		Changed        []struct {
			Name    string
			Changes []struct{ What, Of, Name, Before, After string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(metadataOf(t, "--json", "--diff", now, old)), &document))
	assert.NotEmpty(t, document.Removed)
	assert.NotEmpty(t, document.Added)
	require.NotEmpty(t, document.Changed)
	assert.Equal(t, "java.lang.Thread", document.Changed[0].Name)
	assert.Equal(t, "boolean virtual", document.Changed[0].Changes[0].After)
	assert.Equal(t, "{\n  \"removed\": [],\n  \"added\": [],\n  \"changed\": []\n}\n", metadataOf(t, "--json", "--diff", now, now))

	code, _, told := mjfrCommand(t, "metadata", "--diff", "no such.jfr", now)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, told, "no such.jfr")
}

func TestMetadataOfDamagedRecordings(t *testing.T) {
	one, two := jfrtest.NewChunk(), jfrtest.NewChunk()
	one.Class("test.One")
	two.Class("test.Two")
	data, layouts := jfrtest.Concat(one, two)
	copy(layouts[0].Metadata[0].Of(data)[20:], strings.Repeat("\xff", 100))
	code, out, told := mjfrCommand(t, "metadata", metadataFile(t, data))
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, told, "corrupt")
	assert.Contains(t, out, "class Two {")
}

// metadataFile writes a recording to a file.
func metadataFile(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}
