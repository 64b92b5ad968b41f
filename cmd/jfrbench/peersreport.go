package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mmapjfr/jfr/index"
)

// peersReport is a comparison and what it was made with.
type peersReport struct {
	file     string
	path     string // the absolute one
	size     int64
	chunks   int
	events   uint64
	runs     int
	typeName string           // "" if there are no events
	typed    index.EventCount // of the type
	jdk      string           // the line in which the virtual machine says what it is
	cpu      string
	rows     []peersRow
}

// describeForPeers reads the file once, which leaves it in the page cache, and
// counts its events.
func describeForPeers(o peersOptions) (*peersReport, error) {
	r := &peersReport{file: o.file, runs: o.runs, typeName: o.typeName, cpu: processor()}
	if err := readOnce(o.file); err != nil {
		return nil, errors.New(explanation(o.file, err))
	}
	s, err := summarize(o.file, 0)
	if err != nil {
		return nil, errors.New(explanation(o.file, err))
	}
	switch {
	case s.damage.total > 0:
		return nil, fmt.Errorf("%s: it is damaged, and there is no saying what should be counted; jfrbench %s lists what is wrong",
			printable(o.file), printable(o.file))
	case len(s.damage.unfinished) > 0:
		return nil, fmt.Errorf("%s: it has a chunk still being written, which the JDK's readers refuse or wait for; "+
			"measure a recording that was stopped or dumped", printable(o.file))
	}
	if r.path, err = filepath.Abs(o.file); err != nil {
		return nil, err
	}
	r.size, r.chunks, r.events = s.size, s.chunks, s.events
	if r.typeName == "" {
		r.typeName = onePercent(s.types, s.events)
	} else if _, ok := s.types[r.typeName]; !ok {
		return nil, fmt.Errorf("%s: it has no event type %s; jfrbench summary -all lists those it has",
			printable(o.file), printable(r.typeName))
	}
	r.typed = s.types[r.typeName]
	return r, nil
}

func readOnce(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	_, err = io.Copy(io.Discard, f)
	return err
}

// processor returns the name of the processor where the system tells it, or "".
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close() // only read
	return processorIn(f)
}

func processorIn(cpuinfo io.Reader) string {
	lines := bufio.NewScanner(cpuinfo)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// facts are what has to be known to make sense of the figures, a line each.
func (r *peersReport) facts() []string {
	machine := fmt.Sprintf("%s/%s, %s", runtime.GOOS, runtime.GOARCH, plural(uint64(runtime.NumCPU()), "core"))
	if r.cpu != "" {
		machine = r.cpu + ", " + machine
	}
	facts := []string{
		"machine: " + machine,
		"JDK: " + printable(r.jdk) + ", with its own defaults",
		strings.TrimSuffix(version(), "\n"),
		fmt.Sprintf("%s of each side and work, the JDK's and jfrbench's in turn; times are medians", plural(uint64(r.runs), "run")),
		"the file was read once before: it is in the page cache, if memory allows",
	}
	if r.typeName != "" {
		facts = append(facts, fmt.Sprintf("type is %s: %s, %s of all", printable(r.typeName),
			plural(r.typed.Events, "event"), percent(r.typed.Events, r.events)))
	}
	return facts
}
