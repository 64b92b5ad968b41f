package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/internal/printable"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

const peersHelp = `usage: jfrbench peers [flags] FILE

Measures other readers and mmapjfr on the same recording, in turn, and compares
what they counted; then others that make profiles, and mjfr profile. It prints
tables in Markdown, and how fast this machine gives the bytes of the recording to
a program that does nothing with them. It needs a JDK 25 or newer, which it looks
for at JAVA25_HOME, beside the java on PATH, and at the jfr on PATH. What else it
needs and does not find it names.

flags:
  -runs N      how often each side does each work (3); the medians are shown
  -only WORKS  some works or profiles only, as in count,html
  -readers R   some readers only: jdk, the JDK's own, or jmc, that of JDK Mission
               Control, which loads all events into memory (jdk,jmc)
  -type NAME   the event type of the work "type"; by default the one whose
               events are nearest to 1 % of all
  -profile T   the type of the profiles of jfrconv: cpu, wall, alloc, lock (cpu)
  -mjfr FILE   the command mjfr; by default that beside jfrbench, or on PATH
  -maven DIR   the repository of Maven with the jars of jfrconv and JMC
               (.m2/repository in the home folder)
  -fetch       let Go download Grafana's parser

Works: summary counts events by type; count counts events one by one; read gets
the value of every field of every event; type counts the events of one type.
Profiles: collapsed, html, pprof and otlp are measured against jfrconv, grafana
(all types as pprof) against Grafana's parser, jmc (collapsed) against JMC.
`

// peersOptions are the arguments of jfrbench peers.
type peersOptions struct {
	runs           int
	works, readers []string
	typeName, file string
	// kind, mjfr and fetch are for profiles; maven is where jars are.
	kind, mjfr, maven string
	fetch             bool
}

func parsePeers(args []string) (o peersOptions, err error) {
	flags := flag.NewFlagSet("jfrbench peers", flag.ContinueOnError)
	flags.IntVar(&o.runs, "runs", 3, "")
	names := slices.Concat(workNames, profileNames())
	only := flags.String("only", strings.Join(names, ","), "")
	some := flags.String("readers", strings.Join(readerNames(), ","), "")
	flags.StringVar(&o.kind, "profile", "cpu", "")
	flags.StringVar(&o.mjfr, "mjfr", "", "")
	flags.StringVar(&o.maven, "maven", "", "")
	flags.BoolVar(&o.fetch, "fetch", false, "")
	flags.StringVar(&o.typeName, "type", "", "")
	o.file, err = parseOneFile(flags, args)
	o.works, o.readers = strings.Split(*only, ","), strings.Split(*some, ",")
	switch {
	case err != nil:
	case o.runs < 1:
		err = fmt.Errorf("-runs is %d; at least one run is needed", o.runs)
	default:
		err = errors.Join(allIn("-only", "work", o.works, names), allIn("-readers", "reader", o.readers, readerNames()))
	}
	return o, err
}

// allIn returns an error if a flag names what there is not.
func allIn(flag, what string, named, all []string) error {
	for _, name := range named {
		if !slices.Contains(all, name) {
			return fmt.Errorf("%s names %q, which is no %s; there are %s", flag, name, what, strings.Join(all, ", "))
		}
	}
	return nil
}

// peersVerb is the command jfrbench peers.
func peersVerb(args []string, stdout, stderr io.Writer) int {
	o, err := parsePeers(args)
	if err != nil {
		return misused("jfrbench peers", peersHelp, err, stdout, stderr)
	}
	ctx, stop := untilInterrupted()
	defer stop()
	report, err := compare(ctx, o, stderr)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "jfrbench: interrupted")
		return exitInterrupted
	case err != nil:
		fmt.Fprintf(stderr, "jfrbench: %v\n", err)
		return exitDamaged
	}
	var out strings.Builder
	writePeers(&out, report)
	code := write(stdout, stderr, out.String())
	if slices.ContainsFunc(slices.Concat(report.rows, report.profiles), func(r contest) bool { return r.err != nil }) {
		code = exitDamaged
	}
	return code
}

// peersReport is a comparison and what it was made with.
type peersReport struct {
	peersOptions
	scanned
	typed uint64 // events of the type
	jdk   string // the line in which the virtual machine says what it is
	rows  []contest
	// limits are those of this machine, measured if there are rows.
	limits limits
	// profiles are the contests of profiles.
	profiles []contest
}

// compare measures the works one after the other. It fails if it cannot even
// begin; what goes wrong in a work is part of the report.
func compare(ctx context.Context, o peersOptions, stderr io.Writer) (*peersReport, error) {
	s, err := newSides(o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(s.classes) }() // a temporary folder
	report, err := describe(o)
	if err != nil {
		return nil, err
	}
	s.typeName = report.typeName
	_, text, err := timed(s.command(ctx, "java", "--version"))
	if err != nil {
		return nil, err
	}
	report.jdk = lastLine(text)
	if !progress.IsTerminal(stderr) {
		stderr = io.Discard
	}
	for _, r := range readers {
		if slices.Contains(o.readers, r.name) {
			report.rows = append(report.rows, r.measure(ctx, s, o, stderr)...)
		}
	}
	if len(report.rows) > 0 && ctx.Err() == nil {
		fmt.Fprintln(stderr, "measuring the limits of this machine")
		if report.limits, err = measureLimits(o.file, o.runs); err != nil {
			return nil, err
		}
	}
	p, missing := newProfilers(s, o, report.Types)
	resetPeakMemory()
	for _, c := range profileWorks {
		if !slices.Contains(o.works, c.work) || ctx.Err() != nil {
			continue
		}
		fmt.Fprintf(stderr, "measuring %s\n", c.work)
		if c.missing = missing; missing == nil {
			p.measure(ctx, &c, o.runs)
		}
		report.profiles = append(report.profiles, c)
	}
	return report, nil
}

// newSides finds what is needed to have works done, but for the type. It makes the folder of
// classes, which the caller removes.
func newSides(o peersOptions) (s sides, err error) {
	var ok bool
	if s.home, ok = jdk.Judge(); !ok {
		return s, fmt.Errorf("peers measures the readers of a JDK %d or newer, and none was found; "+
			"set JAVA25_HOME to the folder of one", jdk.JudgeMajor)
	}
	if s.version, err = jdk.JudgeVersion(s.home); err != nil {
		return s, err
	}
	if s.file, err = filepath.Abs(o.file); err != nil { // absolute, so that it is never taken for a flag
		return s, err
	}
	if s.self, err = os.Executable(); err != nil {
		return s, fmt.Errorf("the path of jfrbench itself is not known, which peers runs: %w", err)
	}
	if s.repository, err = mavenRepository(o.maven); err != nil {
		return s, err
	}
	s.classes, err = os.MkdirTemp("", "jfrbench-peers-")
	return s, err
}

// describe reads the file once, which leaves it in the page cache, and counts its events.
func describe(o peersOptions) (*peersReport, error) {
	name := printable.Text(o.file)
	if f, err := os.Open(o.file); err == nil {
		_, _ = io.Copy(io.Discard, f) // the scan fails if this does
		_ = f.Close()
	}
	s, err := scan(scanOptions{work: "summary", file: o.file})
	if err != nil {
		return nil, err
	}
	unfinished, damages, first := problems(s.err)
	switch {
	case damages > 0:
		return nil, fmt.Errorf("%s: it is damaged, and there is no saying what should be counted: %s", name, damaged(first, damages))
	case len(unfinished) > 0:
		return nil, fmt.Errorf("%s: it has a chunk still being written, which the JDK's readers refuse or wait for; "+
			"measure a recording that was stopped or dumped", name)
	}
	if o.typeName == "" {
		o.typeName = onePercent(s.Types, s.Events)
	}
	typed, ok := s.Types[o.typeName]
	switch {
	case !ok && o.typeName == "":
		err = fmt.Errorf("%s: it has no events; measure a recording that has", name)
	case !ok:
		err = fmt.Errorf("%s: it has no event type %s; mjfr types lists those it has", name, printable.Text(o.typeName))
	}
	return &peersReport{peersOptions: o, scanned: s, typed: typed.Events}, err
}

// onePercent returns the type whose events are nearest to 1 % of all, "" if there are no events.
// Settings are not chosen: there are as many as the JDK has types, whatever the program did.
func onePercent(types map[string]oracle.Count, events uint64) string {
	distance := func(name string) uint64 {
		hundredfold := 100 * types[name].Events
		return max(hundredfold, events) - min(hundredfold, events)
	}
	best := ""
	for _, name := range slices.Sorted(maps.Keys(types)) {
		short := strings.TrimPrefix(name, summary.OldPrefix)
		switch {
		case types[name].Events == 0, short == "jdk.ActiveSetting", isStructure(short), strings.Contains(name, "(missing event metadata)"):
		case best == "" || distance(name) < distance(best):
			best = name
		}
	}
	return best
}

// isStructure reports whether that is the name of what is framed like events, but is none.
func isStructure(name string) bool {
	return name == summary.MetadataName || name == summary.CheckpointName
}

// differentTypes returns an error for the first type, by name, of which the JDK has other
// numbers than jfrbench. Types without events do not matter.
func differentTypes(theirs, ours map[string]oracle.Count) error {
	var names []string
	for _, name := range slices.Concat(slices.Collect(maps.Keys(theirs)), slices.Collect(maps.Keys(ours))) {
		if theirs[name] != ours[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	first := slices.Min(names)
	t, o := theirs[first], ours[first]
	return errors.New("of " + printable.Text(first) + " the JDK has " + plural(t.Events, "event") + " in " + plural(t.Bytes, "byte") +
		", jfrbench " + plural(o.Events, "event") + " in " + plural(o.Bytes, "byte"))
}
