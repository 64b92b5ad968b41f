package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/cmd/jfrbench/internal/peers"
	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/internal/printable"
)

// contest is a work that another reader and jfrbench both do, and what came of it.
type contest struct {
	work    string
	peer    string // the other reader
	version string // of the peer
	note    string // what either does and does not do

	theirs, ours []lap // as many of each, unless there is an error
	err          error
	missing      error // what is missing, so that it was not measured
}

// title names the peer with its version.
func (c *contest) title() string { return strings.TrimSpace(c.peer + " " + c.version) }

// hold lets both sides do the work in turn, so that whatever the machine does
// besides meets both alike. It ends with the first thing that goes wrong.
func (c *contest) hold(runs int, theirs, ours func() (lap, error)) {
	for n := range runs {
		var t, o lap
		if t, c.err = theirs(); c.err != nil {
			return
		}
		if o, c.err = ours(); c.err != nil {
			return
		}
		c.theirs, c.ours = append(c.theirs, t), append(c.ours, o)
		switch {
		case differentTypes(t.types, o.types) != nil:
			c.err = differentTypes(t.types, o.types)
		case t.events != o.events:
			c.err = fmt.Errorf("in run %d %s saw %s, jfrbench %s; see what jfr summary and mjfr summary say of the file",
				n+1, c.peer, plural(t.events, "event"), plural(o.events, "event"))
		case o.events != c.ours[0].events:
			c.err = fmt.Errorf("in run %d both saw %s, in run 1 %s; measure a file that does not change",
				n+1, plural(o.events, "event"), plural(c.ours[0].events, "event"))
		}
		if c.err != nil {
			return
		}
	}
}

func processTime(l lap) time.Duration { return l.process }

func loopTime(l lap) time.Duration { return l.loop }

func cpuTime(l lap) time.Duration { return l.cpu }

func memory(l lap) int64 { return l.memory }

// median returns the median of a figure of the laps, 0 if there are none.
func median[T ~int64](laps []lap, of func(lap) T) T {
	var figures []T
	for _, l := range laps {
		figures = append(figures, of(l))
	}
	slices.Sort(figures)
	if len(figures) == 0 {
		return 0
	}
	return (figures[(len(figures)-1)/2] + figures[len(figures)/2]) / 2
}

// ratio returns how many times as much of a figure the peer takes, by the medians. A contest that
// was not measured or went wrong has no ratio: a fast wrong answer is worth nothing.
func ratio[T ~int64](c *contest, of func(lap) T) (f float64, ok bool) {
	theirs, ours := median(c.theirs, of), median(c.ours, of)
	if c.err != nil || theirs == 0 || ours == 0 {
		return 0, false
	}
	return float64(theirs) / float64(ours), true
}

// lap is what one run of one side took, and what it counted.
type lap struct {
	// process is the time from starting the process to its end.
	process time.Duration
	// cpu is the time of all its threads, and memory the bytes that were resident at its
	// peak, pages of mapped files included; 0 where the system does not tell.
	cpu    time.Duration
	memory int64
	// weight is the sum of the numbers in what the process wrote, if that are collapsed stacks.
	weight uint64
	// loop is the time from opening the file to its last event, as the process
	// itself measures it; 0 if it does not.
	loop   time.Duration
	events uint64
	types  map[string]oracle.Count // by the work "summary" alone
}

// sides are what is needed to have the works done by both sides.
type sides struct {
	home    string // of the JDK
	version string // of the JDK
	classes string // the folder with the compiled classes
	self    string // the path of jfrbench
	// repository is the folder where Maven keeps jars.
	repository string
	file       string
	// typeName is the full name of the type that the work "type" counts.
	typeName string
}

func (s sides) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	return jdk.Command(ctx, s.home, name, args...)
}

// theirs has another reader do a work: the class that is named so, with that class path.
func (s sides) theirs(ctx context.Context, classPath, class, work string) (lap, error) {
	if work != "summary" {
		return timedLoop(s.command(ctx, "java", "-cp", classPath, peers.Main, class, work, s.file, s.typeName))
	}
	l, text, err := timed(s.command(ctx, "jfr", "-J-Dstdout.encoding=UTF-8", "-J-Duser.language=en", "summary", s.file))
	if err != nil {
		return l, err
	}
	said, err := oracle.ParseSummary(strings.NewReader(text))
	l.types = said.Types
	for name, n := range said.Types {
		if !isStructure(name) {
			l.events += n.Events
		}
	}
	return l, err
}

// ours has jfrbench do a work.
func (s sides) ours(ctx context.Context, work string) (lap, error) {
	args := []string{"scan", "-work", work, s.file}
	if work == "type" {
		args = []string{"scan", "-work", work, "-type", s.typeName, s.file}
	}
	cmd := exec.CommandContext(ctx, s.self, args...)
	cmd.WaitDelay = time.Second
	return timedLoop(cmd)
}

// timed measures a process, and returns what it prints.
func timed(cmd *exec.Cmd) (lap, string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	l := lap{process: time.Since(start)}
	if state := cmd.ProcessState; state != nil {
		l.cpu, l.memory = state.UserTime()+state.SystemTime(), peakMemory(state)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.TrimSuffix(filepath.Base(cmd.Path), ".exe"), err)
		if said := complaint(stderr.String()); said != "" {
			err = fmt.Errorf("%w: %s", err, printable.Text(said))
		}
	}
	return l, stdout.String(), err
}

// complaint returns the line of an exception, which Java writes after its warnings; without one the
// first line.
func complaint(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	i := slices.IndexFunc(lines, func(s string) bool { return strings.HasPrefix(s, "Exception ") })
	return strings.TrimSpace(lines[max(i, 0)])
}

// timedLoop measures a process that prints in its last line what it measured itself, as
// jfrbench scan does.
func timedLoop(cmd *exec.Cmd) (lap, error) {
	l, text, err := timed(cmd)
	if err != nil {
		return l, err
	}
	line := lastLine(text)
	var s scanned
	if err := json.Unmarshal([]byte(line), &s); err != nil || s.Nanos <= 0 {
		return l, fmt.Errorf("%s: its last line should have events and nanos, and is %q", filepath.Base(cmd.Path), line)
	}
	l.loop, l.events, l.types = time.Duration(s.Nanos), s.Events, s.Types
	return l, nil
}

// lastLine returns the last line of what a process has printed. A virtual machine can print
// warnings before.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
