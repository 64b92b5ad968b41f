package firefox

import (
	"strconv"

	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/internal/profiles"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// function is a function of the page.
type function struct{ name, file string }

// functions are those of the frames of a profile.
type functions struct {
	list    []function
	byFrame []int
	files   []string
	byFile  map[string]int
}

// functions returns the functions of all frames: methods by their names.
func (e *encoder) functions() *functions {
	p := e.t.Profile
	fs := &functions{byFrame: make([]int, p.Frames()), byFile: make(map[string]int)}
	known := make(map[function]int)
	for i := range fs.byFrame {
		f := p.Frame(profile.FrameID(i))
		fn := function{e.o.Names.Frame(f), javaname.SourceFile(f.Method.Class, f.Method.Descriptor)}
		n, ok := known[fn]
		if !ok {
			n = len(fs.list)
			known[fn] = n
			fs.list = append(fs.list, fn)
			if _, ok := fs.byFile[fn.file]; !ok && fn.file != "" {
				fs.byFile[fn.file] = len(fs.files)
				fs.files = append(fs.files, fn.file)
			}
		}
		fs.byFrame[i] = n
	}
	return fs
}

// Values of whole columns.
var none, minus, zero = same("null"), same("-1"), same("0")

// shared writes the tables of all threads: stacks and frames have the numbers of the profile. It comes
// last, when all strings are known.
func (e *encoder) shared() {
	fs := e.functions()
	e.raw(`{"stackTable":{`)
	e.stackTable()
	e.raw(`,"frameTable":{`)
	e.frameTable(fs)
	e.raw(`,"funcTable":{`)
	e.funcTable(fs)
	e.raw(`,"resourceTable":{"name":[],"host":[],"type":[],"length":0},"nativeSymbols":{"libIndex":[],"address":[],"name":[],"functionSize":[],"length":0},"sources":{`)
	n := len(fs.files)
	e.column("id", n, none)
	e.column("filename", n, func(dst []byte, i int) []byte { return appendInt(dst, e.text(fs.files[i])) })
	e.column("startLine", n, same("1"))
	e.column("startColumn", n, same("1"))
	e.column("sourceMapURL", n, none)
	e.column("content", n, none)
	e.length(n)
	e.raw(`,"sourceLocationTable":{"source":[],"line":[],"column":[],"length":0},"stringArray":[`)
	for i, s := range e.list {
		if i > 0 {
			e.raw(",")
		}
		e.string(s)
	}
	e.raw("]}")
}

func appendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

// stackTable writes the stacks but the empty one, which is null.
func (e *encoder) stackTable() {
	p := e.t.Profile
	n := profiles.Stacks(p) - 1
	e.column("frame", n, func(dst []byte, i int) []byte {
		frame, _ := profiles.Innermost(p, profile.StackID(i+1))
		return appendInt(dst, int(frame))
	})
	e.column("prefixOffset", n, func(dst []byte, i int) []byte {
		_, caller := profiles.Innermost(p, profile.StackID(i+1))
		if caller == 0 {
			return append(dst, '0')
		}
		return appendInt(dst, i+1-int(caller))
	})
	e.length(n)
}

func (e *encoder) frameTable(fs *functions) {
	n := len(fs.byFrame)
	frame := func(i int) profile.Frame { return e.t.Profile.Frame(profile.FrameID(i)) }
	e.column("address", n, minus)
	e.column("lib", n, minus)
	e.column("inlineDepth", n, zero)
	for _, name := range []string{"nativeSymbol", "innerWindowID", "column", "originalLocation"} {
		e.column(name, n, none)
	}
	e.column("category", n, func(dst []byte, i int) []byte { return appendInt(dst, frameCategories[frame(i).Kind].category) })
	e.column("subcategory", n, func(dst []byte, i int) []byte { return appendInt(dst, frameCategories[frame(i).Kind].subcategory) })
	e.column("func", n, func(dst []byte, i int) []byte { return appendInt(dst, fs.byFrame[i]) })
	e.column("line", n, func(dst []byte, i int) []byte {
		if line := frame(i).Line; line > 0 {
			return appendInt(dst, int(line))
		}
		return append(dst, "null"...)
	})
	e.length(n)
}

func (e *encoder) funcTable(fs *functions) {
	n := len(fs.list)
	e.column("name", n, func(dst []byte, i int) []byte { return appendInt(dst, e.text(fs.list[i].name)) })
	e.column("isJS", n, same("false"))
	e.column("relevantForJS", n, same("false"))
	e.column("resource", n, minus)
	e.column("source", n, func(dst []byte, i int) []byte {
		if file, ok := fs.byFile[fs.list[i].file]; ok {
			return appendInt(dst, file)
		}
		return append(dst, "null"...)
	})
	for _, name := range []string{"lineNumber", "columnNumber", "originalLocation"} {
		e.column(name, n, none)
	}
	e.length(n)
}
