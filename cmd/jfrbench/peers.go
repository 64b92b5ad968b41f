package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/mmapjfr/jfr/internal/jdk"
)

const peersHelp = `usage: jfrbench peers [flags] FILE

Measures the JDK's own readers and mmapjfr on the same recording, in turn, and
compares what they counted. It needs a JDK 25 or newer, which it looks for at
JAVA25_HOME, beside the java on PATH, and at the jfr on PATH.

flags:
  -runs N      how often each side does each work (3); the medians are shown
  -only WORKS  some works only, of summary, count, read, type; as in count,read
  -type NAME   the event type of the work "type"; by default the one whose
               events are nearest to 1 % of all
  -json        print one JSON document
  -md          print tables in Markdown

Works: summary counts events by type; count counts events one by one; read gets
the value of every field of every event; type counts the events of one type.
`

// peersOptions are the arguments of jfrbench peers.
type peersOptions struct {
	runs     int
	works    []string
	typeName string
	json, md bool
	file     string
}

func parsePeers(args []string) (o peersOptions, err error) {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.IntVar(&o.runs, "runs", 3, "")
	only := flags.String("only", "", "")
	flags.StringVar(&o.typeName, "type", "", "")
	flags.BoolVar(&o.json, "json", false, "")
	flags.BoolVar(&o.md, "md", false, "")
	if o.file, err = parseOneFile(flags, args); err != nil {
		return o, err
	}
	if o.runs < 1 {
		return o, fmt.Errorf("-runs is %d; at least one run is needed", o.runs)
	}
	if o.json && o.md {
		return o, errors.New("-json and -md are two forms of the same report; choose one")
	}
	o.works, err = chosenWorks(*only)
	return o, err
}

// chosenWorks returns the works that a list separated by commas names, all if it is
// empty. They come in their own order.
func chosenWorks(only string) ([]string, error) {
	if only == "" {
		return workNames, nil
	}
	names := strings.Split(only, ",")
	for _, name := range names {
		if !slices.Contains(workNames, name) {
			return nil, fmt.Errorf("-only names %q, which is no work; there are %s", name, strings.Join(workNames, ", "))
		}
	}
	var works []string
	for _, name := range workNames {
		if slices.Contains(names, name) {
			works = append(works, name)
		}
	}
	return works, nil
}

// peersVerb is the command jfrbench peers.
func peersVerb(args []string, stdout, stderr io.Writer) int {
	o, err := parsePeers(args)
	if err != nil {
		return misused("peers", peersHelp, err, stdout, stderr)
	}
	home, ok := jdk.Judge()
	if !ok {
		fmt.Fprintf(stderr, "jfrbench: peers measures the readers of a JDK %d or newer, and none was found; "+
			"set JAVA25_HOME to the folder of one\n", jdk.JudgeMajor)
		return exitDamaged
	}
	show := newTurns(stderr)
	show.say("reading %s once, so that it is in memory", o.file)
	report, err := describeForPeers(o)
	if err != nil {
		show.clear()
		fmt.Fprintf(stderr, "jfrbench: %v\n", err)
		return exitDamaged
	}

	ctx, stop := untilInterrupted()
	defer stop()
	err = holdContests(ctx, report, o, home, show)
	show.clear()
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "jfrbench: interrupted")
		return exitInterrupted
	case err != nil:
		fmt.Fprintf(stderr, "jfrbench: %v\n", err)
		return exitDamaged
	}

	var out strings.Builder
	switch {
	case o.json:
		writePeersJSON(&out, report)
	case o.md:
		writePeersMarkdown(&out, report)
	default:
		writePeersText(&out, report)
	}
	code := write(stdout, stderr, out.String())
	if slices.ContainsFunc(report.rows, func(r peersRow) bool { return r.err != nil }) {
		code = exitDamaged
	}
	return code
}

// untilInterrupted returns a context that ends when the command is interrupted. It
// takes the place of what main does then: that would end the process at once, and
// leave the folder of classes, and the JDK running.
func untilInterrupted() (context.Context, context.CancelFunc) {
	signal.Reset(os.Interrupt)
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// holdContests measures the works one after the other. It fails if it cannot even
// begin; what goes wrong in a work is part of the report.
func holdContests(ctx context.Context, report *peersReport, o peersOptions, home string, show *turns) error {
	show.say("compiling the loops that are to be measured")
	jdk, err := newPeerJDK(ctx, home)
	if err != nil {
		return err
	}
	defer jdk.close()
	report.jdk = jdk.virtualMachine
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("the path of jfrbench itself is not known, which peers runs: %w", err)
	}
	sides := contestants{jdk: jdk, self: self, file: report.path, typeName: report.typeName}
	for _, work := range o.works {
		if ctx.Err() != nil {
			break
		}
		c := sides.contest(work)
		report.rows = append(report.rows, c.hold(ctx, o.runs, show))
	}
	return nil
}
