package jfc

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// MaxBytes is the greatest size of a file that [Read] takes. Those of the JDK have 40 kB.
const MaxBytes = 4 << 20

// maxDepth is how deep elements may lie in each other.
const maxDepth = 100

var (
	// ErrParse says that a file is no XML, or not that of a .jfc file.
	ErrParse = errors.New("it is not a .jfc file")
	// ErrUse says that a .jfc file lacks something, or contradicts itself or another file.
	ErrUse = errors.New("it is not a usable .jfc file")
)

// fileError is an error of a file in words for people. It matches [ErrParse] or [ErrUse].
type fileError struct {
	text string
	kind error
}

func (e *fileError) Error() string { return e.text }
func (e *fileError) Unwrap() error { return e.kind }

func useError(text string) error { return &fileError{text, ErrUse} }

func parseError(format string, args ...any) error {
	return &fileError{fmt.Sprintf(format, args...), ErrParse}
}

// Read reads a .jfc file. An error matches [ErrParse], [ErrUse], or is one of the reader.
func Read(r io.Reader) (*File, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > MaxBytes:
		return nil, parseError("It is larger than %d MB; .jfc files of a JDK have 40 kB", MaxBytes>>20)
	}
	p := parser{decoder: xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))}
	// The JDK takes every file for UTF-8, too, whatever the file says.
	p.decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	if err := p.parse(); err != nil {
		return nil, err
	}
	if err := p.root.validate(); err != nil {
		return nil, err
	}
	f := &File{root: p.root}
	if err := f.wire(); err != nil {
		return nil, err
	}
	return f, nil
}

// parser makes elements of XML.
type parser struct {
	decoder *xml.Decoder
	root    *element
	open    []*element
	names   []string // of the open elements, as they are written
	text    strings.Builder
}

func (p *parser) parse() error {
	var syntax *xml.SyntaxError
	for {
		token, err := p.decoder.RawToken()
		switch {
		case errors.Is(err, io.EOF) && p.root == nil:
			return parseError("It has no elements")
		case errors.Is(err, io.EOF) && len(p.open) > 0:
			return parseError("It ends inside <%s>", p.names[len(p.names)-1])
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &syntax):
			return parseError("It is no XML: line %d: %s", syntax.Line, syntax.Msg)
		case err != nil:
			return parseError("It is no XML: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			err = p.start(token)
		case xml.CharData:
			p.text.Write(token)
		case xml.EndElement:
			err = p.end(qualified(token.Name))
		}
		if err != nil {
			return err
		}
	}
}

func qualified(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

// blanks makes spaces of the characters that XML takes for spaces in attributes.
var blanks = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")

func (p *parser) start(token xml.StartElement) error {
	name := qualified(token.Name)
	var parent *element
	switch {
	case p.root == nil && !strings.EqualFold(name, kinds[configuration]):
		return parseError("Expected root element to be named 'configuration'")
	case p.root != nil && len(p.open) == 0:
		return parseError("It has an element <%s> after its end", name)
	case len(p.open) == maxDepth:
		return parseError("Its elements lie more than %d deep in each other", maxDepth)
	case p.root != nil:
		parent = p.open[len(p.open)-1]
	}
	e := newElement(name, parent)
	for _, a := range token.Attr {
		e.setAttribute(qualified(a.Name), blanks.Replace(a.Value))
	}
	if parent == nil {
		p.root = e
	} else {
		parent.children = append(parent.children, e)
	}
	p.open, p.names = append(p.open, e), append(p.names, name)
	return nil
}

func (p *parser) end(name string) error {
	last := len(p.open) - 1
	if last < 0 || p.names[last] != name {
		return parseError("Unexpected </%s>", name)
	}
	// As in the JDK, text before an element is part of the content of that element.
	if content := strings.TrimFunc(p.text.String(), isBlank); content != "" {
		p.open[last].content = content
		p.text.Reset()
	}
	p.open, p.names = p.open[:last], p.names[:last]
	return nil
}

// isBlank reports whether Java's Character.isWhitespace does.
func isBlank(r rune) bool {
	switch r {
	case '\u0085', '\u00a0', '\u2007', '\u202f':
		return false
	}
	return unicode.IsSpace(r) || '\x1c' <= r && r <= '\x1f'
}
