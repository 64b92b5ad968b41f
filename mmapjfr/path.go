package mmapjfr

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// FieldPath leads from an event or a struct to a value inside it: names of
// fields separated by dots, and positions in arrays, as in
// "sampledThread.javaName" or "stackTrace.frames[0].method.name". Constants are
// followed; types that only wrap their one field are looked through. A field
// whose own name has dots is named as it is.
//
// Make a path once and keep it. It is resolved once for each layout of each
// type, and reading by it is then a matter of positions. Paths with the same
// text are the same; they are kept as long as the program runs.
type FieldPath struct {
	id    int
	text  string
	parts []pathPart
}

// pathPart is a step: into a field, or to an element of an array.
type pathPart struct {
	name  string
	index int // -1 for a field
}

var paths struct {
	mu     sync.Mutex
	byText map[string]*FieldPath
}

// Path returns the path with that text. It panics if the text is not a path:
// use [ParsePath] for texts that do not come from the program itself.
func Path(text string) *FieldPath {
	p, err := ParsePath(text)
	if err != nil {
		panic(err)
	}
	return p
}

// ParsePath returns the path with that text. It fails if the text is not a
// path, and tells at which character.
func ParsePath(text string) (*FieldPath, error) {
	paths.mu.Lock()
	defer paths.mu.Unlock()
	if p := paths.byText[text]; p != nil {
		return p, nil
	}
	parts, err := parseParts(text)
	if err != nil {
		return nil, err
	}
	if paths.byText == nil {
		paths.byText = make(map[string]*FieldPath)
	}
	text = strings.Clone(text)
	p := &FieldPath{id: len(paths.byText), text: text, parts: parts}
	paths.byText[text] = p
	return p, nil
}

func parseParts(text string) (parts []pathPart, err error) {
	wrong := func(at int, what string) error {
		return fmt.Errorf("mmapjfr: field path %q: %s at character %d", text, what, utf8.RuneCountInString(text[:at])+1)
	}
	text = strings.Clone(text)
	for at := 0; ; {
		end := at + strings.IndexAny(text[at:]+".", ".[]")
		if end == at {
			return nil, wrong(at, "a field name is missing")
		}
		parts = append(parts, pathPart{text[at:end], -1})
		at = end
		for at < len(text) && text[at] == '[' {
			size := strings.IndexByte(text[at:], ']')
			if size < 0 {
				return nil, wrong(at, "a bracket is not closed")
			}
			i, err := strconv.ParseUint(text[at+1:at+size], 10, 31)
			if err != nil {
				return nil, wrong(at+1, "an element is not a number")
			}
			parts = append(parts, pathPart{"", int(i)})
			at += size + 1
		}
		if at == len(text) {
			return parts, nil
		}
		if text[at] != '.' {
			return nil, wrong(at, "there should be a dot")
		}
		at++
	}
}

// String returns the text of the path.
func (p *FieldPath) String() string { return p.text }
