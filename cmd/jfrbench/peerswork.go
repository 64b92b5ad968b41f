package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/mmapjfr/jfr/bench/peers"
	"github.com/mmapjfr/jfr/internal/oracle"
)

// workNames are the works in their order.
var workNames = []string{"summary", "count", "read", "type"}

// contestants are what is needed to have the works done by both sides.
type contestants struct {
	jdk  *peerJDK
	self string // the path of jfrbench
	file string // an absolute path, so that it is never taken for a flag
	// typeName is the full name of the type that the work "type" counts.
	typeName string
}

// contest returns the contest in the work of that name.
func (s contestants) contest(work string) contest {
	c := contest{work: work}
	switch work {
	case "summary":
		c.peer = "jfr summary"
		c.note = "The JDK reads the frames of the events in one thread and decodes no field. jfrbench decodes none either, on all processors."
		c.check = s.compareSummaries
		c.theirs = func(ctx context.Context) (lap, error) { return timed(s.jdk.command(ctx, "jfr", "summary", s.file)) }
		c.ours = func(ctx context.Context) (lap, error) { return timed(s.jfrbench(ctx, "summary", s.file)) }
		return c
	case "count":
		c.peer = "RecordingFile"
		c.note = "The JDK makes an object of each event with all its values, and of each constant once a chunk, in one thread. " +
			"jfrbench finds every field and checks that it lies inside the event, and decodes none, on all processors."
	case "read":
		c.peer = "RecordingFile"
		c.note = "The JDK does the same as for count, and getValue is called for each field by name: a reference gives an object, " +
			"and what is inside that is not looked at. jfrbench decodes every field, and looks up which constant it refers to, in batches on all processors."
	case "type":
		c.peer = "EventStream"
		c.note = "The JDK skips events of other types and uses its event objects again, but makes objects of all constants of each chunk, " +
			"in one thread. jfrbench skips events of other types and reads no constants."
		if s.typeName == "" {
			c.check = func(context.Context) (uint64, error) {
				return 0, errors.New("the recording has no events; measure one that has, or leave this work out with -only")
			}
		}
	}
	c.theirs = func(ctx context.Context) (lap, error) { return timedLoop(s.java(ctx, work)) }
	c.ours = func(ctx context.Context) (lap, error) { return timedLoop(s.scan(ctx, work)) }
	return c
}

func (s contestants) jfrbench(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.self, args...)
	cmd.WaitDelay = time.Second
	return cmd
}

func (s contestants) scan(ctx context.Context, work string) *exec.Cmd {
	args := []string{"scan", "-work", work}
	if work == "type" {
		args = append(args, "-type", s.typeName)
	}
	return s.jfrbench(ctx, append(args, s.file)...)
}

func (s contestants) java(ctx context.Context, work string) *exec.Cmd {
	args := []string{"-cp", s.jdk.classes, peers.Class, work, s.file}
	if work == "type" {
		args = append(args, s.typeName)
	}
	return s.jdk.command(ctx, "java", args...)
}

// compareSummaries compares count and bytes of all types, and returns the number
// of events.
func (s contestants) compareSummaries(ctx context.Context) (uint64, error) {
	text, err := output(s.jdk.command(ctx, "jfr", "-J-Dstdout.encoding=UTF-8", "-J-Duser.language=en", "summary", s.file))
	if err != nil {
		return 0, err
	}
	theirs, err := oracle.ParseSummary(bytes.NewReader(text))
	if err != nil {
		return 0, err
	}
	if text, err = output(s.jfrbench(ctx, "summary", "-json", s.file)); err != nil {
		return 0, err
	}
	var ours summaryDocument
	if err := json.Unmarshal(text, &ours); err != nil {
		return 0, fmt.Errorf("jfrbench summary -json: %w", err)
	}
	return ours.Events, differentTypes(theirs.Types, ours.Types)
}
