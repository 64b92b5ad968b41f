package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// ErrStale is returned when answers were given about other bytes than those that the
// recording has now.
var ErrStale = errors.New("oracle: the answers are about another version of the recording")

// Answers is what the JDK said of one recording.
type Answers struct {
	File   string // base name
	Bytes  int64
	SHA256 string
	JDK    string // version of the JDK that was asked

	// Plain is about the file as it is.
	Plain Account

	// AsFinished is about a copy in which every unfinished chunk has the state byte
	// 0 and ends where its header says: what a reader must deliver of what had been
	// flushed. It is nil if all chunks are finished.
	AsFinished *Account
}

// Account is what the JDK said of one file.
type Account struct {
	Summary Summary
	Chunks  []ChunkAnswer
	Events  Multiset // of all chunks that were read
	Classes Classes  // of all chunks that were read; see ChunkAnswer.MetadataRefused
}

// ChunkAnswer says how asking one chunk went.
type ChunkAnswer struct {
	Offset, Size int64
	State        byte   // state byte of the header
	Events       uint64 // number of events hashed
	PrintRefused string // first line of the refusal to print the events

	// MetadataRefused is the first line of the refusal to print the classes. Where
	// the JDK crashed, the Classes of the account have nevertheless the event types
	// of the chunk that it prints if asked for them alone.
	MetadataRefused string
}

// Truth returns the account that a right reader agrees with: AsFinished if there is
// one, otherwise Plain.
func (a *Answers) Truth() *Account {
	if a.AsFinished != nil {
		return a.AsFinished
	}
	return &a.Plain
}

// DiffClasses is [Classes.Diff] for a reader that delivers all classes. Where the JDK
// refused those of a chunk, only classes that it did print are compared.
func (a *Account) DiffClasses(got Classes) string {
	for _, c := range a.Chunks {
		if c.MetadataRefused != "" {
			got = maps.Clone(got)
			maps.DeleteFunc(got, func(name string, _ []uint64) bool { return a.Classes[name] == nil })
			break
		}
	}
	return a.Classes.Diff(got)
}

// AnswersPath returns where the answers of a recording are kept.
func AnswersPath(recording string) string {
	base := strings.TrimSuffix(filepath.Base(recording), ".jfr")
	return filepath.Join(filepath.Dir(recording), "answers", base+".json")
}

// Load returns the kept answers of a recording. The error is [ErrStale] if the
// recording has changed since, and wraps [os.ErrNotExist] if there are none.
func Load(recording string) (*Answers, error) {
	text, err := os.ReadFile(AnswersPath(recording))
	if err != nil {
		return nil, fmt.Errorf("oracle: no answers: %w", err)
	}
	a := new(Answers)
	if err := json.Unmarshal(text, a); err != nil {
		return nil, fmt.Errorf("oracle: %s: %w", AnswersPath(recording), err)
	}
	data, err := os.ReadFile(recording)
	if err != nil {
		return nil, fmt.Errorf("oracle: %w", err)
	}
	if sha256Of(data) != a.SHA256 {
		return nil, fmt.Errorf("%w: %s", ErrStale, recording)
	}
	return a, nil
}

// Text returns the answers as JSON.
func (a *Answers) Text() []byte {
	text, _ := json.MarshalIndent(a, "", " ") // all of it can be JSON
	return append(text, '\n')
}

// Save writes the answers to where [Load] finds them.
func (a *Answers) Save(recording string) error {
	path := AnswersPath(recording)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { // part of the repository
		return fmt.Errorf("oracle: %w", err)
	}
	if err := os.WriteFile(path, a.Text(), 0o644); err != nil { // part of the repository
		return fmt.Errorf("oracle: %w", err)
	}
	return nil
}

func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
