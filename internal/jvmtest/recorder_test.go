package jvmtest_test

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/mmapjfr/jfr/internal/jvmtest"
)

// recorder watches a base folder of repositories and keeps each state that it sees.
type recorder struct {
	t        *testing.T
	base     string
	begin    time.Time
	scenario jvmtest.Scenario

	folders map[string]string // names in the scenario by their names on disk
	files   map[string]*seenFile
	gone    []*seenFile // removed, as they last were

	stop chan struct{}
	done sync.WaitGroup
}

// seenFile is a file that has been seen. It is held open, so that its last state can
// be read when it has been removed.
type seenFile struct {
	name    string // in the scenario
	f       *os.File
	content []byte // as it was recorded
	flushed int64  // how much of content stays as it is
	removed bool
}

// scanInterval is how often folders are listed. Headers are read without a pause.
const scanInterval = time.Millisecond

// startRecorder starts to watch a folder that is empty yet.
func startRecorder(t *testing.T, base string) *recorder {
	r := &recorder{
		t: t, base: base, folders: map[string]string{}, files: map[string]*seenFile{}, stop: make(chan struct{}),
	}
	r.done.Go(r.watch)
	return r
}

// end stops to watch, and returns what was seen, and the files as they last were.
func (r *recorder) end(jdk string) (*jvmtest.Scenario, []*seenFile) {
	close(r.stop)
	r.done.Wait()
	files := r.gone
	for _, f := range r.files {
		files = append(files, f)
	}
	r.scenario.JDK = jdk
	return &r.scenario, files
}

func (r *recorder) watch() {
	var scanned time.Time
	for ended := false; !ended; {
		select {
		case <-r.stop:
			ended = true
		default:
		}
		var changes []jvmtest.Change
		if ended || time.Since(scanned) >= scanInterval {
			changes = r.scan()
			scanned = time.Now()
		}
		changes = append(changes, r.look(ended)...)
		r.add(changes)
	}
}

// look looks at all files. As a chunk ends before the next begins, the older files are
// looked at again when a newer one has changed.
func (r *recorder) look(end bool) (changes []jvmtest.Change) {
	paths := slices.Sorted(maps.Keys(r.files))
	for i, path := range paths {
		newer := r.files[path].look(end)
		if len(newer) > 0 {
			for _, older := range paths[:i] {
				changes = append(changes, r.files[older].look(end)...)
			}
		}
		changes = append(changes, newer...)
	}
	return changes
}

func (r *recorder) add(changes []jvmtest.Change) {
	if len(changes) == 0 {
		return
	}
	if r.begin.IsZero() {
		r.begin = time.Now()
	}
	r.scenario.States = append(r.scenario.States, jvmtest.State{At: time.Since(r.begin), Changes: changes})
}

// scan notes folders and files that have come or gone.
func (r *recorder) scan() (changes []jvmtest.Change) {
	here := map[string]bool{}
	entries, err := os.ReadDir(r.base)
	if err != nil {
		return nil // the JVM makes the folder
	}
	for _, e := range entries {
		here[e.Name()] = true
		if r.folders[e.Name()] == "" {
			r.folders[e.Name()] = withoutPID(e.Name(), len(r.folders)+1)
			changes = append(changes, jvmtest.Change{Kind: jvmtest.MakeFolder, Name: r.folders[e.Name()]})
		}
	}
	for folder, name := range r.folders {
		files, _ := filepath.Glob(filepath.Join(r.base, folder, "*.jfr"))
		for _, p := range files {
			here[p] = true
			if r.files[p] != nil {
				continue
			}
			f, err := os.Open(p)
			if err != nil {
				continue // it has gone again
			}
			r.files[p] = &seenFile{name: path.Join(name, filepath.Base(p)), f: f}
			changes = append(changes, jvmtest.Change{Kind: jvmtest.MakeFile, Name: r.files[p].name})
		}
	}
	for p, f := range r.files {
		if here[p] {
			continue
		}
		// What it was at last, then that it is no more.
		r.add(append(changes, f.look(true)...))
		changes = []jvmtest.Change{{Kind: jvmtest.RemoveFile, Name: f.name}}
		f.removed = true
		r.gone = append(r.gone, f)
		delete(r.files, p)
		_ = f.f.Close()
	}
	for folder, name := range r.folders {
		if !here[folder] {
			changes = append(changes, jvmtest.Change{Kind: jvmtest.RemoveFolder, Name: name})
			delete(r.folders, folder)
		}
	}
	return changes
}

// processSuffix is the process id at the end of a folder's name.
var processSuffix = regexp.MustCompile(`_\d+$`)

// withoutPID gives the folder of a JVM a process id that no process has.
func withoutPID(name string, number int) string {
	return processSuffix.ReplaceAllString(name, "_"+strconv.Itoa(9000000+number))
}

const (
	stateAt       = 64
	stateFinished = 0
	stateWriting  = 255
)

// look returns what has changed in the file if its header has, and anyway at the end.
func (s *seenFile) look(end bool) (changes []jvmtest.Change) {
	if s.content != nil && s.content[stateAt] == stateFinished && !end {
		return nil
	}
	header, err := s.header()
	if err != nil {
		return nil
	}
	same := s.content != nil && bytes.Equal(header, s.content[:jvmtest.HeaderSize])
	if same && !end {
		return nil
	}
	if s.content == nil {
		s.content = make([]byte, jvmtest.HeaderSize)
		s.flushed = jvmtest.HeaderSize
	}
	if end || header[stateAt] != stateWriting {
		changes = s.data(end || header[stateAt] == stateFinished)
	}
	if !same {
		copy(s.content, header)
		changes = append(changes, jvmtest.Change{Kind: jvmtest.WriteHeader, Name: s.name, Bytes: header})
	}
	if header[stateAt] != stateWriting {
		s.flushed = max(s.flushed, validEnd(s.content))
	}
	return changes
}

// header reads the header until two readings are the same: a reading in the middle of a
// write has a part of it.
func (s *seenFile) header() ([]byte, error) {
	header, again := make([]byte, jvmtest.HeaderSize), make([]byte, jvmtest.HeaderSize)
	if _, err := s.f.ReadAt(header, 0); err != nil {
		return nil, err
	}
	for s.content == nil || !bytes.Equal(header, s.content[:jvmtest.HeaderSize]) {
		if _, err := s.f.ReadAt(again, 0); err != nil {
			return nil, err
		}
		if bytes.Equal(header, again) {
			break
		}
		header, again = again, header
	}
	return header, nil
}

// data returns what has changed after the header. Only at the end of a chunk is all of
// it compared, since what has been flushed stays.
func (s *seenFile) data(all bool) []jvmtest.Change {
	from := s.flushed
	if all {
		from = jvmtest.HeaderSize
	}
	info, err := s.f.Stat()
	if err != nil || info.Size() <= from {
		return nil
	}
	now := make([]byte, info.Size()-from)
	n, err := s.f.ReadAt(now, from)
	if err != nil && err != io.EOF {
		return nil
	}
	now = now[:n]
	old := s.content[from:]
	equal := 0
	for equal < len(old) && equal < len(now) && old[equal] == now[equal] {
		equal++
	}
	if equal == len(now) {
		return nil
	}
	s.content = append(s.content[:from+int64(equal)], now[equal:]...)
	return []jvmtest.Change{{Kind: jvmtest.WriteData, Name: s.name, Offset: from + int64(equal), Bytes: now[equal:]}}
}

// validEnd is the size that a header tells, no more than there is.
func validEnd(content []byte) int64 {
	var size int64
	for _, b := range content[8:16] {
		size = size<<8 | int64(b)
	}
	return max(0, min(size, int64(len(content))))
}
