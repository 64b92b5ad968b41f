package where

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// SyntaxError says what is wrong in the text of a condition.
type SyntaxError struct {
	Text    string // all of the text that was parsed
	Offset  int    // where in it the error is, in bytes
	Message string // what is wrong, without the position

	path error // of a field that is no path
}

// Position returns which character of the text is wrong, from 1.
func (e *SyntaxError) Position() int { return utf8.RuneCountInString(e.Text[:e.Offset]) + 1 }

// Error returns the text, the position and the message.
func (e *SyntaxError) Error() string {
	if e.path != nil {
		return e.path.Error()
	}
	return fmt.Sprintf("condition %q, character %d: %s", excerpt(e.Text), e.Position(), e.Message)
}

// excerpt returns the beginning of a text that is too long for an error.
func excerpt(text string) string {
	const most = 1000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// FieldError says why a comparison fits none of some event types.
type FieldError struct {
	Comparison string
	Offset     int // where the comparison begins in the text that was parsed, in bytes
	Message    string

	is error // ErrNoField, or nil
}

func (e *FieldError) Unwrap() error { return e.is }

// Error returns the comparison and the message.
func (e *FieldError) Error() string { return "condition " + e.Comparison + ": " + e.Message }
