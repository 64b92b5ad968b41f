package jvmtest

import (
	"path/filepath"
	"testing"
	"time"
)

// LiveFile returns the path of a file in the folder of the scenarios.
func LiveFile(t testing.TB, name string) string { return filepath.Join(liveFolder(t), name) }

// Upcoming returns the changes of the next step.
func (r *Replay) Upcoming() []Change {
	if r.next == len(r.states) {
		return nil
	}
	return r.states[r.next].Changes
}

// OnWrite has a function called after each write to a file.
func (r *Replay) OnWrite(wrote func()) { r.wrote = wrote }

// Span returns how long after the first state the last one was seen.
func (r *Replay) Span() time.Duration { return r.states[len(r.states)-1].At - r.states[0].At }
