package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// withJVMs makes those the JVMs of this machine.
func withJVMs(t *testing.T, list ...attach.Process) {
	t.Helper()
	was := live.ListProcesses
	t.Cleanup(func() { live.ListProcesses = was })
	live.ListProcesses = func() ([]attach.Process, error) { return list, nil }
}

func TestNamesOfJVMs(t *testing.T) {
	for main, want := range map[string]string{
		"":                               "",
		"MyApp":                          "MyApp",
		"com.acme.MyApp":                 "com.acme.MyApp MyApp",
		"com.acme/com.acme.MyApp":        "com.acme/com.acme.MyApp com.acme.MyApp MyApp",
		"/opt/acme/app-1.2.jar":          "/opt/acme/app-1.2.jar app-1.2.jar app-1.2",
		`C:\\acme\\app.jar`:              `C:\\acme\\app.jar app.jar app`,
		"src/Hello.java":                 "src/Hello.java Hello.java Hello",
		"com.acme.Outer$Inner":           "com.acme.Outer$Inner Outer$Inner",
		"jdk.compiler/com.sun.tools.M.x": "jdk.compiler/com.sun.tools.M.x com.sun.tools.M.x x",
	} {
		assert.Equal(t, strings.Fields(want), append([]string{}, live.Names(main)...), main)
	}
}

func TestJVMsAreNamed(t *testing.T) {
	withJVMs(t,
		attach.Process{PID: 11, Main: "com.acme.MyApp"}, attach.Process{PID: 12, Main: "org.other.Twice"},
		attach.Process{PID: 13, Main: "com.acme.Twice"}, attach.Process{PID: 14, Main: "/opt/web.jar"},
		attach.Process{PID: 15, Main: "com.acme.myapp"})
	for name, want := range map[string]int{
		"MyApp": 11, "myapp": 15, "com.acme.MyApp": 11, "web": 14, "WEB.JAR": 14, "com.acme.Twice": 13,
	} {
		pid, err := live.ProcessOf(name)
		assert.NoError(t, err)
		assert.Equal(t, want, pid, name)
	}
	_, err := live.ProcessOf("Twice")
	assert.EqualError(t, err, "Twice is the name of 2 JVMs: 12 (org.other.Twice), 13 (com.acme.Twice); name one by its number")
	_, err = live.ProcessOf("Twicee")
	assert.ErrorContains(t, err, "; did you mean com.acme.Twice or org.other.Twice?")
	code, _, told := mjfrCommand(t, "watch", "--once", "MyAp")
	assert.Equal(t, cli.ExitData, code)
	assert.Equal(t, "mjfr watch: MyAp: no such file or directory, and no JVM of that name; mjfr jvms lists JVMs; did you mean MyApp or myapp?\n", told)
}

// TestWaitForAFile follows a recording that comes later.
func TestWaitForAFile(t *testing.T) {
	was := live.WaitInterval
	t.Cleanup(func() { live.WaitInterval = was })
	live.WaitInterval = time.Millisecond
	data, err := os.ReadFile(clitest.File("jdk25-kinds.jfr"))
	require.NoError(t, err)
	dir := t.TempDir()
	path := filepath.Join(dir, "app.jfr")
	var out, told clitest.LockedText
	done := make(chan int)
	go func() {
		a := &cli.App{Root: newMjfr, Stdout: &out, Stderr: &told}
		done <- a.Run(t.Context(), []string{"watch", "--wait", "--once", "--json", path})
	}()
	require.Eventually(t, func() bool { return strings.Contains(told.String(), "waiting for "+path) }, time.Minute, time.Millisecond)
	require.NoError(t, os.WriteFile(path+".part", data, 0o600))
	require.NoError(t, os.Rename(path+".part", path))
	assert.Equal(t, cli.ExitOK, <-done, told.String())
	assert.Contains(t, out.String(), "gen.Throttled")
}

func TestRecordingTakesAJVM(t *testing.T) {
	withJVMs(t)
	for want, args := range map[string][]string{
		"and only -f prints that":    {"tail", "--settings", "profile", "4711"},
		"and - is not one":           {"tail", "-f", "--set", "jdk.CPULoad#period=1s", "-"},
		"and a/b is not one":         {"watch", "--settings", "default", "a/b"},
		"--set ":                     {"tail", "-f", "--set", "#", "4711"},
		"--existing shows only what": {"watch", "--existing", "--settings", "default", "4711"},
	} {
		code, _, told := mjfrCommand(t, args...)
		assert.Equal(t, cli.ExitUsage, code, args)
		assert.Contains(t, told, want)
	}
}
