package jfrtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/mmapjfr/jfr/internal/longtest"
)

// JFRTool returns the path of the `jfr` of a JDK 25, as [longtest.JDK25] finds it, and
// skips the test without one.
func JFRTool(t testing.TB) string {
	t.Helper()
	exe := "jfr"
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	return filepath.Join(longtest.JDK25(t), "bin", exe)
}

// RunJFR runs the `jfr` of a JDK 25 on a recording: jfr args... file. It returns
// what the tool wrote and fails the test if the tool did.
func RunJFR(t testing.TB, recording []byte, args ...string) string {
	t.Helper()
	tool := JFRTool(t)
	// The tool insists on the name's end.
	file := filepath.Join(t.TempDir(), "recording.jfr")
	if err := os.WriteFile(file, recording, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tool, append(args, file)...)
	// Times are printed in the local zone.
	cmd.Env = append(os.Environ(), "TZ=UTC", "JDK_JAVA_OPTIONS=", "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("jfr %v: %v\n%s", args, err, out)
	}
	return string(out)
}
