package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
)

// The exit codes.
const (
	exitOK          = 0
	exitDamaged     = 1 // a file could not be read, or not all of it
	exitUsage       = 2
	exitInterrupted = 130
)

const usage = `jfrbench measures how fast mmapjfr reads Flight Recorder files.

usage: jfrbench [flags] FILE...
       jfrbench summary FILE   the events by type alone
       jfrbench scan FILE      one work, to be timed from outside
       jfrbench peers FILE     the same works, compared with the JDK's readers
       jfrbench gen OUT        a recording of any size, made without a JVM

For each file it prints the number and size of the events by type, and what it
takes to open the file, to sweep its metadata and constants, to walk over its
events, to lay out their fields and to read every one of them.

flags:
  -all          show event types without events, too
  -json         print one JSON document per file and line
  -workers N    read with N goroutines at once, not one per processor
  -no-progress  show no progress; it only ever shows on a terminal
  -version      print the version
  -help         print this text

examples:
  jfrbench app.jfr
  jfrbench -json *.jfr | jq -c '[.file, .stages[-1].ns_per_event]'

The first run reads the file from the disk; run it again to measure reading from
memory. Exit codes: 0 all was read (a chunk still being written is no damage),
1 a file is damaged or could not be read, 2 wrong usage. summary, scan, peers
and gen have a -help of their own.
`

func main() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	go func() {
		<-stop
		fmt.Fprintln(os.Stderr, "\njfrbench: interrupted")
		os.Exit(exitInterrupted)
	}()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

type options struct {
	all, json, noProgress, version bool
	workers                        uint
	files                          []string
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("jfrbench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&o.all, "all", false, "")
	flags.BoolVar(&o.json, "json", false, "")
	flags.BoolVar(&o.noProgress, "no-progress", false, "")
	flags.BoolVar(&o.version, "version", false, "")
	flags.UintVar(&o.workers, "workers", 0, "")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.files = flags.Args()
	if !slices.Contains(args, "--") {
		for _, file := range o.files {
			if len(file) > 1 && file[0] == '-' {
				return o, fmt.Errorf("flags go before the files: put %s first, or write -- before the files if it is one", file)
			}
		}
	}
	if len(o.files) == 0 && !o.version {
		return o, errors.New("no file given: name at least one recording, as in jfrbench app.jfr")
	}
	return o, nil
}

// run is the whole command. It returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		if verb, ok := verbs[args[0]]; ok {
			return verb(args[1:], stdout, stderr)
		}
	}
	o, err := parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return write(stdout, stderr, usage)
	case err != nil:
		fmt.Fprintf(stderr, "jfrbench: %v\nTry jfrbench -help.\n", err)
		return exitUsage
	case o.version:
		return write(stdout, stderr, version())
	}
	code := exitOK
	for i, file := range o.files {
		var show *progress.Bar
		if !o.noProgress && progress.IsTerminal(stderr) {
			show = progress.New(stderr)
		}
		res, err := bench(file, int(o.workers), show)
		if err != nil {
			fmt.Fprintf(stderr, "jfrbench: %s\n", explanation(file, err))
		}
		if err != nil || res.damage.total > 0 {
			code = exitDamaged
		}
		var out strings.Builder
		switch {
		case o.json:
			writeJSON(&out, res, err)
		case err == nil:
			if i > 0 {
				out.WriteString("\n\n")
			}
			writeText(&out, res, o.all)
		}
		if c := write(stdout, stderr, out.String()); c != exitOK {
			return c
		}
	}
	return code
}

// write writes in one go, so that an interrupted program leaves no half of its output.
func write(stdout, stderr io.Writer, text string) int {
	if _, err := io.WriteString(stdout, text); err != nil {
		fmt.Fprintf(stderr, "jfrbench: the report could not be written: %v\n", err)
		return exitDamaged
	}
	return exitOK
}

func version() string {
	v := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	return fmt.Sprintf("jfrbench %s, %s %s/%s\n", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
