package input

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// jvmFolder matches the folder of a virtual machine in a disk repository: when it
// began to record, and the number of its process.
var jvmFolder = lazy.Regexp(`^\d{4}(_\d\d){5}_\d+$`)

// IsJVMFolder reports whether a name is that of a virtual machine's directory in a disk repository.
func IsJVMFolder(name string) bool { return jvmFolder().MatchString(name) }

// errBegun says that a recording is still empty.
var errBegun = errors.New("skipped: it has only just begun")

// headerLen is the size of a chunk's header: a file with fewer bytes has only just been made.
const headerLen = 68

// tally counts what was in directories.
type tally struct {
	opened int // recordings that are in the set
	begun  int // chunks with nothing in them yet
}

// dir opens the recordings in a directory.
func (op *opener) dir(dir string) error {
	defer op.onlyRecordings()()
	files, folders, err := op.list(dir)
	if err != nil {
		return at(dir, OpenError(err))
	}
	sum, err := op.all(files)
	if err != nil {
		return err
	}
	if sum.opened > 0 {
		if len(folders) > 0 {
			op.OnError(dir, Remark{fmt.Errorf("skipped the chunks in JVM repositories, such as %s; name these folders to read them, too", folders[0])})
		}
		return nil
	}
	jvms := 0
	for _, folder := range folders {
		chunks, _, err := op.list(folder)
		if err != nil {
			op.OnError(folder, OpenError(err))
			continue
		}
		n, err := op.all(chunks)
		if err != nil {
			return err
		}
		if n.opened > 0 {
			jvms++
		}
		sum.opened += n.opened
		sum.begun += n.begun
	}
	switch {
	case sum.opened == 0 && sum.begun > 0:
		return at(dir, &userError{"nothing has been written yet to the recordings in this directory; wait a little, or let jcmd PID JFR.dump write one", mmapjfr.ErrNotRecording})
	case sum.opened == 0:
		return at(dir, noneInside("directory"))
	case jvms > 1:
		op.OnError(dir, Remark{fmt.Errorf("reading the chunks of %d JVMs as one recording; to read only one, name its folder, such as %s", jvms, folders[len(folders)-1])})
	}
	return nil
}

// list returns the files of a directory by name, and the folders of virtual machines in it.
func (op *opener) list(dir string) (files []item, folders []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	passed := 0
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := Entry(path)
		if none, is := errors.AsType[*NoFile](err); is {
			op.passOver(path, none, &passed)
			continue
		}
		switch {
		case err != nil:
			op.found(path, OpenError(err))
		case info.Mode().IsRegular():
			files = append(files, item{path, path, info})
		case info.IsDir() && IsJVMFolder(e.Name()):
			folders = append(folders, path)
		}
	}
	return files, folders, nil
}

// all opens the files that are recordings. It fails only if nothing more is to be opened.
func (op *opener) all(files []item) (sum tally, err error) {
	for _, it := range files {
		before := len(op.set.Recordings)
		err := op.file(it)
		if stop := op.stopped(); stop != nil {
			return sum, at(it.name, stop)
		}
		if err == nil && len(op.set.Recordings) == before+1 && begun(op.set.Recordings[before]) {
			op.seen = op.seen[:len(op.seen)-1]
			if err := op.set.drop(); err != nil {
				return sum, at(it.name, err)
			}
			err = errBegun
		}
		if err == nil {
			if original := op.packedCopy(before); original != "" {
				op.OnError(it.name, Remark{fmt.Errorf("skipped: it is %s again, packed", filepath.Base(original))})
				if err := op.set.drop(); err != nil {
					return sum, at(it.name, err)
				}
				continue
			}
		}
		switch {
		case err == nil:
			sum.opened++
		case err == errBegun || stub(it, err):
			sum.begun++
			op.OnError(it.name, Remark{errBegun})
		default:
			op.found(it.name, err)
		}
	}
	return sum, nil
}

// packedCopy returns the name of the file that the last recording is a packed copy of, if it is
// the only one since there were before: a file of the same name, but for what the packing adds
// to it, with the same size and the same first header. It returns "" for all others.
func (op *opener) packedCopy(before int) string {
	recs := op.set.Recordings
	if len(recs) != before+1 || op.set.paths[recs[before]] != "" {
		return ""
	}
	rec := recs[before]
	name := unpackedName(op.set.names[rec])
	for _, other := range recs[:before] {
		if original := op.set.names[other]; unpackedName(original) == name && other.Size() == rec.Size() &&
			engine.RecordingIndex(other).Chunks()[0].Header() == engine.RecordingIndex(rec).Chunks()[0].Header() {
			return original
		}
	}
	return ""
}

// unpackedName returns a path without what packing adds to its end.
func unpackedName(path string) string {
	switch ext := filepath.Ext(path); strings.ToLower(ext) {
	case ".gz", ".zst", ".lz4", ".xz":
		path = strings.TrimSuffix(path, ext)
	}
	return filepath.Clean(path)
}

// begun reports whether a virtual machine has written only the header of the first chunk.
func begun(rec *mmapjfr.Recording) bool {
	chunks := engine.RecordingIndex(rec).Chunks()
	h := chunks[0].Header()
	return len(chunks) == 1 && !h.Finished() && h.Metadata == 0 && h.Size <= headerLen
}

// stub reports whether a file that could not be opened is too short for a chunk, because it has
// only just been made.
func stub(it item, err error) bool {
	return it.info.Size() < headerLen && (errors.Is(err, mmapjfr.ErrTruncated) ||
		errors.Is(err, mmapjfr.ErrEmpty) && strings.HasSuffix(it.name, ".jfr"))
}

// found reports what is wrong with something that was not named itself, unless it is no recording:
// a directory may hold other files.
func (op *opener) found(name string, err error) {
	var n *namedError
	if errors.As(err, &n) {
		name, err = n.name, n.err
	}
	switch {
	case op.Bytes != nil:
		op.OnError(name, err)
	case errors.Is(err, fs.ErrNotExist): // virtual machines remove old chunks
		op.OnError(name, Remark{errors.New("skipped: it has been removed")})
	case errors.Is(err, mmapjfr.ErrNotRecording), errors.Is(err, mmapjfr.ErrEmpty):
	default:
		op.OnError(name, err)
	}
}
