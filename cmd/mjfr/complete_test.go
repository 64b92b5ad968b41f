package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// completed returns what shells are offered, without descriptions, and the directive.
func completed(t *testing.T, args ...string) (offers []string, directive string) {
	t.Helper()
	code, stdout, _ := mjfrCommand(t, append([]string{"__complete"}, args...)...)
	require.Equal(t, cli.ExitOK, code)
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	for _, line := range lines[:len(lines)-1] {
		name, _, _ := strings.Cut(line, "\t")
		offers = append(offers, name)
	}
	return offers, lines[len(lines)-1]
}

// TestCompletionHasNoBackquotes looks at the descriptions of all flags. The help needs the backquotes.
func TestCompletionHasNoBackquotes(t *testing.T) {
	code, stdout, _ := mjfrCommand(t, "__complete", "tail", "--")
	require.Equal(t, cli.ExitOK, code)
	assert.Contains(t, stdout, "--settings\tmake a JVM record the settings NAME: default, profile or a .jfc file")
	assert.Contains(t, stdout, "--color\t")
	assert.NotContains(t, stdout, "`")
	_, stdout, _ = mjfrCommand(t, "tail", "--help")
	assert.Contains(t, stdout, "--settings NAME ")
}

const (
	offersNoFiles  = ":4"
	offersSuffixes = ":8"
	offersFolders  = ":16"
)

// withAll adds a verb with flags that other verbs have or may have.
func withAll(t *testing.T) {
	tryVerb(t, func(*cli.App) error { return nil }, func(cmd *cobra.Command) {
		cmd.Use = "try FILE [TYPE]"
		f := cmd.Flags()
		f.StringArray("events", nil, "")
		f.String("categories", "", "")
		f.StringArray("thread", nil, "")
		f.String("fields", "", "")
		f.String("where", "", "")
		f.Int("depth", 0, "")
		f.String("truncate", "", "cut texts at their `SIDE`: beginning or end")
		f.String("out", "", "")
		f.Bool("json", false, "")
	})
}

func TestCompletion(t *testing.T) {
	withAll(t)
	for name, c := range map[string]struct {
		args      []string
		want      []string // are among what is offered
		not       []string
		directive string
	}{
		"verbs":              {[]string{"su"}, []string{"summary"}, []string{"types"}, offersNoFiles},
		"verbs after help":   {[]string{"help", ""}, []string{"summary", "types"}, nil, offersNoFiles},
		"flags":              {[]string{"try", "--"}, []string{"--events", "--color", "--no-progress", "--json"}, nil, offersNoFiles},
		"files":              {[]string{"try", ""}, []string{"jfr", "jfr.gz", "jfr.zst", "zip"}, nil, offersSuffixes},
		"more files":         {[]string{"summary", clitest.File("jdk25-kinds.jfr"), ""}, []string{"jfr"}, nil, offersSuffixes},
		"types as argument":  {[]string{"try", clitest.File("jdk25-kinds.jfr"), "java.lang.Thr"}, []string{"java.lang.Thread"}, []string{"jdk.CPULoad"}, offersNoFiles},
		"simple types":       {[]string{"constants", clitest.File("jdk25-kinds.jfr"), "Th"}, []string{"Thread", "ThreadGroup"}, []string{"java.lang.Thread"}, offersNoFiles},
		"no third argument":  {[]string{"try", clitest.File("jdk25-kinds.jfr"), "java.lang.Thread", ""}, nil, []string{"jfr", "java.lang.Thread"}, offersNoFiles},
		"a directory":        {[]string{"man", ""}, nil, nil, offersFolders},
		"no arguments":       {[]string{"version", ""}, nil, nil, offersNoFiles},
		"colours":            {[]string{"try", "--color", ""}, []string{"auto", "always", "never"}, nil, offersNoFiles},
		"choice":             {[]string{"try", "--truncate", ""}, []string{"beginning", "end"}, nil, offersNoFiles},
		"settings":           {[]string{"tail", "--settings", ""}, []string{"default", "profile"}, []string{"a"}, ":0"},
		"number":             {[]string{"try", "--depth", ""}, nil, nil, offersNoFiles},
		"another file":       {[]string{"try", "--out", ""}, nil, nil, ":0"},
		"event types":        {[]string{"try", clitest.File("jdk25-kinds.jfr"), "--events", ""}, []string{"jdk.CPULoad", "gen.KindEvents$Primitives"}, []string{"java.lang.Thread", "CPULoad"}, offersNoFiles},
		"simple names":       {[]string{"try", clitest.File("jdk25-kinds.jfr"), "--events", "CPUL"}, []string{"CPULoad"}, []string{"jdk.CPULoad"}, offersNoFiles},
		"second of a list":   {[]string{"try", clitest.File("jdk25-kinds.jfr"), "--events", "jdk.GCHeapSummary,jdk.CPUL"}, []string{"jdk.GCHeapSummary,jdk.CPULoad"}, nil, offersNoFiles},
		"with an equals":     {[]string{"try", clitest.File("jdk25-kinds.jfr"), "--events=jdk.CPUL"}, []string{"jdk.CPULoad"}, nil, offersNoFiles},
		"categories":         {[]string{"try", clitest.File("jdk25-kinds.jfr"), "--categories", "Java V"}, []string{"Java Virtual Machine"}, []string{"GC"}, offersNoFiles},
		"inner categories":   {[]string{"try", clitest.File("jdk25-kinds.jfr"), "--categories", "GC,Pr"}, []string{"GC,Profiling"}, nil, offersNoFiles},
		"threads":            {[]string{"try", clitest.File("jdk25-kinds.jfr"), "--thread", "m"}, []string{"main"}, nil, offersNoFiles},
		"fields":             {[]string{"try", clitest.File("jdk25-kinds.jfr"), "--fields", "startTime,machineT"}, []string{"startTime,machineTotal"}, nil, offersNoFiles},
		"computed fields":    {[]string{"try", clitest.File("jdk25-kinds.jfr"), "--fields", "startTime,@"}, []string{"startTime,@thread", "startTime,@duration"}, nil, offersNoFiles},
		"fields of a thread": {[]string{"try", clitest.File("jdk25-kinds.jfr"), "--fields", "@thread."}, []string{"@thread.name", "@thread.javaName", "@thread.javaId"}, nil, offersNoFiles},
		"fields of a type":   {[]string{"try", clitest.File("jdk25-kinds.jfr"), "--events", "CPULoad", "--fields", ""}, []string{"startTime", "jvmUser"}, []string{"eventThread"}, offersNoFiles},
		"inner fields":       {[]string{"try", clitest.File("jdk25-kinds.jfr"), "--fields", "eventThread.java"}, []string{"eventThread.javaName", "eventThread.javaThreadId"}, nil, offersNoFiles},
		"deeper fields":      {[]string{"try", clitest.File("jdk25-kinds.jfr"), "--fields", "stackTrace.frames[0].method.na"}, nil, nil, offersNoFiles},
		"no such field":      {[]string{"try", clitest.File("jdk25-kinds.jfr"), "--fields", "frob.x"}, nil, nil, offersNoFiles},
		"condition":          {[]string{"try", clitest.File("jdk25-kinds.jfr"), "--where", "duration>10ms && jvm"}, []string{"duration>10ms && jvmUser", "duration>10ms && jvmSystem"}, nil, offersNoFiles},
		"condition in words": {[]string{"try", clitest.File("jdk25-kinds.jfr"), "--where", "not a = 1 AND jvm"}, []string{"not a = 1 AND jvmUser", "not a = 1 AND jvmSystem"}, nil, offersNoFiles},
		"no such recording":  {[]string{"try", "nosuch.jfr", "--events", ""}, nil, []string{"jdk.CPULoad"}, offersNoFiles},
		"a directory of":     {[]string{"try", "../../testdata", "--events", "jdk.CPUL"}, []string{"jdk.CPULoad"}, nil, offersNoFiles},
	} {
		t.Run(name, func(t *testing.T) {
			offers, directive := completed(t, c.args...)
			assert.Subset(t, offers, c.want)
			for _, n := range c.not {
				assert.NotContains(t, offers, n)
			}
			assert.Equal(t, c.directive, directive)
		})
	}
}

// TestCompletionWithoutAFile asks the latest recording of the directory.
func TestCompletionWithoutAFile(t *testing.T) {
	withAll(t)
	dir := t.TempDir()
	for i, name := range []string{"jdk25-kinds.jfr", "jdk25-cputime.jfr", "jdk17-empty.jfr"} {
		data, err := os.ReadFile(clitest.File(name))
		require.NoError(t, err)
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		at := time.Now().Add(-time.Duration(i) * time.Hour)
		require.NoError(t, os.Chtimes(path, at, at))
	}
	t.Chdir(dir)
	offers, _ := completed(t, "try", "--events", "gen.KindEvents")
	assert.NotEmpty(t, offers)
	require.NoError(t, os.Remove("jdk25-kinds.jfr"))
	offers, _ = completed(t, "try", "--events", "gen.KindEvents")
	assert.Empty(t, offers)
	t.Chdir(t.TempDir())
	offers, directive := completed(t, "try", "--events", "")
	assert.Empty(t, offers)
	assert.Equal(t, offersNoFiles, directive)
}

// TestEveryVerbCompletes looks for flags that nobody has thought of.
func TestEveryVerbCompletes(t *testing.T) {
	root := newMjfr(&cli.App{})
	root.SetArgs([]string{cobra.ShellCompRequestCmd, ""}) // as shells do
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	require.NoError(t, root.Execute())
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			assert.NotNil(t, cmd.ValidArgsFunction, cmd.Name())
		}
		if f := cmd.Flags().Lookup("events"); f != nil {
			do, ok := cmd.GetFlagCompletionFunc("events")
			assert.True(t, ok && do != nil, cmd.Name())
		}
	}
}

func TestScriptsForShells(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		code, stdout, stderr := mjfrCommand(t, "completion", shell)
		assert.Equal(t, cli.ExitOK, code)
		assert.Contains(t, stdout, "mjfr")
		assert.Empty(t, stderr)
	}
	code, _, stderr := mjfrCommand(t, "completion", "csh")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, stderr, "name one shell: bash, zsh, fish, powershell")
}

// tailJVMs are some JVMs.
func tailJVMs() ([]attach.Process, error) {
	return []attach.Process{
		{PID: 4711, Main: "com.example.Main", Attachable: true},
		{PID: 4712, Main: "of.another.User"},
		{PID: 4812, Main: "app.jar", Attachable: true},
	}, nil
}

func TestTailCompletesSources(t *testing.T) {
	was := live.ListProcesses
	t.Cleanup(func() { live.ListProcesses = was })
	live.ListProcesses = tailJVMs
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("repo", 0o700))
	for _, name := range []string{"app.jfr", "app.txt", ".hidden.jfr"} {
		require.NoError(t, os.WriteFile(name, nil, 0o600))
	}
	offers, directive := completed(t, "tail", "")
	assert.ElementsMatch(t, []string{"4711", "4812", "Main", "app", "app.jfr", "repo" + string(filepath.Separator)}, offers)
	assert.Equal(t, ":0", directive)
	offers, directive = completed(t, "tail", "-f", "47")
	assert.Equal(t, []string{"4711"}, offers)
	assert.Equal(t, ":0", directive)
	offers, _ = completed(t, "tail", "ap")
	assert.Equal(t, []string{"app", "app.jfr"}, offers)
	offers, directive = completed(t, "tail", "re")
	assert.Empty(t, offers)
	assert.Equal(t, ":0", directive, "the shell's own files")
	offers, directive = completed(t, "tail", "4711", "")
	assert.Empty(t, offers)
	assert.Equal(t, offersNoFiles, directive)
	offers, _ = completed(t, "tail", "--from", "")
	assert.Equal(t, []string{"start", "now"}, offers)
	_, out, _ := mjfrCommand(t, "__complete", "tail", "47")
	assert.Contains(t, out, "4711\tcom.example.Main\n", "with what it is")
}
