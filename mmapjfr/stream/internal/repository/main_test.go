package repository_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// holdOpen, in the environment, makes the test a process that has a file open until
// its input ends.
const holdOpen = "REPOSITORY_TEST_HOLDS_OPEN"

func TestMain(m *testing.M) {
	if path, ok := os.LookupEnv(holdOpen); ok {
		hold(path)
		return
	}
	goleak.VerifyTestMain(m)
}

// hold says when the file is open, and waits for the input to end. Without a path no
// file is opened.
func hold(path string) {
	if path != "" {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		defer f.Close()
	}
	fmt.Println("open")
	_, _ = os.Stdin.Read(make([]byte, 1))
}

// process starts a process that has a file open. It ends with the test.
func process(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdOpen+"="+path)
	_, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	_, err = out.Read(make([]byte, 5))
	require.NoError(t, err)
	return cmd
}

// endedPID returns the number of a process that has ended.
func endedPID(t *testing.T) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	require.NoError(t, cmd.Run())
	return cmd.Process.Pid
}

// chunk describes a chunk of a test.
type chunk struct {
	start int64 // in seconds since 1970
	ticks int64
	rate  int64 // 0 is 1000 million
	state byte
	flags byte
}

func (c chunk) bytes() []byte {
	b := jfrtest.NewEmptyChunk()
	b.Bare = true
	b.Header.StartNanos = c.start * 1e9
	b.Header.StartTicks = c.ticks
	if c.rate != 0 {
		b.Header.TickRate = c.rate
	}
	b.Header.State = c.state
	b.Header.Flags |= c.flags
	return b.Bytes()
}

// put makes a chunk as a virtual machine does: first the file, then what is in it.
func put(t testing.TB, path string, c chunk) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, c.bytes(), 0o666))
}

// putAll makes chunks that begin some seconds after 1970.
func putAll(t testing.TB, dir string, starts map[string]int64) {
	t.Helper()
	for name, start := range starts {
		put(t, filepath.Join(dir, name), chunk{start: start})
	}
}

// age sets back the times of a directory and of all in it.
func age(t testing.TB, dir string, by time.Duration) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	then := time.Now().Add(-by)
	for _, path := range append(names, dir) {
		require.NoError(t, os.Chtimes(path, then, then))
	}
}

func scan(t testing.TB, r *repository.Repository) {
	t.Helper()
	require.NoError(t, r.Scan())
}

// names returns the names of all chunks.
func names(r *repository.Repository) []string {
	list := []string{}
	for _, f := range r.Files() {
		list = append(list, f.Name)
	}
	return list
}

// follower goes from chunk to chunk.
type follower struct {
	r    *repository.Repository
	last repository.File
}

// next returns the names of the chunks that are new.
func (f *follower) next() []string {
	list := []string{}
	for {
		file, ok := f.r.After(f.last)
		if !ok {
			return list
		}
		list = append(list, file.Name)
		f.last = file
	}
}
