package oracle

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const formatLine = "mmapjfr answers 1"

const (
	plainAccount    = "plain"
	finishedAccount = "as-finished"
)

// Text returns the answers in the form that the package comment describes.
func (a *Answers) Text() []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, formatLine)
	fmt.Fprintln(&b, "file", writeName(a.File))
	fmt.Fprintln(&b, "bytes", a.Bytes)
	fmt.Fprintln(&b, "sha256", a.SHA256)
	fmt.Fprintln(&b, "jdk", a.JDK)
	a.Plain.write(&b, plainAccount)
	if a.AsFinished != nil {
		a.AsFinished.write(&b, finishedAccount)
	}
	return b.Bytes()
}

func (a *Account) write(b *bytes.Buffer, title string) {
	fmt.Fprintf(b, "\naccount %s\n", title)
	if s := a.Summary; s.Refused != "" {
		fmt.Fprintln(b, "summary refused:", s.Refused)
	} else {
		fmt.Fprintln(b, "version", s.Version)
		fmt.Fprintln(b, "chunks", s.Chunks)
		fmt.Fprintln(b, "start", s.Start)
		fmt.Fprintln(b, "duration", s.Duration)
	}
	for i, c := range a.Chunks {
		fmt.Fprintf(b, "chunk %d at %d size %d state %d events %d\n", i, c.Offset, c.Size, c.State, c.Events)
		if c.PrintRefused != "" {
			fmt.Fprintf(b, "chunk %d print refused: %s\n", i, c.PrintRefused)
		}
		if c.MetadataRefused != "" {
			fmt.Fprintf(b, "chunk %d metadata refused: %s\n", i, c.MetadataRefused)
		}
	}
	fmt.Fprintln(b, "names")
	names := append(unionOfKeys(a.Summary.Types, a.Events), unionOfKeys(a.Classes, a.Classes)...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		fmt.Fprint(b, writeName(name))
		if c, ok := a.Summary.Types[name]; ok {
			fmt.Fprintf(b, " %d %d", c.Events, c.Bytes)
		} else {
			fmt.Fprint(b, " - -")
		}
		if s, ok := a.Events[name]; ok {
			fmt.Fprintf(b, " %v", s)
		} else {
			fmt.Fprint(b, " - -")
		}
		b.WriteByte(' ')
		for i, h := range a.Classes[name] {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(b, "%016x", h)
		}
		if len(a.Classes[name]) == 0 {
			b.WriteByte('-')
		}
		b.WriteByte('\n')
	}
}

// writeName quotes a name that would not be read back as one word.
func writeName(name string) string {
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7F || c == '"' || c == '`' || c == '\'' {
			return strconv.QuoteToASCII(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

// readName cuts a name written by writeName off the beginning of a line.
func readName(line string) (name, rest string, err error) {
	if !strings.HasPrefix(line, `"`) {
		name, rest, _ = strings.Cut(line, " ")
		return name, rest, nil
	}
	quoted, err := strconv.QuotedPrefix(line)
	if err != nil {
		return "", "", fmt.Errorf("name: %w", err)
	}
	name, err = strconv.Unquote(quoted)
	if err != nil {
		return "", "", fmt.Errorf("name: %w", err)
	}
	return name, strings.TrimPrefix(line[len(quoted):], " "), nil
}
