package metadata

import (
	"bufio"
	"io"
	"strings"
)

// WriteText writes the differences for people, one a line: after a minus what the first
// recording alone has, after a plus what the second has. If it is not nil, paint is
// called with each line but the names of changed types, and returns what to write in its
// place, as the line in a colour.
func (d *Diff) WriteText(w io.Writer, paint func(line string, removed bool) string) error {
	out := diffWriter{bufio.NewWriter(w), paint}
	for i := range d.Removed {
		out.line('-', d.Removed[i].fullHead())
	}
	for i := range d.Added {
		out.line('+', d.Added[i].fullHead())
	}
	for i := range d.Changed {
		out.line(' ', "class "+d.Changed[i].Name)
		for _, c := range d.Changed[i].Changes {
			out.change('-', c, c.Before)
			out.change('+', c, c.After)
		}
	}
	return out.Flush()
}

// fullHead returns the beginning of the type's declaration, with its full name.
func (t *Type) fullHead() string {
	if t.Super == "" {
		return "class " + t.Name
	}
	return "class " + t.Name + " extends " + t.Super
}

type diffWriter struct {
	*bufio.Writer
	paint func(line string, removed bool) string
}

// line writes a line behind a sign.
func (w diffWriter) line(sign byte, text string) {
	text = string(sign) + " " + strings.ReplaceAll(text, "\n", `\n`)
	if w.paint != nil && sign != ' ' {
		text = w.paint(text, sign == '-')
	}
	w.WriteString(text + "\n")
}

// change writes one side of a change, if there is one.
func (w diffWriter) change(sign byte, c Change, text string) {
	if text == "" {
		return
	}
	switch {
	case c.Of != "":
		text = c.Of + ": " + text
	case c.Aspect == AspectSuper:
		text = "extends " + text
	case c.Aspect == AspectSimple, c.Aspect == AspectFieldOrder, c.Aspect == AspectSetting:
		text = string(c.Aspect) + ": " + text
	}
	w.line(sign, "  "+text)
}
