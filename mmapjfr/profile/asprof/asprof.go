// Package asprof reads the flame graph pages of async-profiler and of its converter jfrconv, of
// which people have only the picture left: a profile of one number, without the times of samples.
//
//	f, err := os.Open("cpu.html")
//	...
//	p, err := asprof.Read(f, asprof.ReadOptions{})
//
// A page of reversed stacks is read as it was drawn. What a page hides as too narrow counts for the
// callers.
package asprof

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"strconv"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// ReadOptions say how a page is read.
type ReadOptions struct {
	// Column is what the numbers of the page count. The zero Column is for [profile.Untyped].
	Column profile.Column
	// MaxBytes is how many bytes are read; 0 is 512 MiB.
	MaxBytes int64
}

const defaultMaxBytes = 512 << 20

// maxLine is the length of the longest line, far beyond those of pages.
const maxLine = 16 << 20

// kinds are the kinds of frames by their number in a page, and oldKinds those of version 2.8 and
// before.
var (
	kinds = []profile.FrameKind{
		profile.Interpreted, profile.JITCompiled, profile.Inlined, profile.Native, profile.Cpp, profile.Kernel, profile.C1Compiled,
	}
	oldKinds = []profile.FrameKind{profile.JITCompiled, profile.Inlined, profile.Kernel, profile.Cpp, profile.Native}
)

// NoFlameGraph is the reason of the error of Read for other pages.
const NoFlameGraph = "the page has no flame graph of async-profiler or jfrconv"

// Read returns the profile of a page. Each frame has the kind in which it was drawn. The bytes of all
// names have a limit, see [profile.MaxText]. Errors match [profile.ErrFormat] and have the line, or are those of the reader.
func Read(r io.Reader, o ReadOptions) (*profile.Profile, error) {
	kind := profile.Untyped()
	if o.Column.Kind != nil {
		kind = *o.Column.Kind
	}
	p := profile.New()
	p.AddKind(kind)
	d := page{p: p, kind: kind.Name, values: make([]int64, len(kind.Values)), column: o.Column.Value, kinds: kinds, frames: make(map[frameKey]profile.FrameID)}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	most := cmp.Or(o.MaxBytes, defaultMaxBytes)
	n, size := 0, int64(0)
	for lines.Scan() {
		n++
		reason := d.line(bytes.TrimSuffix(lines.Bytes(), []byte("\r")))
		if size += int64(len(lines.Bytes())) + 1; size > most {
			reason = profile.TooLarge(most)
		} else if d.text > profile.MaxText {
			reason = profile.TooMuchText
		}
		if reason != "" {
			return nil, &profile.FormatError{Line: n, Reason: reason}
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, &profile.FormatError{Line: n + 1, Reason: "it is longer than 16 MiB; " + NoFlameGraph}
	}
	if lines.Err() == nil && d.calls == 0 {
		return nil, &profile.FormatError{Line: n, Reason: NoFlameGraph}
	}
	d.leave(0)
	return p, lines.Err()
}

// page reads the lines of a page. Frames are calls of functions f, u and n in the order of a walk
// from the root; u is a callee of the frame before, n the next callee of its caller.
type page struct {
	p      *profile.Profile
	kind   string
	values []int64
	column int
	kinds  []profile.FrameKind

	inPool bool
	names  []string // by number
	text   int      // the bytes of all names
	frames map[frameKey]profile.FrameID
	calls  int
	colors int // in the palette
	path   []open
	// level, left and width are those of the frame before.
	level, left, width int64
}

type frameKey struct {
	name string
	kind profile.FrameKind
}

// open is a frame whose callees are being read.
type open struct {
	left, width int64
	self        int64 // without the callees so far
	stack       profile.StackID
	labels      profile.Labels
}

// line reads a line, and returns what is wrong with it.
func (d *page) line(text []byte) (reason string) {
	switch {
	case d.inPool && bytes.HasPrefix(text, []byte("'")):
		name, rest, ok := unquote(text)
		if !ok || len(rest) > 1 {
			return "it is not one quoted name"
		}
		d.text += len(name)
		d.names = append(d.names, name)
	case d.inPool && len(text) > 0 && text[0] == ']':
		d.inPool = false
	case bytes.HasPrefix(text, []byte("const cpool = [")):
		d.inPool = true
	case bytes.HasPrefix(text, []byte("unpack(cpool)")):
		return d.unpack()
	case bytes.HasPrefix(bytes.TrimLeft(text, "\t "), []byte("[0x")): // as in [0xb2e1b2, 20, 20, 20],
		if d.colors++; d.colors <= len(oldKinds) {
			d.kinds = oldKinds
		} else {
			d.kinds = kinds
		}
	case len(text) > 2 && text[1] == '(' && (text[0] == 'f' || text[0] == 'u' || text[0] == 'n'):
		return d.call(text[0], text[2:])
	}
	return ""
}

// call reads a frame.
func (d *page) call(function byte, text []byte) (reason string) {
	a, title, isOld, ok := arguments(text)
	if !ok {
		return "it is not a frame of a flame graph"
	}
	d.calls++
	if isOld { // f(level, left, width, type, 'title')
		return d.frame(a[0], a[1], a[2], title, a[3])
	}
	key, level, left, width := a[0], d.level, d.left, d.width
	switch function {
	case 'f':
		level, left = a[1], left+a[2]
		a[1] = a[3]
	case 'u':
		level++
	case 'n':
		left += width
	}
	if a[1] != 0 {
		width = a[1]
	}
	if key>>3 >= int64(len(d.names)) {
		return "its name is number " + strconv.FormatInt(key>>3, 10) + ", and there are " + strconv.Itoa(len(d.names))
	}
	return d.frame(level, left, width, d.names[key>>3], key&7)
}

// maxArguments is how many numbers a frame has at most.
const maxArguments = 7

// arguments returns the numbers of a call, and the title if it has one, as version 2 writes it in
// the place of the fifth.
func arguments(text []byte) (a [maxArguments]int64, title string, isOld, ok bool) {
	text = bytes.TrimRight(text, ";")
	text, ok = bytes.CutSuffix(text, []byte(")"))
	for i := 0; ok; i++ {
		if i == 4 && bytes.HasPrefix(text, []byte("'")) {
			title, _, ok = unquote(text)
			return a, title, true, ok
		}
		number, rest, more := bytes.Cut(text, []byte(","))
		n, err := strconv.ParseInt(string(number), 10, 62)
		if i >= maxArguments || err != nil || n < 0 && i != 2 { // the left side may move to the left
			return a, "", false, false
		}
		a[i] = n
		if text = rest; !more {
			return a, "", false, true
		}
	}
	return a, "", false, false
}

// frame adds a frame, once those that it is not called by have ended.
func (d *page) frame(level, left, width int64, title string, kind int64) (reason string) {
	d.level, d.left, d.width = level, left, width
	if level < 0 || level > int64(len(d.path)) || level == 0 && len(d.path) > 0 {
		return "its level is " + strconv.FormatInt(level, 10) + ", right after " + strconv.Itoa(len(d.path)-1)
	}
	switch {
	case d.p.Stacks() > profile.MaxStacks:
		return profile.TooManyStacks
	case level > profile.MaxDepth:
		return profile.TooDeep
	}
	d.leave(int(level))
	at := open{left: left, width: width, self: width}
	if level > 0 {
		caller := &d.path[level-1]
		if left < caller.left || left+width > caller.left+caller.width || width > caller.self {
			return "it is not as wide as its caller, or less"
		}
		caller.self -= width
		at.stack, at.labels = caller.stack, caller.labels
		if l, ok := profile.ParseThread(title); ok && level == 1 {
			at.labels = l
		} else {
			at.stack = d.p.Push(caller.stack, d.named(title, d.kinds[min(kind, int64(len(d.kinds)-1))]))
		}
	}
	d.path = append(d.path, at)
	return ""
}

func (d *page) named(title string, kind profile.FrameKind) profile.FrameID {
	f, ok := d.frames[frameKey{title, kind}]
	if !ok {
		d.text += len(title)
		f = d.p.AddFrame(d.p.NamedFrame(title, kind))
		d.frames[frameKey{title, kind}] = f
	}
	return f
}

// leave ends the frames from a level on. What their callees leave are samples of their own.
func (d *page) leave(level int) {
	for len(d.path) > level {
		f := d.path[len(d.path)-1]
		d.path = d.path[:len(d.path)-1]
		if f.self > 0 {
			d.values[d.column] = f.self
			d.p.Add(d.kind, f.stack, d.p.AddLabels(f.labels), d.values...)
		}
	}
}

// Detect reports whether a file with this beginning is a web page, of whatever program.
func Detect(head []byte) bool {
	const enough = 200
	start := bytes.ToLower(bytes.TrimSpace(head[:min(len(head), enough)]))
	return bytes.HasPrefix(start, []byte("<!doctype html")) || bytes.HasPrefix(start, []byte("<html"))
}
