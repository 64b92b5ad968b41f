package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/cmd/jfrbench/internal/peers"
	"github.com/mmapjfr/jfr/internal/oracle"
)

// profileWorks are the profiles that others make of a recording, too.
var profileWorks = []contest{
	{work: "collapsed", peer: "jfrconv", version: jfrconvJar.version, note: "Both write a line for each stack, jfrconv in one thread."},
	{work: "html", peer: "jfrconv", version: jfrconvJar.version, note: "Both write a page with a flame graph."},
	{work: "pprof", peer: "jfrconv", version: jfrconvJar.version, note: "jfrconv writes names alone; mjfr writes lines, threads and states, too, and compresses."},
	{work: "otlp", peer: "jfrconv", version: jfrconvJar.version, note: "jfrconv writes a profile for each chunk with the times of samples; mjfr adds samples up."},
	{work: "grafana", peer: "Grafana's parser", version: peers.GrafanaVersion(), note: "All types of profiles that either knows, as pprof: Grafana's parser has one file for each, mjfr one for all."},
	{work: "jmc", peer: "JMC", version: jmcJars[0].version, note: "JMC makes objects of all events, which a small program counts by stack; mjfr writes collapsed stacks."},
}

// profileNames returns the names of the profiles, in their order.
func profileNames() (names []string) {
	for _, c := range profileWorks {
		names = append(names, c.work)
	}
	return names
}

// jfrconvJar is async-profiler's converter.
var jfrconvJar = artifact{"tools.profiler", "jfr-converter", "4.5"}

// profilers are what is needed to have profiles made by mjfr and by others.
type profilers struct {
	sides
	mjfr  string
	kind  string // of the profiles
	fetch bool   // whether Go may download Grafana's parser
	types map[string]oracle.Count
}

// newProfilers returns an error if mjfr is missing.
func newProfilers(s sides, o peersOptions, types map[string]oracle.Count) (p profilers, err error) {
	p = profilers{sides: s, mjfr: o.mjfr, kind: o.kind, fetch: o.fetch, types: types}
	if p.mjfr == "" {
		p.mjfr = filepath.Join(filepath.Dir(s.self), "mjfr")
		if _, err := exec.LookPath(p.mjfr); err != nil {
			p.mjfr = "mjfr"
		}
	}
	if p.mjfr, err = exec.LookPath(p.mjfr); err != nil {
		return p, errors.New("mjfr is neither beside jfrbench nor on PATH; go install github.com/mmapjfr/jfr/cmd/mjfr@latest makes it, and -mjfr names it")
	}
	return p, nil
}

// measure has both sides make the profile of a contest.
func (p profilers) measure(ctx context.Context, c *contest, runs int) {
	theirs, ours, err := p.commands(ctx, c.work)
	if c.missing = err; err != nil {
		return
	}
	c.hold(runs, func() (lap, error) { return p.lap(theirs()) }, func() (lap, error) { return p.lap(ours()) })
	if c.err == nil && c.theirs[0].weight != c.ours[0].weight {
		c.note += fmt.Sprintf(" %s counted %s, mjfr %s.", c.peer, plural(c.theirs[0].weight, "sample"), plural(c.ours[0].weight, "sample"))
	}
}

// program returns a process to be measured, whose last argument is the file that it writes.
type program func() *exec.Cmd

// commands returns what makes a profile on both sides. The error says what is missing on theirs,
// and how to get it.
func (p profilers) commands(ctx context.Context, work string) (theirs, ours program, err error) {
	endings := map[string]string{"collapsed": ".collapsed", "html": ".html", "pprof": ".pb.gz", "otlp": ".otlp", "grafana": ".pb.gz", "jmc": ".collapsed"}
	out := filepath.Join(p.classes, "ours"+endings[work])
	args := []string{"profile", p.file, "-o", out}
	switch work {
	case "collapsed":
		args = slices.Insert(args, 1, "-t", p.kind, "--count")
	case "jmc":
		args = slices.Insert(args, 1, "-t", "cpu", "--count")
	case "grafana":
	default:
		args = slices.Insert(args, 1, "-t", p.kind)
	}
	ours = func() *exec.Cmd { return p.process(ctx, p.mjfr, args...) }
	other := filepath.Join(p.classes, "theirs")
	switch work {
	case "grafana":
		theirs, err = p.grafana(ctx, other)
	case "jmc":
		theirs, err = p.jmc(ctx, other)
	default:
		theirs, err = p.jfrconv(ctx, work, other)
	}
	return theirs, ours, err
}

func (p profilers) process(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	return cmd
}

// jfrconv returns a run of async-profiler's converter.
func (p profilers) jfrconv(ctx context.Context, format, out string) (program, error) {
	jar, err := jfrconvJar.in(p.repository)
	args := []string{"-jar", jar, "-o", format, p.file, out}
	switch {
	case p.kind != "cpu":
		args = slices.Insert(args, 2, "--"+p.kind)
	case p.has("jdk.CPUTimeSample"):
		args = slices.Insert(args, 2, "--cpu-time")
	case !p.has("jdk.NativeMethodSample"): // its --cpu finds no sample of a JDK
		args = slices.Insert(args, 2, "--cpu")
	}
	return func() *exec.Cmd { return p.command(ctx, "java", args...) }, err
}

// has reports whether the recording has events of a type.
func (p profilers) has(name string) bool { return p.types[name].Events > 0 }

// jmc compiles the program that uses JMC's reader, and returns a run of it.
func (p profilers) jmc(ctx context.Context, out string) (program, error) {
	classPath, err := p.classPath(jmcJars)
	if err != nil {
		return nil, err
	}
	if err := p.compile(ctx, classPath, peers.Stacks); err != nil {
		return nil, err
	}
	sample := "jdk.ExecutionSample"
	if p.has("jdk.CPUTimeSample") {
		sample = "jdk.CPUTimeSample"
	}
	return func() *exec.Cmd {
		return p.command(ctx, "java", "-cp", classPath, peers.Stacks, sample, p.file, out)
	}, nil
}

// grafana builds the program that uses Grafana's parser, and returns a run of it.
func (p profilers) grafana(ctx context.Context, out string) (program, error) {
	folder := filepath.Join(p.classes, "grafana")
	err := os.Mkdir(folder, 0o700)
	for name, text := range peers.Grafana() {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	if err != nil {
		return nil, err
	}
	built := filepath.Join(folder, "grafana.exe")
	build := p.process(ctx, "go", "build", "-o", built, ".")
	build.Dir = folder
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	if !p.fetch {
		build.Env = append(build.Env, "GOPROXY=off")
	}
	if _, _, err := timed(build); err != nil {
		return nil, fmt.Errorf("the program that uses Grafana's parser could not be built; Go is needed, and -fetch lets it download the parser: %w", err)
	}
	return func() *exec.Cmd { return p.process(ctx, built, p.file, out) }, nil
}

// lap measures a process. Of collapsed stacks it adds up the samples. The output is removed: it can
// be larger than the recording.
func (p profilers) lap(cmd *exec.Cmd) (lap, error) {
	l, _, err := timed(cmd)
	if err != nil {
		return l, err
	}
	out := cmd.Args[len(cmd.Args)-1]
	l.weight, err = collapsedWeight(out)
	return l, errors.Join(err, os.Remove(out))
}

// collapsedWeight returns the sum of the numbers that end the lines of a file, 0 if it is no text
// of that form.
func collapsedWeight(file string) (sum uint64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close() // only read
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		text := lines.Text()
		n, err := strconv.ParseUint(text[strings.LastIndexByte(text, ' ')+1:], 10, 63)
		if err != nil {
			return 0, nil // another format
		}
		sum += n
	}
	return sum, lines.Err()
}
