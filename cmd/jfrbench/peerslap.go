package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// lap is what one run of one side took.
type lap struct {
	// process is the time from starting the process to its end.
	process time.Duration
	// loop is the time from opening the file to its last event, as the process
	// itself tells; 0 if it does not.
	loop time.Duration
	// events is how many events the process saw; 0 if it does not tell.
	events uint64
}

// timed measures a process and throws away what it prints.
func timed(cmd *exec.Cmd) (lap, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	err := cmd.Run()
	l := lap{process: time.Since(start)}
	switch said := strings.TrimSpace(stderr.String()); {
	case err == nil:
		return l, nil
	case said == "":
		return lap{}, fmt.Errorf("%s: %w", commandName(cmd), err)
	default:
		return lap{}, fmt.Errorf("%s: %w: %s", commandName(cmd), err, firstLine(said))
	}
}

// timedLoop measures a process that prints what it measured itself.
func timedLoop(cmd *exec.Cmd) (lap, error) {
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	l, err := timed(cmd)
	if err != nil {
		return lap{}, err
	}
	if l.loop, l.events, err = parseLoop(stdout.String()); err != nil {
		return lap{}, fmt.Errorf("%s: %w", commandName(cmd), err)
	}
	return l, nil
}

// output returns what a process prints.
func output(cmd *exec.Cmd) ([]byte, error) {
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	_, err := timed(cmd)
	return stdout.Bytes(), err
}

// parseLoop reads the last line that a process has printed. A virtual machine can
// print warnings before.
func parseLoop(text string) (loop time.Duration, events uint64, err error) {
	line := strings.TrimSpace(text)
	line = line[strings.LastIndexByte(line, '\n')+1:]
	var told struct {
		Events *uint64 `json:"events"`
		Nanos  *int64  `json:"nanos"`
	}
	if err := json.Unmarshal([]byte(line), &told); err != nil {
		return 0, 0, fmt.Errorf("its last line should tell events and nanos, and is %q: %w", line, err)
	}
	if told.Events == nil || told.Nanos == nil || *told.Nanos <= 0 {
		return 0, 0, fmt.Errorf("its last line should tell events and nanos, and is %q", line)
	}
	return time.Duration(*told.Nanos), *told.Events, nil
}

func commandName(cmd *exec.Cmd) string {
	return strings.TrimSuffix(filepath.Base(cmd.Path), ".exe")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return printable(strings.TrimSpace(line))
}
