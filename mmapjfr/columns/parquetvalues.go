package columns

import (
	"math"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go/bloom"
)

const (
	// dictionaryBytes is how large a dictionary of texts grows, and dictionaryInts how many numbers it has, before
	// values are written as they are.
	dictionaryBytes = 4 << 20
	dictionaryInts  = 1 << 14
	// sampled is how many numbers show whether a dictionary is of use.
	sampled = 2048
)

// encoder has the values of a column of a row group, and memory that is used again.
type encoder struct {
	rows int
	// The levels of values; definition is empty if no value is null, repetition if there are no lists.
	definition, repetition []uint8
	hasDictionary          bool
	index                  []int32 // positions in the dictionary of the values that are not null
	ints                   []int64 // without a dictionary; those of Double are bits. They are in room or in the rows
	room                   []int64
	texts                  []string
	dictionary             dictionary

	ofConstant []int32 // the position in the dictionary for each constant, -1 for null
	elements   []elements
	blooms     []bloom.SplitBlockFilter

	same        samePages
	known, note *pageSet // the pages that the column has, if another one has them; where to note them

	plain, page, packed, levels []byte
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// fill takes the values of a column.
func (e *encoder) fill(l *parquetLeaf, v *View, rows int) {
	e.rows, e.hasDictionary = rows, true
	e.known, e.note = nil, nil
	e.definition, e.repetition, e.index = e.definition[:0], e.repetition[:0], e.index[:0]
	clear(e.texts)
	e.ints, e.texts = e.room[:0], e.texts[:0] // also those of another column, which would decide how long pages are
	e.dictionary.reset()
	switch {
	case l.repetition > 0:
		e.fillLists(l, v)
	case v.Refs != nil:
		e.fillConstants(l, v)
	case l.kind == Text:
		e.fillTexts(v)
	default:
		e.fillInts(l, v)
	}
	if e.hasDictionary && e.dictionary.bytes > dictionaryBytes {
		e.dissolve(l)
	}
}

// dissolve replaces positions in the dictionary by values.
func (e *encoder) dissolve(l *parquetLeaf) {
	e.hasDictionary = false
	e.ints, e.texts = e.room[:0], e.texts[:0]
	for _, at := range e.index {
		if l.kind == Text {
			e.texts = append(e.texts, e.dictionary.texts[at])
		} else {
			e.ints = append(e.ints, e.dictionary.ints[at])
		}
	}
}

// at returns the position of a value in the dictionary, -1 for null.
func (e *encoder) at(k Kind, n int64, text string, ok bool) int32 {
	switch {
	case !ok:
		return -1
	case k == Text:
		return e.dictionary.text(text)
	case k == Time:
		n = micros(n)
	}
	return e.dictionary.int(n)
}

// fillConstants takes values of constants. A constant has one place in the dictionary, unless the first rows nearly all
// have other texts.
func (e *encoder) fillConstants(l *parquetLeaf, v *View) {
	few := v.Constants()
	if l.kind == Text && len(v.Refs) > sampled {
		few = int(slices.Max(v.Refs[:sampled])) + 1
	}
	e.ofConstant = append(e.ofConstant[:0], -1)
	for i := range v.Constants() {
		n, text, _, ok := v.Constant(i)
		e.ofConstant = append(e.ofConstant, e.at(l.kind, n, text, ok))
		if i == few-1 && 4*len(e.dictionary.texts) > 3*sampled {
			e.takeTexts(v)
			return
		}
	}
	if e.dictionary.bytes <= dictionaryBytes && l.kind != Bool {
		if e.known, e.note = e.same.find(v.Refs, e.ofConstant); e.known != nil {
			return
		}
	}
	e.index = e.positions(v.Refs)
}

// takeTexts takes texts of constants without a dictionary: nearly each row has another one.
func (e *encoder) takeTexts(v *View) {
	e.hasDictionary = false
	e.definition = sized(e.definition, len(v.Refs))
	for row := range v.Refs {
		_, text, _, ok := v.At(row)
		e.definition[row] = 0
		if ok {
			e.definition[row] = 1
			e.texts = append(e.texts, text)
		}
	}
	if len(e.texts) == len(v.Refs) {
		e.definition = e.definition[:0]
	}
}

// positions returns the positions in the dictionary of the values of constants.
func (e *encoder) positions(refs []int32) []int32 {
	index, of, all := sized(e.index, len(refs)), e.ofConstant, int32(0)
	for i, ref := range refs {
		at := of[ref+1]
		index[i] = at
		all |= at
	}
	if all < 0 {
		return e.dropNulls(index)
	}
	return index
}

// dropNulls removes positions of nulls, and sets the levels.
func (e *encoder) dropNulls(index []int32) []int32 {
	levels, n := sized(e.definition, len(index)), 0
	for i, at := range index {
		level := uint8(1) - uint8(uint32(at)>>31)
		levels[i], index[n] = level, at
		n += int(level)
	}
	e.definition = levels
	return index[:n]
}

// sized returns a slice of n elements, whose values do not matter.
func sized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// withoutNulls returns the values that are not null, and sets the levels.
func withoutNulls[T any](e *encoder, to, from []T, valid []bool) []T {
	if valid == nil {
		return append(to[:0], from...)
	}
	to, levels, n := sized(to, len(from)), sized(e.definition, len(from)), 0
	for i, ok := range valid {
		level := uint8(0)
		if ok {
			level = 1
		}
		to[n], levels[i] = from[i], level
		n += int(level)
	}
	if n < len(from) {
		e.definition = levels
	}
	return to[:n]
}

// fillTexts takes texts that are in the rows.
func (e *encoder) fillTexts(v *View) {
	e.texts = withoutNulls(e, e.texts, v.Texts, v.Valid)
	for i, text := range e.texts {
		if e.dictionary.bytes > dictionaryBytes || i == sampled && 4*len(e.dictionary.texts) > 3*sampled {
			e.hasDictionary = false
			return
		}
		e.index = append(e.index, e.dictionary.text(text))
	}
}

// fillInts takes numbers that are in the rows.
func (e *encoder) fillInts(l *parquetLeaf, v *View) {
	switch {
	case l.kind == Time:
		e.room = withoutNulls(e, e.room, v.Ints, v.Valid)
		for i, ns := range e.room {
			e.room[i] = micros(ns)
		}
		e.ints = e.room
	case v.Valid == nil:
		e.ints = v.Ints
	default:
		e.room = withoutNulls(e, e.room, v.Ints, v.Valid)
		e.ints = e.room
	}
	e.hasDictionary = !l.sorted
	if !e.hasDictionary {
		return
	}
	index, last, at := sized(e.index, len(e.ints)), int64(0), int32(-1)
	for i, n := range e.ints {
		if n != last || at < 0 {
			if len(e.dictionary.ints) >= dictionaryInts || i >= sampled && i < 2*sampled && 2*len(e.dictionary.ints) > i {
				e.hasDictionary = false
				return
			}
			last, at = n, e.dictionary.int(n)
		}
		index[i] = at
	}
	e.index = index
}

// elements are a list as levels and positions in the dictionary.
type elements struct {
	definition []uint8
	index      []int32
	known      bool
}

// fillLists takes lists. Those of constants are read once.
func (e *encoder) fillLists(l *parquetLeaf, v *View) {
	e.elements = slices.Grow(e.elements[:0], v.Constants()+1)[:v.Constants()+1]
	for i := range e.elements {
		e.elements[i].known = false
	}
	for row := range e.rows {
		x := &e.elements[0]
		if v.Refs != nil {
			x = &e.elements[v.Refs[row]+1]
		}
		if !x.known || v.Refs == nil {
			_, _, list, ok := v.At(row)
			e.read(x, l, list, ok)
		}
		e.definition = append(e.definition, x.definition...)
		e.index = append(e.index, x.index...)
		e.repetition = append(e.repetition, 0)
		for range len(x.definition) - 1 {
			e.repetition = append(e.repetition, 1)
		}
	}
}

// read reads a list.
func (e *encoder) read(x *elements, l *parquetLeaf, list *Elements, ok bool) {
	*x = elements{x.definition[:0], x.index[:0], true}
	switch {
	case !ok || list == nil:
		x.definition = append(x.definition, levelNull)
		return
	case list.N == 0:
		x.definition = append(x.definition, levelEmpty)
		return
	}
	for i := range list.N {
		var at int32
		switch {
		case l.field >= 0:
			at = e.ofFrame(&list.Frames[i], l.field)
		case l.kind == Text:
			at = e.at(l.kind, 0, list.Texts[i], list.Valid[i])
		default:
			at = e.at(l.kind, list.Ints[i], "", list.Valid[i])
		}
		if at < 0 {
			x.definition = append(x.definition, levelNullElement)
			continue
		}
		x.definition, x.index = append(x.definition, levelElement), append(x.index, at)
	}
}

// ofFrame returns the position of a field of a frame in the dictionary, -1 for null.
func (e *encoder) ofFrame(f *Frame, field int) int32 {
	text, n, ok := f.field(field)
	return e.at(frameFields[field].Kind, n, text, ok)
}

// dictionary is the different values of a column of a row group, in the order in which they came.
type dictionary struct {
	ints   []int64
	texts  []string
	bytes  int
	slots  []int32 // positions of numbers plus one, by hash
	byText map[string]int32
	recent [256]int32 // positions of texts plus one, by their length and a byte
}

func (d *dictionary) reset() {
	clear(d.slots)
	clear(d.byText)
	clear(d.texts)
	clear(d.recent[:])
	d.ints, d.texts, d.bytes = d.ints[:0], d.texts[:0], 0
}

// text returns the position of a text.
func (d *dictionary) text(text string) int32 {
	mix := len(text)
	if mix > 0 {
		mix += 7*int(text[mix-1]) + 31*int(text[mix/2]) + 61*int(text[0])
	}
	recent := &d.recent[mix%len(d.recent)]
	if *recent > 0 && d.texts[*recent-1] == text {
		return *recent - 1
	}
	at := d.find(text)
	*recent = at + 1
	return at
}

// find returns the position of a text.
func (d *dictionary) find(text string) int32 {
	at, ok := d.byText[text]
	if !ok {
		if d.byText == nil {
			d.byText = make(map[string]int32)
		}
		at = int32(len(d.texts))
		d.byText[text] = at
		d.texts = append(d.texts, text)
		d.bytes += len(text) + 4
	}
	return at
}

// int returns the position of a number.
func (d *dictionary) int(n int64) int32 {
	if 2*len(d.ints) >= len(d.slots) {
		d.slots = make([]int32, max(256, 2*len(d.slots)))
		for i, n := range d.ints {
			*d.slot(n) = int32(i + 1)
		}
	}
	s := d.slot(n)
	if *s == 0 {
		d.ints = append(d.ints, n)
		d.bytes += 8
		*s = int32(len(d.ints))
	}
	return *s - 1
}

// slot returns the place of a number.
func (d *dictionary) slot(n int64) *int32 {
	mask := uint64(len(d.slots) - 1)
	for i := uint64(n) * 0x9E3779B97F4A7C15 >> 32; ; i++ {
		if s := &d.slots[i&mask]; *s == 0 || d.ints[*s-1] == n {
			return s
		}
	}
}

// double returns a number of Double.
func double(bits int64) float64 { return math.Float64frombits(uint64(bits)) }
