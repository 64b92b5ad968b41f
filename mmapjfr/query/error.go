package query

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error says what is wrong in a statement, and where. It is what [Parse] and [Statement.Plan] return
// for statements that are wrong.
type Error struct {
	// Text is the whole statement.
	Text string
	// Offset is where in the text the wrong part begins, in bytes.
	Offset int
	// Message says what is wrong and how to go on.
	Message string
}

func newError(text string, offset int, message string) error {
	return &Error{text, max(0, min(offset, len(text))), message}
}

// Position returns the line and the character in it where the wrong part begins, both from 1.
func (e *Error) Position() (line, character int) {
	before := e.Text[:e.Offset]
	begin := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[begin:]) + 1
}

// Error returns the position and the message.
func (e *Error) Error() string {
	line, character := e.Position()
	return fmt.Sprintf("query, line %d, character %d: %s", line, character, e.Message)
}
