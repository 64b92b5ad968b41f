package jvmtest

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"testing"
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

// Write writes a scenario in the format of testdata/live/README.md, uncompressed.
func (s *Scenario) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s\njdk %s\n", scenarioTitle, s.JDK)
	for _, state := range s.States {
		fmt.Fprintf(b, "state %d\n", state.At.Nanoseconds())
		for _, c := range state.Changes {
			fmt.Fprintf(b, "%s %s", c.Kind, c.Name)
			if c.Kind == WriteData || c.Kind == WriteHeader {
				fmt.Fprintf(b, " %d %d\n%s", c.Offset, len(c.Bytes), c.Bytes)
			}
			b.WriteByte('\n')
		}
	}
	return b.Flush() // keeps the first error
}
