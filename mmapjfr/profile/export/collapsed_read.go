package export

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/internal/profiles"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

const defaultCollapsedBytes = 4 << 30

// maxLine is the length of the longest line, far beyond those that profilers write.
const maxLine = 16 << 20

// readCollapsed returns the profile of collapsed stacks. Suffixes say how methods were executed, as
// writeCollapsed writes them; an outermost frame such as [main tid=1] is the thread. Empty lines and
// comments, which begin with #, do not count. If all lines have two numbers, as those that compare
// two profiles do, the second one counts, and a note says so.
func readCollapsed(r io.Reader, o *ReadOptions) (*profile.Profile, error) {
	kind := Untyped()
	if o.Column.Kind != nil {
		kind = *o.Column.Kind
	}
	d, diff := newLineReader(kind, o.Column.Value), newLineReader(kind, o.Column.Value)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	most := cmp.Or(o.MaxBytes, defaultCollapsedBytes)
	n, size := 0, int64(0)
	for lines.Scan() {
		n++
		if size += int64(len(lines.Bytes())) + 1; size > most {
			return nil, &FormatError{Line: n, Reason: tooLarge(most)}
		}
		text := bytes.TrimSuffix(lines.Bytes(), []byte("\r"))
		if isComment(text) {
			continue
		}
		stack, count, reason := cutCount(text)
		if reason == "" {
			reason = d.add(stack, count)
		}
		if reason != "" {
			return nil, &FormatError{Line: n, Reason: reason}
		}
		if diff == nil {
			continue
		}
		if stack, _, reason = cutCount(stack); reason != "" || diff.add(stack, count) != "" {
			diff = nil
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, &FormatError{Line: n + 1, Reason: "it is longer than 16 MB, which no stack is"}
	}
	if diff != nil && profiles.Stacks(diff.p) > 1 {
		d = diff
		d.p.AddNote(kind.Name + ": the lines have two numbers, as those that compare two profiles do; the second one counts")
	}
	return d.p, lines.Err()
}

// lineReader adds lines to a profile.
type lineReader struct {
	p       *profile.Profile
	kind    string
	values  []int64
	column  int
	frames  map[string]profile.FrameID
	threads map[string]profile.LabelsID
	text    int // the bytes of all names
}

func newLineReader(kind profile.Kind, column int) *lineReader {
	p := profile.New()
	p.AddKind(kind)
	return &lineReader{p: p, kind: kind.Name, values: make([]int64, len(kind.Values)), column: column, frames: make(map[string]profile.FrameID), threads: make(map[string]profile.LabelsID)}
}

// isComment reports whether a line has no stack.
func isComment(text []byte) bool {
	if len(text) == 0 || text[0] != '#' || bytes.HasPrefix(text, []byte("# ")) {
		return len(text) == 0 || text[0] == '#'
	}
	_, _, wrong := cutCount(text)
	return wrong != ""
}

// cutCount returns the stack and the count of a line, or what is wrong with it.
func cutCount(text []byte) (stack []byte, n int64, reason string) {
	blank := bytes.LastIndexByte(text, ' ')
	last := string(text[blank+1:])
	n, err := strconv.ParseInt(last, 10, 64)
	isNumber := err == nil || errors.Is(err, strconv.ErrRange)
	if !isNumber && last != "" && strings.IndexByte("-0123456789", last[0]) >= 0 {
		_, notFloat := strconv.ParseFloat(last, 64)
		isNumber = notFloat == nil
	}
	switch {
	case blank < 0 || !isNumber:
		return nil, 0, "it does not end with a blank and a count, as collapsed stacks do"
	case n < 0 || last[0] == '-':
		return nil, 0, "its count is negative"
	case errors.Is(err, strconv.ErrRange):
		return nil, 0, "its count is greater than 9,223,372,036,854,775,807"
	case err != nil:
		return nil, 0, "its count is a fraction"
	}
	return text[:blank], n, ""
}

// add adds a stack, and returns what is wrong with it.
func (d *lineReader) add(rest []byte, n int64) (reason string) {
	if profiles.Stacks(d.p) > maxStacks {
		return tooManyStacks
	}
	stack, labels, hasThread := profile.StackID(0), profile.LabelsID(0), false
	for i := 0; len(rest) > 0; i++ {
		if i > maxDepth {
			return tooDeep
		}
		var name []byte
		name, rest, _ = bytes.Cut(rest, []byte(";"))
		if len(name) == 0 {
			continue
		}
		if i == 0 && bytes.HasPrefix(name, []byte("[")) {
			if labels, hasThread = d.thread(name); hasThread {
				continue
			}
		}
		f, ok := d.frames[string(name)]
		if !ok {
			d.text += len(name)
			f = d.frame(string(name))
			d.frames[string(name)] = f
		}
		stack = d.p.Push(stack, f)
	}
	if d.text > maxText {
		return tooMuchText
	}
	if stack == 0 && !hasThread { // a count alone
		stack = d.p.Push(0, d.p.AddText(profile.NoStack))
	}
	if !hasThread {
		labels = d.p.AddLabels(profile.Labels{})
	}
	d.values[d.column] = n
	d.p.Add(d.kind, stack, labels, d.values...)
	return ""
}

// thread returns the labels of a thread. It is false for other names.
func (d *lineReader) thread(name []byte) (id profile.LabelsID, ok bool) {
	if id, ok = d.threads[string(name)]; ok {
		return id, true
	}
	l, ok := parseThread(string(name))
	if ok {
		d.text += len(name)
		id = d.p.AddLabels(l)
		d.threads[string(name)] = id
	}
	return id, ok
}

// frame adds the frame of a name.
func (d *lineReader) frame(name string) profile.FrameID {
	kind := profile.Unknown
	for k, suffix := range suffixes {
		if text, ok := strings.CutSuffix(name, suffix); ok {
			name, kind = text, k
			break
		}
	}
	return d.p.AddFrame(namedFrame(name, kind))
}

// firstLine is the first line of collapsed stacks, after comments: names with semicolons, or one
// without blanks.
var firstLine = lazy.Regexp(`^(#.*\n|\r?\n)*([^\x00-\x1f{<][^\x00-\x1f;]*;[^\x00-\x1f]*|[^\x00-\x20{<#]+) \d+\r?(\n|$)`)

// isCollapsed reports whether a file with this beginning holds collapsed stacks. The first one may be
// longer than the beginning.
func isCollapsed(head []byte) bool {
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		return firstLine().Match(head[:i+1])
	}
	const many = 10
	return firstLine().Match(head) || bytes.Count(head, []byte(";")) > many && !bytes.ContainsAny(head, "{}\x00")
}
