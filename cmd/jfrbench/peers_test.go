package main

import (
	"bytes"
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
	"github.com/mmapjfr/jfr/internal/oracle"
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

func TestPeersWithoutJDK(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA25_HOME", "")
	code, stdout, stderr := command("peers", "../../testdata/jdk25-profile.jfr")
	require.Equal(t, exitDamaged, code)
	require.Empty(t, stdout)
	require.Equal(t, "jfrbench: peers measures the readers of a JDK 25 or newer, and none was found; "+
		"set JAVA25_HOME to the folder of one\n", stderr)
}

// comparison runs peers with jfrbench being the tests' own binary.
func comparison(t *testing.T, args ...string) (code int, report string) {
	t.Setenv(asCommand, "1")
	code, stdout, stderr := command(append([]string{"peers"}, args...)...)
	require.Empty(t, stderr)
	return code, stdout
}

// TestPeersAgree has the JDK's own readers, and JMC's if its jars are there, count the events of a recording.
func TestPeersAgree(t *testing.T) {
	longtest.Slow(t, "it asks JDKs again and again")
	home := longtest.JDK25(t)
	maven, err := mavenRepository("")
	require.NoError(t, err)
	if _, err := os.Stat(filepath.Join(home, "bin", "javac")); err != nil {
		t.Skip("the JDK 25 has no compiler")
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	code, report := comparison(t, "-runs", "2", "-only", strings.Join(workNames, ","), "-type", "jdk.ClassLoad", "../../testdata/jdk25-profile.jfr")
	require.Equal(t, exitOK, code, report)
	require.Regexp(t, `\n- JDK: .*VM`, report)
	_, missing := sides{repository: maven}.classPath(jmcJars)
	for _, r := range readers {
		for _, c := range r.contests {
			events, loop := "4,459", `\S+ \S+ \| \S+ \S+ \| \S+`
			switch c.work {
			case "type":
				events = "539"
			case "summary":
				loop = `- \| - \| -`
			}
			figures := `\S+ \S+ \| \S+ \S+ \| \S+ \| ` + loop + ` \| [0-9.,]+ \| ` + events + ` \| 2`
			if r.name == "jmc" && missing != nil {
				figures = `.* \| missing \| -`
			}
			require.Regexp(t, `\n\| `+c.work+` \| `+c.peer+` [0-9.]+ \| `+figures+` \|\n`, report)
		}
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

func TestPeersDisagree(t *testing.T) {
	summary := "printf ' Version: 2.1\\n\\n=====\\n jdk.ClassLoad 538 8893\\n'"
	fakeJDK(t, `echo '{"events":4460,"nanos":1000}'`, summary, "exit 0")
	code, report := comparison(t, "-only", "summary,count", "-maven", t.TempDir(), "../../testdata/jdk25-profile.jfr")
	require.Equal(t, exitDamaged, code)
	require.Contains(t, report, "of gen.Loaders$Loaded the JDK has 0 events in 0 bytes, jfrbench ")
	require.Contains(t, report, "in run 1 RecordingFile saw 4,460 events, jfrbench 4,459 events")
	require.Contains(t, report, "\n| count | RecordingFile 25.0.9 | - | - | - | - | - | - | - | error | - |\n")
	require.Contains(t, report, "\n| count | JMC 9.1.1 | - | - | - | - | - | - | - | missing | - |\n")
	require.Contains(t, report, "; mvn dependency:get -Dartifact=org.openjdk.jmc:flightrecorder:9.1.1 fetches it\n")
	require.NotContains(t, report, "\n| read")
}

func TestPeersOfAJDKThatFails(t *testing.T) {
	fakeJDK(t, `[ "$1" = --version ] && echo VM && exit; echo 'Exception: no luck' >&2; exit 1`, "exit 1", "exit 0")
	code, report := comparison(t, "-only", "read", "../../testdata/jdk25-profile.jfr")
	require.Equal(t, exitDamaged, code)
	require.Contains(t, report, "\n- JDK: VM, with its own defaults\n")
	require.Contains(t, report, "java: exit status 1: Exception: no luck")

	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	fakeJDK(t, "echo VM", "exit 0", "echo 'Peers.java:1: error' >&2; exit 1")
	code, report = comparison(t, "-only", "count,type", "-readers", "jdk", "../../testdata/jdk25-profile.jfr")
	require.Equal(t, exitDamaged, code)
	require.Contains(t, report, "- error in type with EventStream 25.0.9, so no times are shown: Peers and JDKReader could not be compiled: javac: exit status 1: Peers.java:1: error")
	require.NotContains(t, report, "JMC")
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestPeersAreNotMeasuredOn(t *testing.T) {
	data := recording(t, "jdk25-chunks.jfr")
	for says, o := range map[string]peersOptions{
		"nosuch.jfr: no such file":                     {file: "nosuch.jfr"},
		"check that it is the .jfr file itself":        {file: "peers.go"},
		"it is damaged":                                {file: writeFile(t, data[:len(data)-100])},
		"a chunk still being written":                  {file: "../../testdata/jdk25-live.jfr"},
		"it has no events":                             {file: "../../testdata/jdk25-empty.jfr"},
		"it has no event type jdk.Nothing; mjfr types": {file: "../../testdata/jdk25-chunks.jfr", typeName: "jdk.Nothing"},
	} {
		_, err := describe(o)
		require.ErrorContains(t, err, says)
	}
	const file = "../../testdata/jdk25-profile.jfr"
	r, err := describe(peersOptions{file: file})
	require.NoError(t, err)
	require.InDelta(t, float64(r.Events)/100, float64(r.typed), float64(r.Events)/1000)
	r, err = describe(peersOptions{file: file, typeName: "jdk.ClassLoad"})
	require.NoError(t, err)
	require.Contains(t, r.facts(), "type is jdk.ClassLoad: 539 events, 12.09% of all")
}

func TestOnePercent(t *testing.T) {
	for name, c := range map[string]struct {
		types  map[string]uint64
		events uint64
		want   string
	}{
		"nearest":        {map[string]uint64{"a": 880, "b": 14, "c": 7, "d": 99}, 1000, "c"},
		"exactly":        {map[string]uint64{"a": 985, "b": 10, "c": 5}, 1000, "b"},
		"first by name":  {map[string]uint64{"c": 8, "b": 12, "a": 980}, 1000, "b"},
		"rare is better": {map[string]uint64{"a": 999, "b": 1}, 1000, "b"},
		"only one":       {map[string]uint64{"a": 3, "z": 0}, 3, "a"},
		"settings":       {map[string]uint64{"a": 990, "jdk.ActiveSetting": 10}, 1000, "a"},
		"format":         {map[string]uint64{"a": 990, "jdk.Metadata": 10, "jdk.Checkpoint": 10}, 990, "a"},
		"format 1.0":     {map[string]uint64{"a": 990, "com.oracle.jdk.Metadata": 10, "com.oracle.jdk.ActiveSetting": 10}, 1000, "a"},
		"nameless":       {map[string]uint64{"a": 990, "7 (missing event metadata)": 10}, 1000, "a"},
		"none":           {map[string]uint64{"a": 0, "jdk.Metadata": 1}, 0, ""},
	} {
		types := map[string]oracle.Count{}
		for name, n := range c.types {
			types[name] = oracle.Count{Events: n}
		}
		require.Equal(t, c.want, onePercent(types, c.events), name)
	}
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
