package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/printable"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/testdata"
)

const genHelp = `usage: jfrbench gen -size SIZE [-from FILE] OUT

Makes a recording of any size: the chunks of another one, over and over, each copy
later than the one before. It needs no JVM.

flags:
  -size SIZE  how large, as in 4GiB, 500MB or 1000000; rounded up to whole chunks
  -from FILE  the recording to repeat, of which unfinished chunks are left out;
              without it, a small profile of JDK 25 that jfrbench has inside
`

// genOptions are the arguments of jfrbench gen.
type genOptions struct {
	size      uint64
	from, out string
}

func parseGen(args []string) (o genOptions, err error) {
	flags := flag.NewFlagSet("jfrbench gen", flag.ContinueOnError)
	size := flags.String("size", "", "")
	flags.StringVar(&o.from, "from", "", "")
	if o.out, err = parseOneFile(flags, args); err != nil {
		return o, err
	}
	if o.size, err = humanize.ParseBytes(*size); err != nil || o.size > math.MaxInt64 {
		err = fmt.Errorf("-size is %q, which is no size of a file; write it as in 4GiB, 500MB or 1000000", *size)
	}
	return o, err
}

// genVerb is the command jfrbench gen.
func genVerb(args []string, stdout, stderr io.Writer) int {
	o, err := parseGen(args)
	if err != nil {
		return misused("jfrbench gen", genHelp, err, stdout, stderr)
	}
	ctx, stop := untilInterrupted()
	defer stop()
	r, err := generate(ctx, o)
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "jfrbench: interrupted")
		return exitInterrupted
	case err != nil:
		fmt.Fprintf(stderr, "jfrbench: %v\n", err)
		return exitDamaged
	}
	return write(stdout, stderr, fmt.Sprintf("%s; to measure it: jfrbench %s\n",
		title(o.out, int64(r.written), r.chunks, r.events), printable.Text(o.out)))
}

// generate makes the recording. The error says which file is at fault, and why.
func generate(ctx context.Context, o genOptions) (r *repeater, err error) {
	if _, err := os.Lstat(o.out); err == nil {
		return nil, fmt.Errorf("%s: it is there already; remove it, or name another file", printable.Text(o.out))
	}
	var rec *mmapjfr.Recording
	if o.from == "" {
		rec, err = mmapjfr.OpenBytes(testdata.Profile)
	} else {
		rec, err = mmapjfr.Open(o.from)
	}
	if err != nil {
		return nil, cannotOpen(o.from, err)
	}
	defer rec.Close() // only read
	if err = guarded(func() (err error) { r, err = newRepeater(ctx, rec); return err }); err != nil {
		return nil, fmt.Errorf("%s: it cannot be repeated: %w", printable.Text(o.from), err)
	}
	err = atomicfile.Write(o.out, func(w io.Writer) error {
		return guarded(func() error { return r.writeTo(ctx, w, o.size) })
	})
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err // the path in it is that of the file beside
	}
	if err != nil {
		err = fmt.Errorf("%s: it could not be written: %w", printable.Text(o.out), err)
	}
	return r, err
}

// Where the fields of a chunk header lie that a copy does not share with its
// original (index/FORMAT.md, section 1).
const (
	startNanosAt = 32
	flagsAt      = 67
)

// original is a finished chunk that is to be repeated.
type original struct {
	header wire.Header
	data   []byte // with the header
	events uint64
}

// repeater makes copies of chunks, one after the other.
//
// Only startNanos of the header is moved on: each copy begins where the one before ended. The
// ticks, those at the start of the chunk and those in its events, stay as they are, since an
// event's time is startNanos plus the ticks since then. So all that counts ticks moves by the same
// nanoseconds. Times in other units do not move: fields that count from 1970, such as jvmStartTime
// of jdk.JVMInformation, and the copies of the header in checkpoints of flushes, which readers of
// finished chunks do not look at.
//
// The JDK reads all chunks of a file by the clock of the first. It prints the
// events of every copy with the times of the original.
type repeater struct {
	originals []original
	// final reports whether the last chunk is to be marked as such, as one of the originals is.
	final bool

	chunks          int
	events, written uint64
	start           int64 // of the next copy, in nanoseconds since 1970
}

// newRepeater makes copies of the finished chunks of a recording. It fails without such chunks,
// or if anything is damaged: a fault that is repeated a thousand times helps nobody.
func newRepeater(ctx context.Context, rec *mmapjfr.Recording) (*repeater, error) {
	r := new(repeater)
	for _, c := range rec.Chunks() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		ix := engine.ChunkIndex(c)
		if errors.Is(ix.TrailingErr(), mmapjfr.ErrUnfinished) {
			continue
		}
		blocks := ix.BuildBlocks(0)
		errs := append([]error{ix.TrailingErr()}, append(c.Errors(blocks.Err()), c.ConstantsErr())...)
		if err := cmp.Or(errs...); err != nil { // a missing end is the reason of much else
			return nil, fmt.Errorf("it is damaged: %s", printable.Text(errtree.Unnamed(err).Error()))
		}
		r.originals = append(r.originals, original{ix.Header(), ix.Data(), blocks.Events()})
	}
	if err := engine.RecordingIndex(rec).TrailingErr(); err != nil {
		return nil, fmt.Errorf("it is damaged: %s", printable.Text(errtree.Unnamed(err).Error()))
	}
	if len(r.originals) == 0 {
		return nil, errors.New("it has no finished chunk; end it, or dump it with jcmd PID JFR.dump, and take that")
	}
	r.final = slices.ContainsFunc(r.originals, func(o original) bool { return o.header.Final() })
	r.start = r.originals[0].header.StartNanos
	return r, nil
}

// writeTo writes copies until they have the size, and one at least.
func (r *repeater) writeTo(ctx context.Context, w io.Writer, size uint64) error {
	for r.written < size || r.chunks == 0 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		o := &r.originals[r.chunks%len(r.originals)]
		header, err := r.copyHeader(o, r.written+uint64(len(o.data)) >= size)
		if err != nil {
			return err
		}
		for _, part := range [][]byte{header[:], o.data[wire.HeaderLen:]} {
			n, err := w.Write(part)
			r.written += uint64(n)
			if err != nil {
				return err
			}
		}
		r.chunks++
		r.events += o.events
	}
	return nil
}

// copyHeader returns the header of the next copy. The last one of the recording alone can be final.
func (r *repeater) copyHeader(o *original, last bool) (header [wire.HeaderLen]byte, err error) {
	copy(header[:], o.data)
	binary.BigEndian.PutUint64(header[startNanosAt:], uint64(r.start))
	header[flagsAt] &^= wire.FlagFinal
	if last && r.final {
		header[flagsAt] |= wire.FlagFinal
	}
	// A chunk that takes no time would begin together with the next one.
	took := max(o.header.DurationNanos, 1)
	if r.start > math.MaxInt64-took {
		return header, fmt.Errorf("the clock of recordings ends in the year 2262, before %s are over; give a smaller -size",
			plural(uint64(r.chunks+1), "chunk"))
	}
	r.start += took
	return header, nil
}
