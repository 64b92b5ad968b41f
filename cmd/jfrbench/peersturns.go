package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
)

// turns shows on a line of a terminal whose turn it is. Nil turns show nothing.
type turns struct {
	out io.Writer
}

// newTurns shows turns if w is a terminal.
func newTurns(w io.Writer) *turns {
	if !progress.IsTerminal(w) {
		return nil
	}
	return &turns{out: w}
}

// turnsWidth is how much of a line is used; one more could make it two lines.
const turnsWidth = 79

// say puts a text in the place of the one before, as much of it as fits the line.
func (t *turns) say(format string, args ...any) {
	if t == nil {
		return
	}
	text := []rune(printable(fmt.Sprintf(format, args...)))
	fmt.Fprintf(t.out, "\r%-*s", turnsWidth, string(text[:min(len(text), turnsWidth)]))
}

// clear takes the line off the terminal.
func (t *turns) clear() {
	if t != nil {
		fmt.Fprintf(t.out, "\r%s\r", strings.Repeat(" ", turnsWidth))
	}
}
