// Package clitest runs verbs in tests, and has what their tests share.
package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// lockedText is what was written, for several goroutines.
type lockedText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// failingWriter fails when so much has been written.
type failingWriter struct {
	left int
	err  error
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, w.err
	}
	return len(p), nil
}

// onWrite is called with what is written.
type onWrite func(text string)

func (do onWrite) Write(b []byte) (int, error) {
	do(string(b))
	return len(b), nil
}

// atBuilt writes a recording of an hour, in a zone of its own, with an event after
// each of these times.
func atBuilt(t *testing.T, start time.Time, events ...time.Duration) (file string) {
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

// kitRoot is the root of the module, from the folder of the tests.
var kitRoot = func() string {
	dir := "."
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Join("..", dir)
	}
}()

// kitFile returns the path of a file of testdata.
func kitFile(name string) string { return filepath.Join(kitRoot, "testdata", name) }

// kitRun runs mjfr with some verbs.
func kitRun(t testing.TB, args []string, verbs ...func(*app) *cobra.Command) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	a := &app{stdin: new(bytes.Buffer), stdout: &out, stderr: &errs, root: kitVerbs(verbs...)}
	code = a.run(t.Context(), args)
	return code, out.String(), errs.String()
}

// kitVerbs makes the command with some verbs.
func kitVerbs(verbs ...func(*app) *cobra.Command) func(*app) *cobra.Command {
	return func(a *app) *cobra.Command {
		root := a.newRoot("mjfr")
		for _, verb := range verbs {
			root.AddCommand(a.prepare(verb(a)))
		}
		return root
	}
}

// kitDocument reads a document for programs. It must have no fields that T has not.
func kitDocument[T any](t testing.TB, text string) (d T) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&d))
	return d
}
