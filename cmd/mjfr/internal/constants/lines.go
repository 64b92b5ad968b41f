package constants

import (
	"bufio"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/jsonout"
)

// lines writes a table, or a list in JSON, of any length in little memory.
type lines struct {
	v       *verb
	table   *terminal.Table
	out     *bufio.Writer
	n       int // number of lines or elements
	pending int // how many of them have not been written yet
}

// newLines begins a table, or a JSON document with a named list.
func (v *verb) newLines(name string) *lines {
	l := &lines{v: v, table: terminal.NewTable(v.columns()...), out: bufio.NewWriter(v.Stdout)}
	if v.json {
		l.out.WriteString("{\n  \"" + name + "\": [")
	}
	return l
}

// full reports whether --max has been reached.
func (l *lines) full() bool { return l.v.max > 0 && l.n == l.v.max }

// add adds an element to the list, or the row that row makes to the table.
func (l *lines) add(document any, row func(*terminal.Table)) error {
	if l.v.json {
		if l.n > 0 {
			l.out.WriteByte(',')
		}
		l.n++
		var text strings.Builder
		enc := jsonout.New(&text)
		enc.SetIndent("    ", "  ")
		if err := enc.Encode(document); err != nil {
			return err
		}
		_, err := l.out.WriteString("\n    " + strings.TrimSuffix(text.String(), "\n"))
		return err
	}
	row(l.table)
	l.n++
	if l.pending++; l.pending < partLines {
		return nil
	}
	l.pending = 0
	return l.table.WritePart(l.out, l.v.Style)
}

// end writes the rest.
func (l *lines) end() error {
	if !l.v.json {
		if err := l.table.WritePart(l.out, l.v.Style); err != nil {
			return err
		}
		return l.out.Flush()
	}
	if l.n > 0 {
		l.out.WriteString("\n  ")
	}
	l.out.WriteString("]\n}\n")
	return l.out.Flush()
}
