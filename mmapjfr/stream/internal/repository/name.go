package repository

import (
	"cmp"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// jvmName matches the name of a virtual machine's directory: when it was made, the
// number of the process, and a number more if there was such a directory.
var jvmName = regexp.MustCompile(`^\d{4}(?:_\d\d){5}_(\d+)(?:_\d+)?$`)

// extension is how the name of a chunk ends.
const extension = ".jfr"

// timeLen is the length of yyyy_MM_dd_HH_mm_ss.
const timeLen = len("yyyy_MM_dd_HH_mm_ss")

// nameOf returns the last element of a path, also of ".".
func nameOf(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return filepath.Base(path)
}

// pidOf returns the number of the process that the name of a virtual machine's
// directory tells. It is false if it is no such name.
func pidOf(name string) (int, bool) {
	m := jvmName.FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	pid, err := strconv.ParseInt(m[1], 10, 32)
	if err != nil || pid == 0 {
		return 0, false
	}
	return int(pid), true
}

// isJVM tells whether a virtual machine would name its directory so.
func isJVM(name string) bool {
	// A look at the first characters spares the expression most of the time.
	return len(name) > timeLen && name[4] == '_' && name[timeLen] == '_' && jvmName.MatchString(name)
}

// compareNames orders the names of chunks: by time, and by number within a second,
// which is 01 to 99 and then 100 and so on.
func compareNames(a, b string) int {
	a, b = strings.TrimSuffix(a, extension), strings.TrimSuffix(b, extension)
	return cmp.Or(
		cmp.Compare(a[:min(len(a), timeLen)], b[:min(len(b), timeLen)]),
		cmp.Compare(len(a), len(b)),
		cmp.Compare(a, b),
	)
}
