package jfrtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// JFRTool returns the path of the `jfr` of a JDK 25: that of JAVA25_HOME, or of a
// folder with "25" in its name beside the JDK of `java`. It skips the test if there is none.
func JFRTool(t testing.TB) string {
	t.Helper()
	exe := "jfr"
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	usable := func(home string) string {
		tool := filepath.Join(home, "bin", exe)
		if info, err := os.Stat(tool); err != nil || info.IsDir() {
			return ""
		}
		return tool
	}
	if home := os.Getenv("JAVA25_HOME"); home != "" {
		if tool := usable(home); tool != "" {
			return tool
		}
		t.Skipf("JAVA25_HOME is %s, which has no bin/%s", home, exe)
	}
	java, err := exec.LookPath("java")
	if err != nil {
		t.Skip("no JDK 25: JAVA25_HOME is not set and there is no java on the PATH")
	}
	if real, err := filepath.EvalSymlinks(java); err == nil {
		java = real
	}
	beside := filepath.Dir(filepath.Dir(filepath.Dir(java)))
	homes, _ := filepath.Glob(filepath.Join(beside, "*25*"))
	for _, home := range homes {
		if tool := usable(home); tool != "" {
			return tool
		}
	}
	t.Skipf("no JDK 25: JAVA25_HOME is not set and none of the folders in %s is one", beside)
	return ""
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
