package longtest

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// few are the recordings of testdata that most runs read: one of each kind. The others
// are like one of them, from another JDK or at another time, or large.
var few = []string{
	"concat-jdk17-jdk25.jfr", "jdk17-chunks.jfr", "jdk17-kinds.jfr", "jdk25-killed.jfr", "jdk25-oldobjects.jfr", "jdk25-strings.jfr",
	"jdk25-virtual.jfr",
}

// Recordings returns the paths of the recordings of testdata, relative to the folder of
// the test: all of them if tests have all their cases, one of each kind otherwise.
func Recordings(t testing.TB) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(Root(t), "testdata", "*.jfr"))
	if err != nil {
		t.Fatal(err)
	}
	found = slices.DeleteFunc(found, func(path string) bool { return !Chosen(filepath.Base(path)) })
	if len(found) < len(few) {
		t.Fatalf("recordings are missing: there are only %q", found)
	}
	return found
}

// Chosen reports whether [Recordings] returns the recording with that name.
func Chosen(name string) bool { return Enabled() || slices.Contains(few, name) }

// Others returns the paths of recordings of other producers, packed with gzip. They lie
// beside the repository, in shared/recordings, if they are on this machine. There are none
// unless long tests run.
func Others(t testing.TB) []string {
	t.Helper()
	if !has("long") {
		t.Logf("%s=long reads recordings of other producers, too", Variable)
		return nil
	}
	found, err := filepath.Glob(filepath.Join(Root(t), "..", "shared", "recordings", "*.jfr.gz"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Read returns the bytes of a recording, unpacked: some are packed twice.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	for err == nil && bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, err = io.ReadAll(z)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Root returns the path of the folder with the go.mod, relative to that of the test.
func Root(t testing.TB) string {
	t.Helper()
	dir := "."
	for range 10 { // more than any package lies deep
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Join("..", dir)
	}
	t.Fatal("no folder above has a go.mod")
	return ""
}
