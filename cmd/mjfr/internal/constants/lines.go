package constants

import (
	"bufio"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/jsonout"
)

// lines writes any number of lines, or elements of a JSON list, without keeping
// them.
type lines struct {
	v     *verb
	table *terminal.Table
	out   *bufio.Writer
	n     int // how many there are
	kept  int // of these, how many have not been written yet
}

// newLines begins a table, or a JSON document with a list of that name.
func (v *verb) newLines(name string) *lines {
	l := &lines{v: v, table: terminal.NewTable(v.columns()...), out: bufio.NewWriter(v.Stdout)}
	if v.json {
		l.out.WriteString("{\n  \"" + name + "\": [")
	}
	return l
}

// full tells whether there are as many as are wanted.
func (l *lines) full() bool { return l.v.max > 0 && l.n == l.v.max }

// add writes one more: the document, or what row adds to the table.
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
	if l.kept++; l.kept < partLines {
		return nil
	}
	l.kept = 0
	return l.table.WritePart(l.out, l.v.Style)
}

// end writes what is left.
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
