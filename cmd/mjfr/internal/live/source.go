// Package live finds what verbs follow: running JVMs, repositories, growing files and pipes. It
// also is the verb jvms.
package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// About describes SOURCE in the help.
const About = `SOURCE is a JVM, by process ID, main class or jar (mjfr jvms lists them); a directory that a
JVM records into; a recording, finished or not; or - for standard input. With --wait it need
not exist yet.`

// OneSource is the Args function of verbs that follow a source.
func OneSource(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return cli.Usagef("name a process, a directory, a file or -, as in %s 4711", cmd.CommandPath())
	case len(args) > 1:
		return cli.Usagef("%s takes one source, not %d", cmd.Name(), len(args))
	}
	return nil
}

// Kind is the kind of a source.
type Kind uint8

const (
	JVM Kind = iota
	Directory
	File
	Pipe
)

// Source is something that can be followed.
type Source struct {
	Kind  Kind
	Title string // its name in messages
	Path  string // of a directory or file
	vm    *attach.VM
	// record are the settings for a JVM, and need those that [Options.Need] adds.
	record *Options
	need   lacking
	pipe   io.Reader
	// Waiting says why there are no events yet. It is empty if there are some, or will be.
	Waiting string
}

// Recording returns the event types that a JVM is going to record because of [Options.Need], in a
// few words; "" if it records them already.
func (s *Source) Recording() string { return s.need.String() }

// Recorded reports whether a JVM records into the source, chunk after chunk.
func (s *Source) Recorded() bool { return s.Kind == JVM || s.Kind == Directory }

// flushTime is longer than a JVM takes to flush, and shorter than the time between two flushes.
const flushTime = 100 * time.Millisecond

// LastFlush returns the time of the last flush by the clock of the writer. For a JVM and a pipe
// that is now.
func (s *Source) LastFlush() time.Time {
	if s.Kind == Directory || s.Kind == File {
		if set, err := input.Open(context.Background(), []string{s.Path}, input.Options{}); err == nil {
			defer set.Close() // only read
			_, end := set.Span()
			return end.Add(-flushTime) // the header is written last
		}
	}
	return time.Now()
}

// Find finds the source with a name. If it cannot be followed, the error says what to do.
func Find(ctx context.Context, a *cli.App, source string, o *Options) (*Source, error) {
	pid, err := Locate(ctx, a, source, o)
	if err != nil {
		return nil, err
	}
	return FindLocated(ctx, a, pid, source, o)
}

// FindLocated is [Find] for a source that [Locate] has found.
func FindLocated(ctx context.Context, a *cli.App, pid int, source string, o *Options) (*Source, error) {
	if pid != 0 {
		return findJVM(ctx, pid, Title(pid, source), o)
	}
	if err := o.onlyJVMs(source); err != nil {
		return nil, err
	}
	if source == "-" {
		return &Source{Kind: Pipe, Title: "standard input", pipe: cmp.Or[io.Reader](a.Stdin, os.Stdin)}, nil
	}
	info, err := os.Stat(source)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return findDirectory(source)
	case !info.Mode().IsRegular():
		return &Source{Kind: Pipe, Title: source, pipe: &namedPipe{path: source}}, nil
	}
	return findFile(source)
}

// findJVM checks that a process records something, unless mjfr is going to make it record.
func findJVM(ctx context.Context, pid int, title string, o *Options) (*Source, error) {
	vm, err := OpenJVM(ctx, pid)
	if err != nil {
		return nil, err
	}
	s := &Source{Kind: JVM, Title: title, vm: vm, record: o}
	needs := len(o.Need) > 0 && len(o.settings) == 0
	if o.Records() && !needs {
		return s, nil
	}
	if needs {
		if s.need, err = lackingIn(ctx, vm, o.Need); err != nil {
			return nil, fmt.Errorf("%s does not say what it records: %w", title, err)
		}
		if len(s.need.types) > 0 || o.Records() {
			return s, nil
		}
	}
	dir, err := vm.Repository(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s does not say where it records to: %w", title, err)
	}
	recordings, err := vm.Recordings(ctx)
	goes := slices.ContainsFunc(recordings, func(r attach.Recording) bool { return r.State == "running" || r.State == "delayed" })
	if dir == "" || err == nil && !goes {
		return nil, fmt.Errorf("%s records nothing; mjfr tail -f --settings default %d makes it record", title, pid)
	}
	return s, nil
}

// findDirectory checks whether there are recordings in a directory.
func findDirectory(dir string) (*Source, error) {
	s := &Source{Kind: Directory, Title: dir, Path: dir}
	has, err := hasRecordings(dir)
	if err != nil {
		return nil, err
	}
	if !has {
		s.Waiting = dir + ": nothing has been recorded into this directory; name the process of the JVM, or the directory in its property jdk.jfr.repository (jcmd PID VM.system_properties shows it)"
	}
	return s, nil
}

// hasRecordings reports whether there are recordings in a directory, or in the directories of JVMs
// in it. Empty recordings count. It fails if none of them may be read.
func hasRecordings(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	var denied error
	isRecording := func(dir string, e os.DirEntry) bool {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".jfr") {
			return false
		}
		if !e.Type().IsRegular() {
			return true // to open a pipe waits
		}
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err == nil {
			_ = f.Close() // nothing was read
		} else if errors.Is(err, fs.ErrPermission) {
			denied = err
		}
		return !errors.Is(err, fs.ErrPermission)
	}
	for _, e := range entries {
		if isRecording(dir, e) {
			return true, nil
		}
		if !e.IsDir() || !input.IsJVMFolder(e.Name()) {
			continue
		}
		folder := filepath.Join(dir, e.Name())
		inner, _ := os.ReadDir(folder) // those of other users cannot be read
		if slices.ContainsFunc(inner, func(e os.DirEntry) bool { return isRecording(folder, e) }) {
			return true, nil
		}
	}
	return false, denied
}

// findFile checks that a file is a recording, or may become one.
func findFile(path string) (*Source, error) {
	if err := input.CheckFile(path, unpackThroughPipe); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &Source{Kind: File, Title: path, Path: path}
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		s.Waiting = path + ": nothing has been written to this file yet; if the program still runs, jcmd PID JFR.dump writes its recording"
	}
	return s, nil
}

// Announce says if nothing has been recorded yet. That is an error unless somebody waits, or a JVM
// may still say more.
func (s *Source) Announce(a *cli.App, waits bool) error {
	switch {
	case s.Waiting == "":
		return nil
	case !waits && s.Kind != JVM:
		return errors.New(s.Waiting)
	}
	a.Report(errors.New(s.Waiting))
	return nil
}

// Open opens a stream of the source.
func (s *Source) Open() (*stream.Stream, error) {
	switch s.Kind {
	case JVM:
		r, err := s.record.attach(s.vm, append(s.need.sets, s.record.settings...), s.need.settings)
		if err != nil {
			return nil, err
		}
		return r.Stream, nil
	case Directory:
		return stream.OpenRepository(s.Path)
	case File:
		return stream.OpenFile(s.Path)
	}
	return stream.OpenReader(&notEmpty{Reader: s.pipe}), nil
}

// notEmpty is a reader of a recording: its end is an error if nothing came before it, as that of an
// empty file is.
type notEmpty struct {
	io.Reader
	some bool // has come
}

func (r *notEmpty) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if r.some = r.some || n > 0; !r.some && err == io.EOF {
		err = mmapjfr.ErrEmpty
	}
	return n, err
}

// namedPipe is a pipe that its first Read opens, because opening waits for a writer.
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

// explained is after how long mjfr says what it waits for at the end.
const explained = time.Second

// ExplainEnd says what mjfr waits for if that takes its time when the context has ended, until
// ended is called.
func ExplainEnd(ctx context.Context, a *cli.App, title string) (ended func()) {
	waiting, ended := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		select {
		case <-waiting.Done():
		case <-time.After(explained):
			a.Report(fmt.Errorf("waiting for %s to end the recording of mjfr; another Ctrl-C ends mjfr at once, and the recording ends by itself", title))
		}
	})
	return ended
}

// ReportError reports an error of a stream that goes on. It is no damage if the JVM was killed, or
// its recording has ended: everything that the JVM had flushed has been read.
func ReportError(a *cli.App, title string, err error) {
	switch {
	case errors.Is(err, stream.ErrKilled):
		a.Report(fmt.Errorf("%s: the JVM has ended without finishing its recording; all that it had flushed has been read", title))
	case errors.Is(err, stream.ErrStopped):
		a.Report(fmt.Errorf("%s: its recording has ended, and the JVM goes on: somebody stopped it, or its duration is over; run this again to follow another", title))
	case errors.Is(err, stream.ErrGap):
		a.Report(fmt.Errorf("%s: its recording had ended, since mjfr or the machine slept: events until now are missing; another recording has begun", title))
	case errors.Is(err, stream.ErrChunkRemoved):
		a.Damage(title, errors.New("a part of the recording was removed before it could be read; let the JVM keep more, by maxage and maxsize of JFR.start"))
	case err == mmapjfr.ErrEmpty: // of notEmpty
		a.Damage(title, input.OpenError(err))
	default:
		a.Damage(title, err)
	}
}

// unpackThroughPipe returns how to follow a file that is packed.
func unpackThroughPipe(packing string) string {
	if packing == "zip" {
		return "unpack it through a pipe, as in unzip -p FILE | mjfr tail -"
	}
	return "unpack it through a pipe, as in " + packing + " -dc FILE | mjfr tail -"
}
