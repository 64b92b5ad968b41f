package leaktest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/leaktest"
)

// failures is a test that notes what fails, and goes on.
type failures struct {
	testing.TB
	said []string
}

func (f *failures) Helper() {}

func (f *failures) Errorf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

func TestNothingIsLeft(t *testing.T) {
	leaktest.Check(t, func() {
		f, err := os.Create(filepath.Join(t.TempDir(), "it"))
		require.NoError(t, err)
		require.NoError(t, f.Close())
		done := make(chan bool)
		go close(done)
		<-done
	})
}

func TestTellsOfWhatIsLeft(t *testing.T) {
	stop := make(chan bool)
	defer close(stop)
	leaktest.SetPatience(t, 50*time.Millisecond)
	said := &failures{TB: t}
	leaktest.Check(said, func() { go func() { <-stop }() })
	assert.Equal(t, []string{`it is still there: ["goroutine"]`}, said.said)
}

func TestTellsOfOpenFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lists open files")
	}
	path := filepath.Join(t.TempDir(), "it")
	leaktest.SetPatience(t, 50*time.Millisecond)
	said := &failures{TB: t}
	leaktest.Check(said, func() {
		_, err := os.Create(path)
		require.NoError(t, err)
	})
	assert.Equal(t, []string{fmt.Sprintf("it is still there: %q", []string{"open: " + path})}, said.said)
	leaktest.SetPatience(t, 5*time.Second)
	leaktest.CheckForgotten(t, func() {
		_, err := os.Create(path)
		require.NoError(t, err)
	})
}
