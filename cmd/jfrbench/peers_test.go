package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
)

// asCommand is set in the environment of the tests' own binary to have it be
// jfrbench, which peers runs as it finds itself.
const asCommand = "JFRBENCH_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

func TestPeersUsageErrors(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no file":       {nil, "no file given: name a recording, as in jfrbench peers app.jfr"},
		"two files":     {[]string{"a.jfr", "b.jfr"}, `"b.jfr" is one too many`},
		"flag after it": {[]string{"a.jfr", "-md"}, "flags go before it"},
		"unknown flag":  {[]string{"-workers", "2", "a.jfr"}, "-workers"},
		"no run":        {[]string{"-runs", "0", "a.jfr"}, "-runs is 0; at least one run is needed"},
		"no work":       {[]string{"-only", "count,reed", "a.jfr"}, `-only names "reed", which is no work; there are summary, count, read, type`},
		"two forms":     {[]string{"-json", "-md", "a.jfr"}, "choose one"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := command(append([]string{"peers"}, c.args...)...)
			require.Equal(t, exitUsage, code)
			require.Empty(t, stdout)
			require.Contains(t, stderr, c.says)
			require.Contains(t, stderr, "Try jfrbench peers -help.")
		})
	}
}

func TestVerbsHaveHelp(t *testing.T) {
	for verb, help := range map[string]string{"peers": peersHelp, "scan": scanHelp, "summary": summaryHelp} {
		code, stdout, stderr := command(verb, "-help")
		require.Equal(t, exitOK, code)
		require.Equal(t, help, stdout)
		require.Empty(t, stderr)
		require.Contains(t, usage, "jfrbench "+verb+" FILE")
		for line := range strings.Lines(help) {
			require.LessOrEqual(t, len(line), 81)
		}
	}
}

func TestChosenWorks(t *testing.T) {
	works, err := chosenWorks("")
	require.NoError(t, err)
	require.Equal(t, []string{"summary", "count", "read", "type"}, works)
	works, err = chosenWorks("type,count,type")
	require.NoError(t, err)
	require.Equal(t, []string{"count", "type"}, works)
	_, err = chosenWorks(",")
	require.Error(t, err)
}

func TestPeersWithoutJDK(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA25_HOME", "")
	code, stdout, stderr := command("peers", "../../testdata/jdk25-profile.jfr")
	require.Equal(t, exitDamaged, code)
	require.Empty(t, stdout)
	require.Equal(t, "jfrbench: peers measures the readers of a JDK 25 or newer, and none was found; "+
		"set JAVA25_HOME to the folder of one\n", stderr)
}

// comparison runs peers -json with jfrbench being the tests' own binary.
func comparison(t *testing.T, args ...string) (code int, d peersDocument) {
	t.Setenv(asCommand, "1")
	code, stdout, stderr := command(append([]string{"peers", "-json"}, args...)...)
	require.Empty(t, stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &d))
	return code, d
}

// TestPeersAgree has the JDK's own readers count the events of a recording.
func TestPeersAgree(t *testing.T) {
	home := longtest.JDK25(t)
	if _, err := os.Stat(filepath.Join(home, "bin", "javac")); err != nil {
		t.Skip("the JDK 25 has no compiler")
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	code, d := comparison(t, "-runs", "2", "-type", "jdk.ClassLoad", "../../testdata/jdk25-profile.jfr")
	require.Equal(t, exitOK, code)
	require.Contains(t, d.JDK, "VM")
	require.Len(t, d.Works, len(workNames))
	want := map[string]uint64{"summary": 4459, "count": 4459, "read": 4459, "type": 539}
	for _, w := range d.Works {
		require.Empty(t, w.Error)
		require.Equal(t, want[w.Work], w.Events, w.Work)
		require.Equal(t, 2, w.Runs)
		require.NotNil(t, w.ProcessRatio)
		require.Equal(t, w.Work != "summary", w.LoopRatio != nil, w.Work)
	}
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left)
}

// fakeJDK makes commands that look like those of a JDK; java and jfr are scripts
// as given.
func fakeJDK(t *testing.T, java, jfr, javac string) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake commands are shell scripts")
	}
	home := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, "release"), []byte("JAVA_VERSION=\"25.0.9\"\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(home, "bin"), 0o700))
	for name, script := range map[string]string{"java": java, "jfr": jfr, "javac": javac} {
		path := filepath.Join(home, "bin", name)
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	}
	t.Setenv("JAVA25_HOME", home)
}

func TestPeersTellOfDisagreement(t *testing.T) {
	summary := "printf ' Version: 2.1\\n\\n=====\\n jdk.ClassLoad 538 8893\\n'"
	fakeJDK(t, `echo '{"events":4460,"nanos":1000}'`, summary, "exit 0")
	file := "../../testdata/jdk25-profile.jfr"
	code, d := comparison(t, "-only", "summary,count", file)
	require.Equal(t, exitDamaged, code)
	require.Len(t, d.Works, 2)
	require.Contains(t, d.Works[0].Error, "of gen.Loaders$Loaded the JDK has 0 events in 0 bytes, jfrbench ")
	require.Contains(t, d.Works[1].Error, "in run 1 RecordingFile saw 4,460 events, jfrbench 4,459 events")
	require.Nil(t, d.Works[1].ProcessRatio)

	code, stdout, _ := command("peers", "-only", "count", file)
	require.Equal(t, exitDamaged, code)
	require.Regexp(t, `\n  count +- +- +- +- +- +- +error +-\n`, stdout)
	require.Contains(t, stdout, "\nerror in count, so no times are shown: in run 1 ")
}

func TestPeersTellOfAJDKThatFails(t *testing.T) {
	fakeJDK(t, `[ "$1" = --version ] && echo VM && exit; echo 'Exception: no luck' >&2; exit 1`, "exit 1", "exit 0")
	code, d := comparison(t, "-only", "read", "../../testdata/jdk25-profile.jfr")
	require.Equal(t, exitDamaged, code)
	require.Equal(t, "VM", d.JDK)
	require.Equal(t, "java: exit status 1: Exception: no luck", d.Works[0].Error)

	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	fakeJDK(t, "echo VM", "exit 0", "echo 'Peers.java:1: error' >&2; exit 1")
	code, _, stderr := command("peers", "../../testdata/jdk25-profile.jfr")
	require.Equal(t, exitDamaged, code)
	require.Contains(t, stderr, "could not be compiled: javac: exit status 1: Peers.java:1: error")
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestPeersOfARecordingWithoutEvents(t *testing.T) {
	fakeJDK(t, `echo '{"events":0,"nanos":1000}'`, "exit 0", "exit 0")
	code, d := comparison(t, "-only", "count,type", "../../testdata/jdk25-empty.jfr")
	require.Equal(t, exitDamaged, code)
	require.Empty(t, d.Works[0].Error)
	require.Contains(t, d.Works[1].Error, "the recording has no events; measure one that has, or leave this work out")
}

// TestInterruptedPeersLeaveNothing interrupts while the JDK runs.
func TestInterruptedPeersLeaveNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted there")
	}
	temporary, started := t.TempDir(), filepath.Join(t.TempDir(), "pid")
	t.Setenv("TMPDIR", temporary)
	fakeJDK(t, `[ "$1" = --version ] && echo VM && exit; echo $$ > "`+started+`"; while :; do :; done`, // there may be no sleep
		"exit 0", "exit 0")
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "peers", "-only", "count", "../../testdata/jdk25-profile.jfr")
	cmd.Env = append(os.Environ(), asCommand+"=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		text, _ := os.ReadFile(started)
		return bytes.HasSuffix(text, []byte("\n")) // the file is there before anything is in it
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Wait(), &exit)
	require.Equal(t, exitInterrupted, exit.ExitCode())
	require.Equal(t, "jfrbench: interrupted\n", stderr.String())

	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left)
	text, err := os.ReadFile(started)
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	jdk, err := os.FindProcess(pid)
	require.NoError(t, err)
	require.Error(t, jdk.Signal(syscall.Signal(0)), "the JDK still runs")
}
