package fleet

import (
	"strings"
	"sync"

	"github.com/mmapjfr/jfr/cmd/mjfr/answers"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

// A worker is a process with several instances of each step. What they know of objects, and the plans of a question, they
// share.

// sharedReader is the reader of a question that some instances use.
type sharedReader struct {
	*batch.Reader
	note string
	uses int
}

var (
	sharing   sync.Mutex
	readers   = make(map[string]*sharedReader)
	questions = make(map[string]batch.Question)
)

// useReader returns the reader of a question, which must be released.
func useReader(note []string) (*sharedReader, error) {
	q, err := questionOf(note)
	if err != nil {
		return nil, err
	}
	sharing.Lock()
	defer sharing.Unlock()
	text := strings.Join(note, "\x00")
	r := readers[text]
	if r == nil {
		r = &sharedReader{Reader: batch.NewReader(q, note, store().Open), note: text}
		readers[text] = r
	}
	r.uses++
	return r, nil
}

func (r *sharedReader) release() error {
	if r == nil {
		return nil // Setup has failed
	}
	sharing.Lock()
	defer sharing.Unlock()
	if r.uses--; r.uses > 0 {
		return nil
	}
	delete(readers, r.note)
	return r.Close()
}

// questionOf returns the question of a note.
func questionOf(note []string) (batch.Question, error) {
	sharing.Lock()
	defer sharing.Unlock()
	text := strings.Join(note, "\x00")
	if q := questions[text]; q != nil {
		return q, nil
	}
	q, err := answers.Question(note)
	if err == nil {
		questions[text] = q
	}
	return q, err
}
