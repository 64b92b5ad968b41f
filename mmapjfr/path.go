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
// # Computed fields
//
// Besides the fields that the metadata describes there are computed ones, which make the
// same question mean the same for every event and every struct.
// Of events:
//
//   - @type: the name of the event type, such as "jdk.ThreadPark".
//   - @start: when the event began: the field startTime.
//   - @end: when it ended: startTime and duration.
//   - @duration: how long it lasted: the field duration, and 0 for events of types that
//     have a start time and no duration.
//   - @thread: the thread that it happened in or that was sampled: the field eventThread,
//     or else sampledThread, thread, or the first field that is a thread. So does thread,
//     where there is no field with that name.
//   - @stack: the stack trace: the field stackTrace, or else the first that is one.
//   - @top: the innermost frame of @stack.
//   - @class: the class that it is about: the first field that is a class, such as
//     objectClass, monitorClass, parkedClass, thrownClass, loadedClass, and for
//     jdk.OldObjectSample object.type.
//   - @offset: where it begins in the file, @size: how many bytes it takes, and @chunk: the
//     number of its chunk, from 0. For these there is no struct to ask: a [Value] that is
//     an event knows neither @offset nor @size.
//
// Of structs:
//
//   - a thread has name, which is that in Java or else that of the operating system, and
//     javaId and osId, which are null where it has none, and virtual;
//   - a class has name, as in Java: "java.lang.String", "byte[]";
//   - a method has signature, "java.lang.String.indexOf(String, int)", and class;
//   - a frame has text, which is its method and its line as NDJSON and CSV have them,
//     "java.lang.Thread.run():1474", class and line;
//   - a stack trace has top, its innermost frame.
//
// A name means the recorded field where a type has both, but for the name of a class, which
// is recorded as the virtual machine writes it. @raw is that: "java/lang/String" or "[B" of
// a class, "java/lang/String.indexOf(Ljava/lang/String;I)I" of a method. Names that follow
// @raw mean what is recorded in any case: "objectClass.@raw.name".
//
// [Value.Str] gives the text of a thread, class, method, frame, class loader or thread group,
// so that Event.Str with the path "@thread" is the name of the thread, and a
// string can be bound to it.
//
// Make a path once and keep it. It is resolved once for each layout of each
// type, and reading by it is then a matter of positions. Paths with the same
// text are the same; they are kept as long as the program runs. Methods that read by a
// path panic if it is nil.
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

// check panics if there is no path: the program is wrong, and no recording is.
func (p *FieldPath) check() {
	if p == nil {
		panic("mmapjfr: nil FieldPath")
	}
}

var paths struct {
	mu      sync.Mutex
	byText  map[string]*FieldPath
	byField map[string]*FieldPath // those of one field whose name is no path, or another one
	n       int
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
// path, and says at which character.
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
	p := newPath(text, parts)
	paths.byText[p.text] = p
	return p, nil
}

// newPath makes a path, under the lock of them all.
func newPath(text string, parts []pathPart) *FieldPath {
	p := &FieldPath{id: paths.n, text: strings.Clone(text), parts: parts}
	paths.n++
	return p
}

// path returns the path that leads from a struct or an event with the field to its value, whatever its name is: that may be
// empty, or have brackets or dots.
func (f Field) path() *FieldPath {
	name := f.Name()
	if name != "" && !strings.ContainsAny(name, ".[]") {
		return Path(name)
	}
	paths.mu.Lock()
	defer paths.mu.Unlock()
	p := paths.byField[name]
	if p == nil {
		if paths.byField == nil {
			paths.byField = make(map[string]*FieldPath)
		}
		name = strings.Clone(name)
		p = newPath(name, []pathPart{{name, -1}})
		paths.byField[name] = p
	}
	return p
}

// maxSteps is how many steps a path has at most, so that hostile ones are cheap: the longest in
// recordings have about ten.
const maxSteps = 200

func parseParts(text string) (parts []pathPart, err error) {
	wrong := func(at int, what string) error {
		return fmt.Errorf("field path %q: %s at character %d", text, what, utf8.RuneCountInString(text[:at])+1)
	}
	if strings.Count(text, ".")+strings.Count(text, "[") >= maxSteps {
		return nil, fmt.Errorf("field path %.60q...: it has more than %d steps", text, maxSteps)
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
			return nil, wrong(at, "expected a dot")
		}
		at++
	}
}

// String returns the text of the path.
func (p *FieldPath) String() string { return p.text }
