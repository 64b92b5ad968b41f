// Package input opens recordings by what people name: files, packed files, directories, disk
// repositories of virtual machines and patterns, several of them as one.
//
//	set, err := input.Open(ctx, []string{"app.jfr.gz", "logs/*.jfr"}, input.Options{})
//	if err != nil { ... }
//	defer set.Close()
//	for ev, err := range set.Events(mmapjfr.Types("jdk.ExecutionSample")) {
//		fmt.Println(ev, err)
//	}
//
// It is a package of its own because of the packings: package mmapjfr needs none of them.
//
// # Names
//
// A name is that of a file, of a directory, a pattern such as "*.jfr", or "-" for
// standard input. A pattern is one only where no file has that very name: most
// shells have replaced it before. The same file, however it is named, counts once. A copy of it, or
// another dump of the same virtual machine, counts besides; a [Remark] says so.
//
// # Directories
//
// A directory stands for all recordings in it; other files in it are ignored. A recording and
// packed copies of it, such as app.jfr and app.jfr.gz, count once. If there are no recordings,
// and the directory is the base of a disk repository, it stands for the chunks of all virtual
// machines that have a folder there; such a folder may also be named itself. Other directories
// inside a directory are not searched.
//
// # Packed recordings
//
// Recordings packed by gzip, zstd, lz4, xz and zip are unpacked, even if they are packed several
// times. Their contents count, not their names. What is unpacked is held in memory if it is
// small, and otherwise in a temporary file.
//
// Sizes are bounded, see [Options], because packed data can be a bomb. Packed files are read in
// the goroutine that calls Open; when its context is done Open ends soon.
//
// # Errors
//
// What was named must be a recording. If some of several names lead to recordings, what is wrong with
// the others goes to [Options.OnError]; without that function Open fails. What is wrong with things
// found in a directory or an archive goes there, too, and the others are opened. Where packed data ends too early,
// the part before that is opened, and the error goes to OnError. Errors say what is wrong and what
// can be done about it, and match those of package mmapjfr, such as [mmapjfr.ErrNotRecording], and
// of io/fs.
//
// # Concurrency
//
// Open may be called by several goroutines. Several goroutines may read a [Set] and its
// recordings; Close must be the last call.
package input

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/remote"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// What holds where Options say nothing.
const (
	defaultInMemory    = 64 << 20
	defaultMaxUnpacked = 64 << 30
)

// Options say how recordings are opened. The zero Options are good.
type Options struct {
	// Open are the options for mmapjfr.Open. A saved index is used and written only for recordings
	// that are plain files.
	Open []mmapjfr.Option
	// Salvage opens named files even if they do not begin like a recording: together with
	// mmapjfr.Salvage in Open, recordings without their beginning are read.
	Salvage bool
	// Stdin is what "-" stands for; nil is os.Stdin.
	Stdin io.Reader
	// OnError, if not nil, is called with what could not be read, or only in part, also of what was
	// named; everything else is opened. The error does not repeat the name. If it is a [Remark], nothing is wrong.
	OnError func(name string, err error)
	// Other, if not nil, is called with what was named and is no recording, once it is unpacked; what
	// lies in directories and archives does not count. r has a buffer of 64 KiB to peek at. Other
	// reads r and returns true, or reads nothing and returns false: then Open fails as without it.
	Other func(name string, r *bufio.Reader) (taken bool, err error)
	// Bytes, if not nil, reads r to its end: all bytes of each file that was named, or lies in a directory or an archive,
	// once they are unpacked, and the names and comments in what was packed. No recording is opened, and none needs to
	// be among them. What cannot be read goes to OnError.
	Bytes func(name string, r io.Reader) error
	// Copies says that recordings may have chunks of others. Otherwise OnError is called with a Remark about them.
	Copies bool
	// Progress, if not nil, is called often with the number of bytes of a file or of standard input
	// that have been read to be unpacked or kept. total is 0 if it is not known. At the end of each
	// file done is total.
	Progress func(name string, done, total int64)
	// Remote, if not nil, opens names that are no files, see [URLs].
	Remote remote.Opener
	// TempDir is the directory for temporary files; empty is os.TempDir.
	TempDir string
	// InMemory is how many bytes of all that is unpacked are held in memory; the rest goes to
	// temporary files. 0 is 64 MiB; a negative number sends everything to files.
	InMemory int64
	// MaxUnpacked is how many bytes may come out of unpacking and of pipes before Open fails, added
	// up over all packings. 0 is 64 GiB. A tenth of the free disk space is never used.
	MaxUnpacked int64
}

// Remark is a note about something that is not wrong, such as a chunk that a virtual machine has
// only just begun.
type Remark struct{ error }

// Unwrap returns the text of the remark as an error.
func (r Remark) Unwrap() error { return r.error }

// Open opens all recordings that the names lead to. It fails if none of them leads to one, or, without
// [Options.OnError], if one of them does not, and once ctx is done; then nothing stays open, and no
// temporary file is left. Errors begin with the name of what they are about.
func Open(ctx context.Context, names []string, o Options) (*Set, error) {
	op := newOpener(ctx, o)
	var bad []error
	for _, name := range names {
		bad = append(bad, op.named(name)...)
		if stop := op.stopped(); len(bad) > 0 && (stop != nil || o.OnError == nil) {
			return nil, errors.Join(bad[len(bad)-1], op.set.Close())
		}
	}
	if len(bad) > 0 && len(op.set.Recordings) == 0 && !op.took {
		return nil, errors.Join(append(bad, op.set.Close())...)
	}
	for _, err := range bad {
		if named, ok := errors.AsType[*namedError](err); ok {
			op.OnError(named.name, named.err)
		}
	}
	op.set.sort()
	engine.CountOnce(op.set.Recordings...)
	if !o.Copies {
		op.mentionCopies()
	}
	return op.set, nil
}

// mentionCopies mentions chunks that repeat others, as in copies and in several dumps of one virtual
// machine. Their events count once.
func (op *opener) mentionCopies() {
	var first mmapjfr.Chunk // the first one that repeats another
	repeats, all, others := 0, 0, 0
	for _, rec := range op.set.Recordings {
		own := 0
		for _, c := range rec.Chunks() {
			if _, ok := engine.ChunkRepeats(c); ok {
				own++
				if first == (mmapjfr.Chunk{}) {
					first = c
				}
			}
		}
		switch {
		case own == 0:
		case rec == engine.ChunkRecording(first):
			repeats, all = own, len(rec.Chunks())
		default:
			others++
		}
	}
	if repeats == 0 {
		return
	}
	of, _ := engine.ChunkRepeats(first)
	text := fmt.Sprintf("chunk %d is a copy of chunk %d of %s", first.Number(), of.Number(), op.set.names[engine.ChunkRecording(of)])
	if repeats == 1 {
		text += " and counts once"
	} else {
		text = fmt.Sprintf("%d of %d chunks are copies of others and count once; %s", repeats, all, text)
	}
	if others > 0 {
		text += fmt.Sprintf("; other recordings with copies: %d", others)
	}
	op.OnError(op.set.names[engine.ChunkRecording(first)], Remark{errors.New(text)})
}

// opener opens one set.
type opener struct {
	Options
	ctx context.Context
	set *Set
	// seen are the files that are in the set.
	seen []fs.FileInfo
	// objects are the names of the objects that are in the set.
	objects []string
	// took reports that Other has taken something.
	took bool
	// stdinSeen reports that standard input has been read.
	stdinSeen bool
	// unpacked is how many bytes have come out of unpacking, and held how many of them are in
	// memory.
	unpacked, held int64
	// keep, if it is not nil, is that of the object that is read.
	keep func(bytes int64) error
	// fatal is why nothing more can be unpacked. It is a field because some packings do not return
	// the errors of their readers.
	fatal error
}

func newOpener(ctx context.Context, o Options) *opener {
	o.InMemory = cmp.Or(o.InMemory, defaultInMemory)
	o.MaxUnpacked = cmp.Or(o.MaxUnpacked, defaultMaxUnpacked)
	o.TempDir = cmp.Or(o.TempDir, os.TempDir())
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	if o.OnError == nil {
		o.OnError = func(string, error) {}
	}
	if o.Other == nil {
		o.Other = noOther
	}
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	return &opener{Options: o, ctx: ctx, set: newSet()}
}

func noOther(string, *bufio.Reader) (bool, error) { return false, nil }

// onlyRecordings makes the opener take nothing but recordings, until what it returns is called.
func (op *opener) onlyRecordings() (end func()) {
	other := op.Other
	op.Other = noOther
	return func() { op.Other = other }
}

// stopped returns why nothing more is to be opened, or nil.
func (op *opener) stopped() error {
	if err := op.ctx.Err(); err != nil {
		return err
	}
	return op.fatal
}

// unpackedOptions returns the options for recordings that are no plain files: the saved index of
// a temporary file would be useless.
func (op *opener) unpackedOptions() []mmapjfr.Option {
	return append(slices.Clip(op.Open), mmapjfr.SavedIndexes(""))
}

// count adds bytes that have been unpacked.
func (op *opener) count(n int) error {
	if op.unpacked > math.MaxInt64-int64(n) || op.unpacked+int64(n) > op.MaxUnpacked {
		op.fatal = errTooLarge(op.MaxUnpacked)
		return op.fatal
	}
	op.unpacked += int64(n)
	return nil
}
