package jvmtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// HeaderSize is the number of bytes that the JVM writes anew when it flushes: the
// chunk header at the beginning of a file.
const HeaderSize = 68

// Scenario is what was seen of a base folder of repositories while JVMs wrote there.
type Scenario struct {
	JDK    string // version of the JVMs that wrote
	States []State
}

// State is what had changed when the folder was looked at.
type State struct {
	At      time.Duration // since the first state
	Changes []Change      // in the order in which they are to be made
}

// Change is one change of a folder or a file.
type Change struct {
	Kind ChangeKind
	Name string // path in the base folder, with slashes

	// Offset and Bytes are what a file has got: more bytes of it, or others beyond
	// what its header says is valid. Of a header, Offset is 0.
	Offset int64
	Bytes  []byte
}

// ChangeKind is a word of the format in testdata/live/README.md.
type ChangeKind string

// The changes.
const (
	MakeFolder   ChangeKind = "folder"
	MakeFile     ChangeKind = "file" // an empty one
	WriteData    ChangeKind = "data"
	WriteHeader  ChangeKind = "header"
	RemoveFile   ChangeKind = "remove"
	RemoveFolder ChangeKind = "clear"
)

const scenarioTitle = "mmapjfr live 1"

// maxChange is more than any change that a recorder sees.
const maxChange = 64 << 20

// ErrScenario is the error of a text that is not a recorded scenario.
var ErrScenario = errors.New("jvmtest: not a recorded scenario")

// ReadScenario reads a scenario in the format of testdata/live/README.md, uncompressed. The error
// is [ErrScenario] for anything else.
func ReadScenario(r io.Reader) (*Scenario, error) {
	in := bufio.NewReader(r)
	s := new(Scenario)
	for number := 1; ; number++ {
		line, err := in.ReadString('\n')
		if err == io.EOF && line == "" && number > 2 {
			return s, nil
		}
		if err == nil {
			err = s.line(number, strings.TrimSuffix(line, "\n"), in)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrScenario, number, err)
		}
	}
}

var errScenarioLine = errors.New("unexpected line")

func (s *Scenario) line(number int, line string, in *bufio.Reader) error {
	words := strings.Split(line, " ")
	switch {
	case number == 1 && line == scenarioTitle:
		return nil
	case number == 2 && words[0] == "jdk" && len(words) == 2:
		s.JDK = words[1]
		return nil
	case number <= 2:
		return errScenarioLine
	case words[0] == "state" && len(words) == 2:
		nanos, err := strconv.ParseInt(words[1], 10, 64)
		s.States = append(s.States, State{At: time.Duration(nanos)})
		return err
	case len(s.States) == 0:
		return errScenarioLine
	}
	c, err := readChange(words, in)
	if err != nil {
		return err
	}
	last := &s.States[len(s.States)-1]
	last.Changes = append(last.Changes, c)
	return nil
}

func readChange(words []string, in *bufio.Reader) (c Change, err error) {
	c.Kind = ChangeKind(words[0])
	switch {
	case len(words) == 2 && slices.Contains([]ChangeKind{MakeFolder, MakeFile, RemoveFile, RemoveFolder}, c.Kind):
		c.Name = words[1]
		return c, nil
	case len(words) != 4 || c.Kind != WriteData && c.Kind != WriteHeader:
		return c, errScenarioLine
	}
	c.Name = words[1]
	if c.Offset, err = strconv.ParseInt(words[2], 10, 64); err != nil {
		return c, err
	}
	n, err := strconv.ParseUint(words[3], 10, 31)
	if err != nil {
		return c, err
	}
	if n > maxChange || c.Offset < 0 || c.Kind == WriteHeader && n != HeaderSize {
		return c, errScenarioLine
	}
	c.Bytes = make([]byte, n)
	if _, err := io.ReadFull(in, c.Bytes); err != nil {
		return c, err
	}
	if end, err := in.ReadByte(); err != nil || end != '\n' {
		return c, errScenarioLine
	}
	return c, nil
}
