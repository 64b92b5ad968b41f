package jvmtest

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mmapjfr/jfr/internal/longtest"
)

// JDK is a Java development kit of this machine.
type JDK struct {
	Home    string
	Major   int
	Version string // in full, for example 17.0.15
}

// JDKs returns the JDKs of this machine by version, the least first: those of
// JAVA_HOME, JAVA25_HOME and the java on PATH, and those in the folders beside them. So
// there are none where neither is set and there is no java.
func JDKs(t testing.TB) []JDK {
	t.Helper()
	var named []string
	for _, home := range []string{os.Getenv("JAVA_HOME"), os.Getenv("JAVA25_HOME"), homeOfJava()} {
		if home != "" {
			named = append(named, home)
		}
	}
	homes := slices.Clone(named)
	for _, home := range named {
		homes = append(homes, foldersIn(filepath.Dir(realPath(home)))...)
	}
	var found []JDK
	seen := map[string]bool{}
	for _, home := range homes {
		home = realPath(home)
		if seen[home] {
			continue
		}
		seen[home] = true
		if jdk, ok := jdkIn(home); ok {
			found = append(found, jdk)
		}
	}
	slices.SortStableFunc(found, func(a, b JDK) int { return cmp.Compare(a.Major, b.Major) })
	return found
}

// Need returns a JDK of a major version. It skips the test if there is none, or unless
// tests with virtual machines run.
func Need(t testing.TB, major int) JDK {
	t.Helper()
	longtest.JVM(t)
	for _, jdk := range JDKs(t) {
		if jdk.Major == major {
			return jdk
		}
	}
	t.Skipf("no JDK %d: set JAVA_HOME to one, or install it beside the java on PATH", major)
	return JDK{}
}

// jdkIn returns the JDK in a folder that has a compiler, which a JRE has not.
func jdkIn(home string) (JDK, bool) {
	for _, name := range []string{"java", "javac"} {
		if info, err := os.Stat(command(home, name)); err != nil || info.IsDir() {
			return JDK{}, false
		}
	}
	release, err := os.ReadFile(filepath.Join(home, "release"))
	if err != nil {
		return JDK{}, false
	}
	for line := range strings.Lines(string(release)) {
		quoted, ok := strings.CutPrefix(strings.TrimSpace(line), "JAVA_VERSION=")
		if !ok {
			continue
		}
		version := strings.Trim(quoted, `"`)
		digits, _, _ := strings.Cut(version, ".")
		major, err := strconv.Atoi(strings.TrimSuffix(digits, "-ea"))
		return JDK{home, major, version}, err == nil
	}
	return JDK{}, false
}

func command(home, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(home, "bin", name)
}

// homeOfJava returns the home of the java on PATH, empty if there is none.
func homeOfJava() string {
	java, err := exec.LookPath("java")
	if err != nil {
		return ""
	}
	return filepath.Dir(filepath.Dir(realPath(java)))
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return path
}

func foldersIn(dir string) (paths []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		paths = append(paths, filepath.Join(dir, e.Name()))
	}
	return paths
}
