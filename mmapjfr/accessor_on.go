//go:build jfrdebug

package mmapjfr

import (
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// accessor returns the name of the function that the package was called by, such as
// "Event.Str".
func accessor() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	here, more := frames.Next()
	name := "an accessor"
	for more {
		var f runtime.Frame
		f, more = frames.Next()
		ours := filepath.Dir(f.File) == filepath.Dir(here.File) && !strings.HasSuffix(f.File, "_test.go")
		if !ours && !strings.HasPrefix(f.Function, "runtime.") {
			break
		}
		if called := exported.FindStringSubmatch(noise.ReplaceAllString(f.Function, "")); ours && called != nil {
			name = called[1]
		}
	}
	return name
}

var (
	// noise is what a function has in its name besides what it is known by.
	noise = regexp.MustCompile(`\(\*|\)|\[.*?\]|[.-](func|range|gowrap)?\d+|-fm$`)
	// exported finds the name of a function, with its type, that can be called from
	// elsewhere.
	exported = regexp.MustCompile(`((?:\b[A-Z]\w*\.)?[A-Z]\w*)$`)
)
