package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/mmapjfr/jfr/internal/printable"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// The exit codes.
const (
	exitOK          = 0
	exitDamaged     = 1 // a file could not be read, or not all of it
	exitUsage       = 2
	exitInterrupted = 130
)

const usage = `jfrbench measures how fast mmapjfr reads Flight Recorder files.

usage: jfrbench [-workers N] FILE...
       jfrbench scan FILE      one work, to be timed from outside
       jfrbench peers FILE     the same works, compared with other readers
       jfrbench gen OUT        a recording of any size, made without a JVM

For each file it prints what it takes to open the file, to sweep its metadata and
constants, to walk over its events, to index them in blocks, to lay out their
fields and to read every one of them.

flags:
  -workers N  read with N goroutines at once, not one per processor
  -version    print the version
  -help       print this text

The first run reads the file from the disk; run it again to measure reading from
memory. Exit codes: 0 all was read (a chunk still being written is no damage),
1 a file is damaged or could not be read, 2 wrong usage. scan, peers and gen have
a -help of their own.
`

// verbs are what the first argument can name instead of a file. Each gets the arguments
// after its name and returns the exit code.
var verbs = map[string]func(args []string, stdout, stderr io.Writer) int{"gen": genVerb, "peers": peersVerb, "scan": scanVerb}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the whole command. It returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && verbs[args[0]] != nil {
		return verbs[args[0]](args[1:], stdout, stderr)
	}
	flags := flag.NewFlagSet("jfrbench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	showVersion := flags.Bool("version", false, "")
	workers := flags.Uint("workers", 0, "")
	err := flags.Parse(args)
	switch {
	case err == nil && *showVersion:
		return write(stdout, stderr, version())
	case err == nil && flags.NArg() == 0:
		err = errors.New("no file given: name at least one recording, as in jfrbench app.jfr")
	}
	if err != nil {
		return misused("jfrbench", usage, err, stdout, stderr)
	}
	code := exitOK
	for i, file := range flags.Args() {
		res, err := bench(file, int(*workers))
		if err != nil {
			fmt.Fprintf(stderr, "jfrbench: %v\n", cannotOpen(file, err))
			code = exitDamaged
			continue
		}
		var out strings.Builder
		if i > 0 {
			out.WriteString("\n\n")
		}
		writeReport(&out, res)
		if _, damages, _ := problems(res.err); damages > 0 {
			code = exitDamaged
		}
		if c := write(stdout, stderr, out.String()); c != exitOK {
			return c
		}
	}
	return code
}

// parseOneFile parses the arguments of a verb that takes one file.
func parseOneFile(flags *flag.FlagSet, args []string) (file string, err error) {
	flags.SetOutput(io.Discard)
	if err := flags.Parse(args); err != nil {
		return "", err
	}
	switch flags.NArg() {
	case 0:
		return "", fmt.Errorf("no file given: name a recording, as in %s app.jfr", flags.Name())
	case 1:
		return flags.Arg(0), nil
	}
	return "", fmt.Errorf("one file at a time, and flags go before it: %q is one too many", flags.Arg(1))
}

// misused answers arguments that could not be parsed, also because help was asked for.
func misused(name, help string, err error, stdout, stderr io.Writer) int {
	if errors.Is(err, flag.ErrHelp) {
		return write(stdout, stderr, help)
	}
	fmt.Fprintf(stderr, "%s: %v\nTry %s -help.\n", name, err, name)
	return exitUsage
}

// write writes in one go, so that an interrupted program leaves no half of its output.
func write(stdout, stderr io.Writer, text string) int {
	if _, err := io.WriteString(stdout, text); err != nil {
		fmt.Fprintf(stderr, "jfrbench: the report could not be written: %v\n", err)
		return exitDamaged
	}
	return exitOK
}

// untilInterrupted returns a context that ends when the command is interrupted, so that the
// command can remove its temporary files and end the JDK.
func untilInterrupted() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// cannotOpen returns an error that says why a file could not be opened and what to do.
func cannotOpen(file string, err error) error {
	if format, ok := errors.AsType[*mmapjfr.FormatError](err); ok {
		err = format.Err
	} else if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return fmt.Errorf("%s: %s", printable.Text(file), printable.Text(err.Error()))
}

func version() string {
	v := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	return fmt.Sprintf("jfrbench %s, %s %s/%s\n", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
