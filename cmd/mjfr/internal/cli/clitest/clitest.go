// Package clitest runs verbs in tests, and has what their tests share.
package clitest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// LockedText is what was written, for several goroutines.
type LockedText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *LockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *LockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// FailingWriter fails when so much has been written.
type FailingWriter struct {
	Left int
	Err  error
}

func (w *FailingWriter) Write(p []byte) (int, error) {
	if w.Left -= len(p); w.Left < 0 {
		return 0, w.Err
	}
	return len(p), nil
}

// OnWrite is called with what is written.
type OnWrite func(text string)

func (do OnWrite) Write(b []byte) (int, error) {
	do(string(b))
	return len(b), nil
}

// Hour writes a recording of an hour, in a zone of its own, with an event after
// each of these times.
func Hour(t *testing.T, start time.Time, events ...time.Duration) (file string) {
	t.Helper()
	b := jfrtest.NewChunk()
	b.Header.StartNanos, b.Header.StartTicks, b.Header.DurationNanos = start.UnixNano(), 0, int64(time.Hour)
	b.Region = jfrtest.Region{GMTOffset: 2 * time.Hour.Milliseconds()}
	class := b.Event("test.Event", jfrtest.Of("n", "int"))
	for i, d := range events {
		b.Emit(class, int64(d), i)
	}
	file = filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	return file
}

// root is the root of the module, from the folder of the tests.
var root = func() string {
	begin, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for dir, abs := ".", begin; ; dir, abs = filepath.Join("..", dir), filepath.Dir(abs) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if abs == filepath.Dir(abs) {
			panic("no go.mod in " + begin + " or above it: tests run in the folder of their package")
		}
	}
}()

// File returns the path of a file of testdata.
func File(name string) string { return filepath.Join(root, "testdata", name) }

// Command runs mjfr.
type Command func(t testing.TB, args ...string) (code int, stdout, stderr string)

// Mjfr returns the command with some verbs.
func Mjfr(verbs ...cli.Verb) Command { return Rooted(Verbs(verbs...)) }

// Rooted returns the command with the root that a function makes.
func Rooted(root func(*cli.App) *cobra.Command) Command {
	return func(t testing.TB, args ...string) (code int, stdout, stderr string) {
		t.Helper()
		var out, errs bytes.Buffer
		a := &cli.App{Stdin: new(bytes.Buffer), Stdout: &out, Stderr: &errs, Root: root}
		code = a.Run(t.Context(), args)
		return code, out.String(), errs.String()
	}
}

// Output returns a function that runs the command, with these arguments first. The command must
// succeed without a word on standard error.
func (c Command) Output(first ...string) func(t testing.TB, args ...string) string {
	return func(t testing.TB, args ...string) string {
		t.Helper()
		code, out, errs := c(t, append(slices.Clone(first), args...)...)
		require.Equal(t, cli.ExitOK, code, errs)
		require.Empty(t, errs)
		return out
	}
}

// Verbs makes the command with some verbs.
func Verbs(verbs ...cli.Verb) func(*cli.App) *cobra.Command {
	return func(a *cli.App) *cobra.Command {
		root := a.NewRoot("mjfr")
		for _, verb := range verbs {
			root.AddCommand(a.Prepare(verb(a)))
		}
		return root
	}
}

// Document reads a document for programs. It must have no fields that T has not.
func Document[T any](t testing.TB, text string) (d T) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&d))
	return d
}
