package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// aboutSource is what help says of SOURCE.
const aboutSource = `SOURCE is a JVM, by the number of its process or the name of its main class or jar, as
mjfr jvms lists them; a directory that a JVM records into, or the base directory of
several, of which the newest is taken; a recording that is being written, or one that is
finished; or - for standard input. With --wait it may still be to come.`

// oneSource is for verbs that follow something.
func oneSource(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usagef("nothing to follow is given: name a process, a directory, a file or -, as in %s 4711", cmd.CommandPath())
	case len(args) > 1:
		return usagef("%s takes one source, not %d", cmd.Name(), len(args))
	}
	return nil
}

// liveKind is what a stream of events comes from.
type liveKind uint8

const (
	liveJVM liveKind = iota
	liveDirectory
	liveFile
	livePipe
)

// liveSource is something that can be followed.
type liveSource struct {
	kind  liveKind
	title string // what to call it
	path  string // of a directory or file
	pid   int
	// record is what a JVM is made to record, if anything.
	record *followOptions
	pipe   io.Reader
	// waiting tells why nothing comes as yet, or nothing more; empty if all is well.
	waiting string
}

// recorded tells whether the source is what a JVM records into, from chunk to chunk.
func (s *liveSource) recorded() bool { return s.kind == liveJVM || s.kind == liveDirectory }

// flushTime is how long a JVM may take to flush, and less than there is between two flushes.
const flushTime = 100 * time.Millisecond

// lastFlush returns when the source was flushed last, by the clock of what writes it: of a
// JVM and of a pipe that is now.
func (s *liveSource) lastFlush() time.Time {
	if s.kind == liveDirectory || s.kind == liveFile {
		if set, err := input.Open(context.Background(), []string{s.path}, input.Options{}); err == nil {
			defer set.Close() // only read
			_, end := set.Span()
			return end.Add(-flushTime) // the header comes last
		}
	}
	return time.Now()
}

// findSource looks at what is named. If it cannot be followed the error says what to do.
func (a *app) findSource(ctx context.Context, source string, o *followOptions) (*liveSource, error) {
	pid, err := a.locate(ctx, source, o)
	if err != nil {
		return nil, err
	}
	return a.sourceAt(ctx, pid, source, o)
}

// sourceAt is findSource for what has been located.
func (a *app) sourceAt(ctx context.Context, pid int, source string, o *followOptions) (*liveSource, error) {
	if pid != 0 {
		return findJVM(ctx, pid, titleOf(pid, source), o)
	}
	if err := o.onlyJVMs(source); err != nil {
		return nil, err
	}
	if source == "-" {
		return &liveSource{kind: livePipe, title: "standard input", pipe: cmp.Or[io.Reader](a.stdin, os.Stdin)}, nil
	}
	info, err := os.Stat(source)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return findDirectory(source)
	case !info.Mode().IsRegular():
		return &liveSource{kind: livePipe, title: source, pipe: &namedPipe{path: source}}, nil
	}
	return findFile(source)
}

// findJVM finds out whether a process records something, unless it is to be told to.
func findJVM(ctx context.Context, pid int, title string, o *followOptions) (*liveSource, error) {
	s := &liveSource{kind: liveJVM, title: title, pid: pid, record: o}
	if o.records() {
		return s, nil
	}
	vm, err := attach.Open(ctx, pid)
	if err != nil {
		return nil, noJVM(err, pid)
	}
	dir, err := vm.Repository(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s does not say where it records to: %w", title, err)
	}
	if dir == "" {
		return nil, fmt.Errorf("%s records nothing; mjfr tail -f --settings default %d makes it record, as jcmd %[2]d JFR.start does", title, pid)
	}
	running := func(r attach.Recording) bool { return r.State == "running" }
	if recordings, err := vm.Recordings(ctx); err == nil && !slices.ContainsFunc(recordings, running) {
		s.waiting = fmt.Sprintf("%s records nothing at present; --settings default makes it record, as jcmd %d JFR.start does", title, pid)
	}
	return s, nil
}

// findDirectory finds out whether something is recorded into a directory.
func findDirectory(dir string) (*liveSource, error) {
	s := &liveSource{kind: liveDirectory, title: dir, path: dir}
	has, err := hasRecordings(dir)
	if err != nil {
		return nil, err
	}
	if !has {
		s.waiting = dir + ": nothing has been recorded into this directory; name the one that jcmd PID VM.system_properties tells as jdk.jfr.repository, or the JVM's process"
	}
	return s, nil
}

// hasRecordings tells whether there are recordings in a directory, or in those of JVMs in
// it. They may be ones that have just been begun.
func hasRecordings(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if isRecordingName(e) {
			return true, nil
		}
		if !e.IsDir() || !input.IsJVMFolder(e.Name()) {
			continue
		}
		inner, _ := os.ReadDir(filepath.Join(dir, e.Name())) // those of others are not wanted
		if slices.ContainsFunc(inner, isRecordingName) {
			return true, nil
		}
	}
	return false, nil
}

func isRecordingName(e os.DirEntry) bool { return !e.IsDir() && strings.HasSuffix(e.Name(), ".jfr") }

// findFile finds out whether a file is a recording, or may become one.
func findFile(path string) (*liveSource, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	if err := input.Follow(head[:n]); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &liveSource{kind: liveFile, title: path, path: path}
	if n == 0 {
		s.waiting = path + ": nothing has been written to this file yet; if the program still runs, jcmd PID JFR.dump writes its recording"
	}
	return s, nil
}

// open returns a stream of the source.
func (s *liveSource) open() (*stream.Stream, error) {
	switch s.kind {
	case liveJVM:
		r, err := s.record.attach(s.pid, func(*attach.VM) []string { return nil })
		if err != nil {
			return nil, err
		}
		return r.Stream, nil
	case liveDirectory:
		return stream.OpenRepository(s.path)
	case liveFile:
		return stream.OpenFile(s.path)
	}
	return stream.OpenReader(s.pipe), nil
}

// namedPipe is a pipe that is opened when it is read: that waits for somebody to write.
type namedPipe struct {
	path string
	file *os.File
}

func (p *namedPipe) Read(b []byte) (n int, err error) {
	if p.file == nil {
		if p.file, err = os.Open(p.path); err != nil {
			return 0, err
		}
	}
	if n, err = p.file.Read(b); err != nil {
		_ = p.file.Close() // only read
	}
	return n, err
}

// streamError tells of something that went wrong with a stream that goes on. That the JVM
// was killed is only mentioned: all that it had flushed has come.
func (a *app) streamError(title string, err error) {
	switch {
	case errors.Is(err, stream.ErrKilled):
		a.tell(fmt.Errorf("%s: the JVM has ended without finishing its recording; all that it had flushed has been read", title))
	case errors.Is(err, stream.ErrChunkRemoved):
		a.damage(title, errors.New("a part of the recording was removed before it could be read; let the JVM keep more, by maxage and maxsize of JFR.start"))
	default:
		a.damage(title, err)
	}
}
