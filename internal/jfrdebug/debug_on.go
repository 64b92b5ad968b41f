//go:build jfrdebug

package jfrdebug

import (
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// LendEvent returns the event, an mmapjfr.Event, as one that can be read only until end is
// called. The package mmapjfr sets it, for packages that hand out its events for a while.
var LendEvent func(ev any) (lent any, end func())

// InCoroutine reports whether the goroutine is one of iter.Pull, which runs only while the
// goroutine that pulls waits.
func InCoroutine() bool {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if f.Function == "runtime.corostart" {
			return true
		}
		if !more {
			return false
		}
	}
}

// CalledAs returns the name of the exported function by which others entered the package
// that calls CalledAs, such as "Event.Str".
func CalledAs() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	here, more := frames.Next()
	name := "An accessor"
	for more {
		var f runtime.Frame
		f, more = frames.Next()
		own := filepath.Dir(f.File) == filepath.Dir(here.File) && !strings.HasSuffix(f.File, "_test.go")
		if !own && !strings.HasPrefix(f.Function, "runtime.") {
			break
		}
		if called := exported.FindStringSubmatch(noise.ReplaceAllString(f.Function, "")); own && called != nil {
			name = called[1]
		}
	}
	// Package engine exports what is not exported here: ChunkBytes is bytes of Chunk.
	at := strings.LastIndexByte(name, '.') + 1
	return name[:at] + strings.ToUpper(name[at:at+1]) + name[at+1:]
}

var (
	// noise is what the runtime adds to the name of a function.
	noise = regexp.MustCompile(`\(\*|\)|\[.*?\]|[.-](func|range|gowrap)?\d+|-fm$`)
	// exported finds the name of an exported function, or of any method of an exported type.
	exported = regexp.MustCompile(`(\b[A-Z]\w*(?:\.\w+)?)$`)
)
