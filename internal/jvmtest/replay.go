package jvmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/mmapjfr/jfr/internal/longtest"
)

// Replay makes the states of a recorded scenario again in a temporary folder. Its
// methods belong to one goroutine, which need not be that of the test.
type Replay struct {
	// Dir is the base folder; it is empty before the first step.
	Dir      string
	JDK      string // version of the JVMs that wrote
	Expected *Expected

	states []State
	next   int
	files  map[string]*chunkFile
}

// Scenarios returns the names of the recorded scenarios, such as jdk17-quiet.
func Scenarios(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(liveFolder(t), "*.zst"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios in %s: %v", liveFolder(t), err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".zst")
	}
	return files
}

// NewReplay returns a replay of a scenario of testdata/live before its first step.
func NewReplay(t testing.TB, scenario string) *Replay {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join(liveFolder(t), scenario+".zst"))
	if err != nil {
		t.Fatalf("there is no such scenario: %v", err)
	}
	d, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s, err := ReadScenario(d)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(liveFolder(t), scenario+".json"))
	if err != nil {
		t.Fatal(err)
	}
	expected := new(Expected)
	if err := json.Unmarshal(text, expected); err != nil {
		t.Fatal(err)
	}
	r := &Replay{
		Dir: t.TempDir(), JDK: s.JDK, Expected: expected,
		states: s.States, files: map[string]*chunkFile{},
	}
	t.Cleanup(r.close)
	return r
}

// liveFolder returns the folder with the scenarios.
func liveFolder(t testing.TB) string {
	t.Helper()
	return filepath.Join(longtest.Root(t), "testdata", "live")
}

// Step makes the next state. It returns [io.EOF] if that was the last. Readers of the
// folder see nothing between that a JVM would not show: bytes are there before the
// header that counts them, and that is marked as being written meanwhile.
func (r *Replay) Step() error {
	if r.next == len(r.states) {
		return io.EOF
	}
	state := r.states[r.next]
	r.next++
	for i, c := range state.Changes {
		if err := r.change(c, state.Changes[i:]); err != nil {
			return err
		}
	}
	return nil
}

// Steps returns how many steps there are in all.
func (r *Replay) Steps() int { return len(r.states) }

// Run makes the states that are left, speed times as fast as they came. It returns nil
// after the last one, and the cause when the context ends.
func (r *Replay) Run(ctx context.Context, speed float64) error {
	begin := time.Now()
	var first time.Duration
	if r.next < len(r.states) {
		first = r.states[r.next].At
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for r.next < len(r.states) {
		due := time.Duration(float64(r.states[r.next].At-first) / speed)
		timer.Reset(due - time.Since(begin))
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
		}
		if err := r.Step(); err != nil {
			return err
		}
	}
	return nil
}

// change makes one change. Those that follow it in the state have the header of a file
// that has none yet.
func (r *Replay) change(c Change, following []Change) error {
	path := filepath.Join(r.Dir, filepath.FromSlash(c.Name))
	f := r.files[c.Name]
	switch c.Kind {
	case MakeFolder:
		return os.Mkdir(path, 0o700)
	case RemoveFolder:
		return os.Remove(path)
	case MakeFile:
		f, err := createChunkFile(path)
		r.files[c.Name] = f
		return err
	case RemoveFile:
		delete(r.files, c.Name)
		return errors.Join(f.close(), os.Remove(path))
	}
	if f == nil {
		return &fs.PathError{Op: "replay", Path: c.Name, Err: fs.ErrNotExist}
	}
	if !f.begun {
		i := slices.IndexFunc(following, func(d Change) bool { return d.Kind == WriteHeader && d.Name == c.Name })
		if i < 0 {
			return &fs.PathError{Op: "replay", Path: c.Name, Err: errors.New("data without a header")}
		}
		if err := f.begin(following[i].Bytes); err != nil {
			return err
		}
	}
	if c.Kind == WriteHeader {
		return f.writeHeader(c.Bytes)
	}
	return f.writeData(c.Bytes, c.Offset)
}

func (r *Replay) close() {
	for _, f := range r.files {
		_ = f.close()
	}
}

// Expected is the truth about the files of a scenario: what they hold at its end, and
// of files that were removed, what they held before.
type Expected struct {
	// JDK is the version of the JVMs that wrote, Said that of the jfr that counted.
	JDK  string `json:"jdk"`
	Said string `json:"said"`
	// Note tells what there is to know of the scenario.
	Note  string         `json:"note"`
	Files []ExpectedFile `json:"files"`
}

// ExpectedFile is the truth about one chunk file.
type ExpectedFile struct {
	Name    string `json:"name"` // path in the base folder, with slashes
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
	Removed bool   `json:"removed"` // there no more at the end
	// Finished reports whether the JVM finished the chunk; if not, Flushed is less than Size.
	Finished bool `json:"finished"`
	// Flushed is the size that its last header tells: all that may be read.
	Flushed int64 `json:"flushed"`
	// Events are those in what was flushed, by type, as jfr summary counts them in the
	// chunk on its own, an unfinished one cut to Flushed and marked as finished.
	Events map[string]uint64 `json:"events"`
	// Refused is what jfr says of a chunk it does not read.
	Refused string `json:"refused,omitempty"`
}
