package jvmtest

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/mmapjfr/jfr/internal/jdk"
)

//go:embed java
var java embed.FS

// compiling keeps two tests from compiling the same at once.
var compiling sync.Mutex

// classes returns the folder of the compiled programs. They are kept in the user's
// cache, under a sum of the sources and the JDK, as to compile them takes a second.
func classes(t testing.TB, kit jdk.JDK) string {
	t.Helper()
	compiling.Lock()
	defer compiling.Unlock()
	sum := sha256.New()
	sum.Write([]byte(kit.Home + "\n" + kit.Version + "\n"))
	programs := []string{"Load.java", "Consume.java", "Allocate.java", "Ties.java"}
	for _, name := range programs {
		sum.Write(source(t, name))
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	dir := filepath.Join(cache, "mmapjfr-jvmtest", hex.EncodeToString(sum.Sum(nil)[:16]))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), "new-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(made) }() // gone if all went well
	src := t.TempDir()
	args := []string{"-encoding", "UTF-8", "-d", made}
	for _, name := range programs {
		file := filepath.Join(src, name)
		if err := os.WriteFile(file, source(t, name), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	if out, err := jdk.Command(t.Context(), kit.Home, "javac", args...).CombinedOutput(); err != nil {
		t.Fatalf("javac of JDK %s: %v\n%s", kit.Version, err, out)
	}
	// Another process may have made the same.
	if err := os.Rename(made, dir); err != nil {
		if _, gone := os.Stat(dir); gone != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func source(t testing.TB, name string) []byte {
	t.Helper()
	text, err := java.ReadFile("java/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Allocate runs a program that allocates in threads of a kind, and that begins to record when it is
// said to; see java/Allocate.java. It writes a recording to a file. It skips the test as [Need]
// does.
func Allocate(t testing.TB, major int, kind, when, file string) {
	t.Helper()
	program(t, major, "-XX:TLABSize=64k", "-XX:-ResizeTLAB", "Allocate", kind, when, file)
}

// Ties runs a program that does many things equally often, and writes a recording to a file; see
// java/Ties.java. It skips the test as [Need] does.
func Ties(t testing.TB, major int, file string) {
	t.Helper()
	program(t, major, "Ties", file)
}

func program(t testing.TB, major int, args ...string) {
	t.Helper()
	kit := Need(t, major)
	all := append([]string{"-Xmx256m", "-cp", classes(t, kit)}, args...)
	if out, err := jdk.Command(t.Context(), kit.Home, "java", all...).CombinedOutput(); err != nil {
		t.Errorf("%q of JDK %s: %v\n%s", args, kit.Version, err, out)
	}
}
