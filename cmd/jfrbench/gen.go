package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/internal/errtext"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/testdata"
)

const genHelp = `usage: jfrbench gen -size SIZE [-from FILE] [-force] OUT

Makes a recording of any size: the chunks of another one, over and over, each copy
later than the one before. It needs no JVM.

flags:
  -size SIZE  how large, as in 4GiB, 500MB or 1000000; rounded up to whole chunks
  -from FILE  the recording to repeat, of which unfinished chunks are left out;
              without it, a small profile of JDK 25 that jfrbench has inside
  -force      replace OUT if it is there
`

// genOptions are the arguments of jfrbench gen.
type genOptions struct {
	size  int64
	from  string
	force bool
	out   string
}

func parseGen(args []string) (o genOptions, err error) {
	flags := flag.NewFlagSet("gen", flag.ContinueOnError)
	size := flags.String("size", "", "")
	flags.StringVar(&o.from, "from", "", "")
	flags.BoolVar(&o.force, "force", false, "")
	if o.out, err = parseOneFile(flags, args); err != nil {
		return o, err
	}
	if *size == "" {
		return o, errors.New("no size given: say how large it is to be, as in -size 4GiB")
	}
	n, err := humanize.ParseBytes(*size)
	if err != nil || n > math.MaxInt64 {
		return o, fmt.Errorf("-size is %q, which is no size of a file; write it as in 4GiB, 500MB or 1000000", *size)
	}
	o.size = int64(n)
	return o, nil
}

// genVerb is the command jfrbench gen.
func genVerb(args []string, stdout, stderr io.Writer) int {
	o, err := parseGen(args)
	if err != nil {
		return misused("gen", genHelp, err, stdout, stderr)
	}
	ctx, stop := untilInterrupted()
	defer stop()
	var show *progress.Bar
	if progress.IsTerminal(stderr) {
		show = newWriting(stderr, o.size)
	}
	made, err := generate(ctx, o, show)
	show.Done()
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "jfrbench: interrupted")
		return exitInterrupted
	case err != nil:
		fmt.Fprintf(stderr, "jfrbench: %v\n", err)
		return exitDamaged
	}
	out := printable(o.out)
	return write(stdout, stderr, fmt.Sprintf("%s: %s, %s, %s; to measure it: jfrbench %s\n", out,
		humanize.Bytes(uint64(made.size)), plural(uint64(made.chunks), "chunk"), plural(made.events, "event"), out))
}

// generated is what was made.
type generated struct {
	size   int64
	chunks int
	events uint64
}

// generate makes the recording. The error is a sentence that says what to do, or
// [context.Canceled].
func generate(ctx context.Context, o genOptions, show *progress.Bar) (made generated, err error) {
	if err := mayWrite(o.out, o.force); err != nil {
		return made, fmt.Errorf("%s: %w", printable(o.out), err)
	}
	rec, err := openSource(o.from)
	if err != nil {
		return made, errors.New(explanation(o.from, err))
	}
	defer rec.Close() // only read
	var list []original
	err = guarded(func() (err error) { list, err = originals(ctx, rec); return err })
	if err != nil {
		return made, explainSource(o.from, err)
	}
	r := newRepeater(list)
	err = atomicfile.Write(o.out, func(w io.Writer) error {
		return guarded(func() (err error) { made.size, err = r.writeTo(ctx, w, o.size, show); return err })
	})
	if err != nil {
		return made, explainWriting(o.out, err)
	}
	made.chunks, made.events = r.chunks, r.events
	return made, nil
}

// openSource opens the recording that is to be repeated, by default the one inside
// this program.
func openSource(from string) (*mmapjfr.Recording, error) {
	if from == "" {
		return mmapjfr.OpenBytes(testdata.Profile)
	}
	return mmapjfr.Open(from)
}

// explainSource says why a recording cannot be repeated and what to do.
func explainSource(file string, err error) error {
	name := printable(file)
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, errNoneFinished):
		return fmt.Errorf("%s: %w; end it, or dump it with jcmd PID JFR.dump, and take that", name, err)
	}
	return fmt.Errorf("%s: it is damaged: %s; take another one, or leave out -from", name, printable(errtext.Message(err)))
}
