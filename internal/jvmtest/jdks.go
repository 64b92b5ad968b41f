package jvmtest

import (
	"testing"

	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// Need returns a JDK of a major version, with a compiler, which a JRE has not. It skips the
// test without such a JDK, and unless tests with virtual machines run.
func Need(t testing.TB, major int) jdk.JDK {
	t.Helper()
	longtest.JVM(t)
	for _, j := range jdk.All() {
		if j.Major == major && j.Has("javac") {
			return j
		}
	}
	t.Skipf("no JDK %d: set JAVA%d_HOME, or install it beside the java on PATH", major, major)
	return jdk.JDK{}
}
