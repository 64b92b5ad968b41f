package internal_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/errtext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// unopened returns the error of opening a file that holds the content.
func unopened(t *testing.T, content string) error {
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	t.Chdir(filepath.Dir(path))
	_, err := mmapjfr.Open("a.jfr")
	require.Error(t, err)
	return err
}

func TestErrtextFilesThatCannotBeOpened(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"empty": {"", "the file is empty; if the program still runs, jcmd PID JFR.dump writes its recording"},
		"gzip":  {"\x1f\x8b\x08 and so on", "not a Flight Recorder file: it is compressed with gzip; unpack it first"},
		"text": {"not a recording", "not a Flight Recorder file: it does not begin with 46 4c 52 00; " +
			"check that it is the .jfr file itself"},
		"cut": {"FLR\x00\x00\x02\x00\x01", "truncated: the file has 8 bytes, a chunk header 68; copy it again, its end is missing"},
		"old": {"FLR\x00\x00\x00\x00\x09" + strings.Repeat("\x00", 100),
			"unsupported: format version 0.9 of Oracle JDK 7 or 8, only 1.x and 2.x can be read; open it with JDK Mission Control, or record with OpenJDK 8u262, JDK 9 or later"},
	} {
		t.Run(name, func(t *testing.T) {
			err := unopened(t, c.content)
			assert.Equal(t, c.want, errtext.Opening(err))
			assert.Equal(t, "a.jfr: "+c.want, errtext.Error(err))
			assert.Equal(t, "a.jfr: "+c.want, errtext.Error(fmt.Errorf("a.jfr: %w", err)), "the name once")
		})
	}
}

// reworded is an error in other words than those of its cause.
type reworded struct{ error }

func (reworded) Error() string   { return "gone" }
func (e reworded) Unwrap() error { return e.error }

func TestErrtextErrors(t *testing.T) {
	_, missing := mmapjfr.Open("x: y.jfr")
	require.ErrorIs(t, missing, fs.ErrNotExist)
	denied := &fs.PathError{Op: "open", Path: "a.jfr", Err: fs.ErrPermission}
	later := &mmapjfr.FormatError{Err: mmapjfr.ErrTruncated, Section: "event", Offset: 0x44, Chunk: 0}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"missing":           {missing, "x: y.jfr: no such file; check the path"},
		"missing and named": {fmt.Errorf("x: y.jfr: %w", missing), "x: y.jfr: no such file; check the path"},
		"denied":            {denied, "a.jfr: it may not be read; ask for the permission, or copy it as its owner"},
		"writing":           {&fs.PathError{Op: "mkdir", Path: "man", Err: fs.ErrNotExist}, "mkdir man: file does not exist"},
		"inside":            {fmt.Errorf("a.jfr: %w", later), "a.jfr: chunk 0, offset 0x44: event: truncated"},
		"reworded":          {fmt.Errorf("a.jfr: %w", reworded{missing}), "a.jfr: gone"},
		"closed":            {mmapjfr.ErrClosed, "recording is closed"},
		"other":             {io.ErrUnexpectedEOF, "unexpected EOF"},
		"said twice":        {errors.New("a: a: b: b"), "a: b: b"},
		"said apart":        {errors.New("a: b: a: c"), "a: b: a: c"},
		"nothing twice":     {errors.New(": : "), ": : "},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, errtext.Error(c.err)) })
	}
}

func TestErrtextEachOfJoinedErrors(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	both := fmt.Errorf("%w and %w", a, b)
	assert.Empty(t, errtext.Each(nil))
	assert.Equal(t, []error{a}, errtext.Each(a))
	assert.Equal(t, []error{a, b, c}, errtext.Each(errors.Join(errors.Join(a, b), c)))
	assert.Equal(t, []error{a, both}, errtext.Each(errors.Join(a, both)), "one sentence of two errors")
	assert.Equal(t, []error{a}, errtext.Each(errors.Join(a)))
}

// TestErrtextAdviceForProgramsIsLeftOut of what people read.
func TestErrtextAdviceForProgramsIsLeftOut(t *testing.T) {
	dir := t.TempDir()
	_, err := mmapjfr.Open(dir)
	require.ErrorContains(t, err, "package mmapjfr/input")
	assert.Equal(t, dir+" is a directory, not a recording", errtext.Error(err))
	assert.Equal(t, dir+" is a directory, not a recording", errtext.Opening(err))
	large := errors.New("mmapjfr: cannot map a.jfr; open it with a 64-bit program; ReadChunks reads it piece by piece; split it")
	assert.Equal(t, "cannot map a.jfr; open it with a 64-bit program; split it", errtext.Error(large))
}
