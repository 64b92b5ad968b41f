package flamegraph

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// formatVersion is the version of the data that FORMAT.md describes.
const formatVersion = 1

// header is the part of the data that is JSON.
type header struct {
	Version int            `json:"version"`
	Title   string         `json:"title"`
	Base    string         `json:"base"`
	Sets    int            `json:"sets"`
	Start   int64          `json:"start"` // milliseconds since 1970; 0 if it is not known
	End     int64          `json:"end"`
	Notes   []string       `json:"notes"`
	Kinds   []headerKind   `json:"kinds"`
	Threads []headerThread `json:"threads"`
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

type headerThread struct {
	Name string `json:"name"`
	ID   int64  `json:"id"`
}

// encode returns the data of the page, as FORMAT.md describes it.
func encode(p *profile.Profile, o *Options) []byte {
	t := newTree(o.Names, p, o.Base)
	h := header{Version: formatVersion, Title: o.Title, Base: o.BaseTitle, Sets: 1, Notes: append([]string{}, p.Notes()...), Kinds: []headerKind{}, Threads: []headerThread{}}
	if o.Base != nil {
		h.Sets = 2
	}
	if start, end := p.Span(); !start.IsZero() {
		h.Start, h.End = start.UnixMilli(), end.UnixMilli()
	}
	for i, k := range t.kinds {
		kind := headerKind{Name: k.Name, Title: cmp.Or(k.Title, k.Name)}
		for j, v := range k.Values {
			kind.Values = append(kind.Values, headerValue{v.Name, v.Unit, t.scale(i, j)})
		}
		h.Kinds = append(h.Kinds, kind)
	}
	for _, id := range t.sortedThreads() {
		h.Threads = append(h.Threads, headerThread{id.name, id.id})
	}
	text, _ := json.Marshal(h) // strings and numbers can be written
	var e encoder
	e.uint(len(text))
	e.data = append(e.data, text...)
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

// nodes appends the frames, the most frequent one first, and the nodes.
func (e *encoder) nodes(t *tree) {
	frames := make([]nodeFrame, len(t.nodes))
	counts := make(map[nodeFrame]int)
	for i := 1; i < len(frames); i++ {
		frames[i] = nodeFrame{t.nodes[i].name, t.modes[i].kind(t.nodes[i].kind)}
		counts[frames[i]]++
	}
	list := make([]nodeFrame, 0, len(counts))
	for f := range counts {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b nodeFrame) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.name, b.name), cmp.Compare(a.kind, b.kind))
	})
	e.uint(len(list))
	for i, f := range list {
		e.uint(int(f.name))
		counts[f] = i
	}
	for _, f := range list {
		e.uint(int(f.kind))
	}
	e.uint(len(t.nodes) - 1)
	depths := make([]int, len(t.nodes))
	for i := 1; i < len(t.nodes); i++ {
		depths[i] = depths[t.nodes[i].parent] + 1
		e.uint(depths[i-1] + 1 - depths[i])
	}
	for _, f := range frames[1:] {
		e.uint(counts[f])
	}
}

// rows appends the rows of each set and kind, in groups by thread.
func (e *encoder) rows(t *tree, sets int, h *header) {
	rest := t.rows
	take := func(same func(r *treeRow) bool) (taken []treeRow) {
		n := 0
		for n < len(rest) && same(&rest[n]) {
			n++
		}
		taken, rest = rest[:n], rest[n:]
		return taken
	}
	for set := range sets {
		for kind := range h.Kinds {
			var groups [][]treeRow
			for len(rest) > 0 && int(rest[0].set) == set && int(rest[0].kind) == kind {
				first := rest[0]
				groups = append(groups, take(func(r *treeRow) bool {
					return r.set == first.set && r.kind == first.kind && r.thread == first.thread
				}))
			}
			e.uint(len(groups))
			for _, g := range groups {
				e.group(g, h.Kinds[kind].Values)
			}
		}
	}
}

// group appends the rows of a thread: the nodes as differences, then each of the values.
func (e *encoder) group(rows []treeRow, values []headerValue) {
	e.uint(int(rows[0].thread))
	e.uint(len(rows))
	last := int32(0)
	for _, r := range rows {
		e.uint(int(r.node - last))
		last = r.node
	}
	for i, v := range values {
		for _, r := range rows {
			e.int(r.values[i] / v.Scale)
		}
	}
}
