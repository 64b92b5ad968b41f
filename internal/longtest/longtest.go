// Package longtest is the switch for the tests that `go test ./...` leaves out: those
// that start virtual machines, depend on the clock, draw random seeds or take long. The
// environment variable MMAPJFR_TEST turns them on; it holds words separated by commas:
//
//	long    tests that take long or depend on the clock
//	jvm     tests that start virtual machines, which must be on this machine
//	slow    more cases in all tests, and tests that take minutes
//
// The gate sets the first two, and .ci/long all three.
//
// It is a variable rather than a build tag so that every test is always compiled and vetted.
//
// Programs with this package let garbage accumulate before they collect it, unless GOGC is set:
// tests make much of it and keep little. They may take 512 MiB in all; with all cases the collector
// starts at 160 MiB.
package longtest

import (
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/mmapjfr/jfr/internal/jdk"
)

// Variable is the name of the environment variable.
const Variable = "MMAPJFR_TEST"

// Enabled reports whether tests have all their cases.
func Enabled() bool { return has("slow") }

// Cases returns one of two numbers: of cases in most runs, and of all of them.
// It serves for steps, sizes and lengths too.
func Cases(short, long int) int {
	if Enabled() {
		return long
	}
	return short
}

// Every reports whether case i of many is to be tested: one of each n, or all of them.
func Every(i, n int) bool { return Enabled() || i%n == 0 }

// Long skips the test unless long tests run. The reason says why it is one of them.
func Long(t testing.TB, reason string) {
	t.Helper()
	need(t, "long", reason)
}

// Slow skips the test unless those that take minutes run. The reason says why it is one of them.
func Slow(t testing.TB, reason string) {
	t.Helper()
	need(t, "slow", reason)
}

// JVM skips the test unless tests with virtual machines run.
func JVM(t testing.TB) {
	t.Helper()
	need(t, "jvm", "it starts a virtual machine")
}

func need(t testing.TB, word, reason string) {
	t.Helper()
	if !has(word) {
		t.Skipf("%s=%s runs it: %s", Variable, word, reason)
	}
}

// JDK25 returns the home of a JDK 25 or later. It skips the test without a JDK, and
// unless tests with virtual machines run.
func JDK25(t testing.TB) string {
	t.Helper()
	JVM(t)
	home, ok := jdk.Judge()
	if !ok {
		t.Skip("no JDK 25: set JAVA25_HOME, or install it beside the java on PATH")
	}
	return home
}

// ballast is memory that the collector counts and that nobody touches, so that it costs
// no memory: the heap grows to five times as much before the collector starts.
//
//lint:ignore U1000 it is there to be counted
var ballast []byte

func init() {
	switch {
	case os.Getenv("GOGC") != "":
	case !Enabled():
		// The variables are for processes that tests start, and for mjfr, whose verbs leave it at
		// that.
		_ = os.Setenv("GOGC", "off")
		_ = os.Setenv("GOMEMLIMIT", "512MiB")
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(512 << 20)
	default:
		ballast = make([]byte, 32<<20)
		debug.SetGCPercent(400)
	}
}

func has(word string) bool {
	return slices.Contains(strings.Split(os.Getenv(Variable), ","), word)
}
