package fleet

import (
	"strings"
	"sync"

	"github.com/mmapjfr/jfr/cmd/mjfr/answers"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

// Instances of steps share the questions that their worker knows, with the plans of these.
var (
	sharing   sync.Mutex
	questions = make(map[string]batch.Question)
)

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
