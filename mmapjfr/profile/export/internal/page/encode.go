package page

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// formatVersion is the version of the data that FORMAT.md describes.
const formatVersion = 2

// header is the part of the data that is JSON.
type header struct {
	Version int      `json:"version"`
	Title   string   `json:"title"`
	Base    string   `json:"base"`
	About   string   `json:"about,omitempty"`
	Sets    int      `json:"sets"`
	Start   int64    `json:"start"` // milliseconds since 1970; 0 if it is not known
	End     int64    `json:"end"`
	Notes   []string `json:"notes"`
	// Warnings are the notes that samples are missing or that numbers are in doubt.
	Warnings []string     `json:"warnings,omitempty"`
	Kinds    []headerKind `json:"kinds"`
	// Cell is the length of cells in milliseconds, First the time of the first one, in cells since
	// 1970, and Cells how many there are; without cells they are 0.
	Cell  int64 `json:"cell"`
	First int64 `json:"first"`
	Cells int64 `json:"cells"`
}

type headerKind struct {
	Name   string        `json:"name"`
	Title  string        `json:"title"`
	Values []headerValue `json:"values"`
}

type headerValue struct {
	Name  string       `json:"name"`
	Unit  profile.Unit `json:"unit"`
	Scale int64        `json:"scale"` // what the numbers of the data are multiplied by
}

// encode returns the data of the page, as FORMAT.md describes it.
func encode(p *profile.Profile, o *Options, c *cells) []byte {
	return newTree(o.Names, p, o.Base, c).encode(p, o)
}

// encode returns the tree as data, with what a profile and options say besides.
func (t *tree) encode(p *profile.Profile, o *Options) []byte {
	h := header{Version: formatVersion, Title: visible(o.Title), Base: visible(o.BaseTitle), About: visible(o.About), Sets: 1, Notes: append([]string{}, p.Notes()...), Kinds: []headerKind{}}
	h.Warnings = p.Warnings()
	if o.Base != nil {
		h.Sets = 2
		for _, note := range o.Base.Warnings() {
			h.Warnings = append(h.Warnings, visible(cmp.Or(o.BaseTitle, "before")+": ")+note)
		}
	}
	if start, end := p.Span(); !start.IsZero() {
		h.Start, h.End = start.UnixMilli(), end.UnixMilli()
	}
	if c := t.cells; c != nil {
		h.Cell, h.First, h.Cells = c.length/1e6, c.first, int64(c.last)+1
	}
	for i, k := range t.kinds {
		kind := headerKind{Name: k.Name, Title: cmp.Or(k.Title, k.Name)}
		for j, v := range k.Values {
			kind.Values = append(kind.Values, headerValue{v.Name, v.Unit, t.scale(i, j)})
		}
		h.Kinds = append(h.Kinds, kind)
	}
	text, _ := json.Marshal(h) // strings and numbers can be written
	var e encoder
	e.uint(len(text))
	e.data = append(e.data, text...)
	e.threads(t.sortedThreads())
	e.names(t.names)
	e.nodes(t)
	e.rows(t, h.Sets, &h)
	return e.data
}

// scale returns the greatest number by which all numbers of a value can be divided.
func (t *tree) scale(kind, value int) int64 {
	scale := int64(0)
	for i := range t.rows {
		if int(t.rows[i].kind) == kind {
			for n := t.rows[i].values[value]; n != 0; {
				scale, n = n, scale%n
			}
		}
	}
	return max(scale, -scale, 1)
}

// encoder appends numbers and texts to data.
type encoder struct{ data []byte }

func (e *encoder) uint(n int)  { e.data = binary.AppendUvarint(e.data, uint64(n)) }
func (e *encoder) int(n int64) { e.data = binary.AppendVarint(e.data, n) }

func (e *encoder) threads(list []thread) {
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.name
	}
	e.names(names)
	last := int64(0)
	for _, t := range list {
		e.int(t.id - last)
		last = t.id
	}
}

// names appends sorted texts: how long what each has in common with the one before it is, how long
// the rest of each, and the rests.
func (e *encoder) names(names []string) {
	e.uint(len(names))
	common := make([]int, len(names))
	for i, name := range names {
		if i > 0 {
			common[i] = commonPrefix(names[i-1], name)
		}
		e.uint(utf16Length(name[:common[i]]))
	}
	rests := 0
	for i, name := range names {
		e.uint(utf16Length(name[common[i]:]))
		rests += len(name) - common[i]
	}
	e.uint(rests)
	for i, name := range names {
		e.data = append(e.data, name[common[i]:]...)
	}
}

// commonPrefix returns how many bytes two texts have in common, without parts of characters.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && (n < len(b) && !utf8.RuneStart(b[n]) || n < len(a) && !utf8.RuneStart(a[n])) {
		n--
	}
	return n
}

// utf16Length returns the length of a text as JavaScript has it.
func utf16Length(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// nodeFrame is what nodes are numbered by: the name and how it was executed.
type nodeFrame struct {
	name uint32
	kind profile.FrameKind
}

// nodes appends the frames, in the order of their names, and the nodes.
func (e *encoder) nodes(t *tree) {
	frames := make([]nodeFrame, len(t.nodes.Nodes))
	numbers := make(map[nodeFrame]int)
	for i := 1; i < len(frames); i++ {
		frames[i] = nodeFrame{t.nodes.Nodes[i].Name, profile.FrameKind(t.nodes.Nodes[i].Kind)}
		numbers[frames[i]] = 0
	}
	list := slices.SortedFunc(maps.Keys(numbers), func(a, b nodeFrame) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.kind, b.kind))
	})
	e.uint(len(list))
	last := uint32(0)
	for i, f := range list {
		e.uint(int(f.name - last))
		last = f.name
		numbers[f] = i
	}
	for _, f := range list {
		e.uint(int(f.kind))
	}
	e.uint(len(t.nodes.Nodes) - 1)
	depths := make([]int, len(t.nodes.Nodes))
	for i := 1; i < len(t.nodes.Nodes); i++ {
		depths[i] = depths[t.nodes.Nodes[i].Parent] + 1
		e.uint(depths[i-1] + 1 - depths[i])
	}
	for _, f := range frames[1:] {
		e.uint(numbers[f])
	}
}

// rows appends the rows of each set and kind.
func (e *encoder) rows(t *tree, sets int, h *header) {
	rest := t.rows
	for set := range sets {
		for kind := range h.Kinds {
			n := 0
			for n < len(rest) && int(rest[n].set) == set && int(rest[n].kind) == kind {
				n++
			}
			e.columns(rest[:n], h.Kinds[kind].Values, t.cells != nil)
			rest = rest[n:]
		}
	}
}

// columns appends rows by column. The rows of a thread are a group.
func (e *encoder) columns(rows []treeRow, values []headerValue, cells bool) {
	var starts []int // of groups
	for i := range rows {
		if i == 0 || rows[i].thread != rows[i-1].thread {
			starts = append(starts, i)
		}
	}
	e.uint(len(starts))
	last := uint32(0)
	for _, i := range starts {
		e.uint(int(rows[i].thread - last))
		last = rows[i].thread
	}
	starts = append(starts, len(rows))
	for i, start := range starts[1:] {
		e.uint(start - starts[i])
	}
	if cells {
		e.differences(rows, func(r *treeRow) int { return int(r.cell) })
		for _, r := range rows {
			e.uint(int(r.node))
		}
	} else {
		e.differences(rows, func(r *treeRow) int { return int(r.node) })
	}
	for i, v := range values {
		e.column(rows, i, v.Scale, i > 0 && sameNumbers(rows, i, values))
	}
}

// differences appends numbers of rows, as differences to the row before in the group.
func (e *encoder) differences(rows []treeRow, number func(*treeRow) int) {
	for i := range rows {
		n := number(&rows[i])
		if i > 0 && rows[i].thread == rows[i-1].thread {
			n -= number(&rows[i-1])
		}
		e.uint(n)
	}
}

// sameNumbers reports whether the numbers of a value are those of the value before it, but for the scale.
func sameNumbers(rows []treeRow, i int, values []headerValue) bool {
	return !slices.ContainsFunc(rows, func(r treeRow) bool {
		return r.values[i]/values[i].Scale != r.values[i-1]/values[i-1].Scale
	})
}

// column appends how many bytes a page needs for each number of a value, and the numbers, unless
// they are known.
func (e *encoder) column(rows []treeRow, i int, scale int64, known bool) {
	if known {
		e.uint(0)
		return
	}
	most, least := int64(0), int64(0)
	for _, r := range rows {
		most, least = max(most, r.values[i]/scale), min(least, r.values[i]/scale)
	}
	size := 8
	switch {
	case least < 0 || most > math.MaxUint32:
	case most > math.MaxUint16:
		size = 4
	case most > math.MaxUint8:
		size = 2
	default:
		size = 1
	}
	e.uint(size)
	for _, r := range rows {
		if size == 8 {
			e.int(r.values[i] / scale)
		} else {
			e.data = binary.AppendUvarint(e.data, uint64(r.values[i]/scale)) // an int has 32 bits on some machines
		}
	}
}
