package columns

import (
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// SchemaVersion is the version of what docs/COLUMNS.md describes. Columns may be added under the same version.
const SchemaVersion = "2"

// Kind is what a column holds.
type Kind uint8

// The kinds.
const (
	Bool   Kind = iota
	Int         // 64 bits with a sign
	Uint        // 64 bits without a sign
	Double      // 64 bits
	Time        // nanoseconds since 1970, UTC
	Text        // UTF-8
	List        // of elements of one of the other kinds
	Frames      // the frames of a stack trace, from the innermost one on
)

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind
	// Element is the kind of the elements of a [List].
	Element Kind
	// Field is the path of the field in the recording; Unit, Label, Description and ContentType are what its
	// annotations say. They are empty for columns that no field has.
	Field, Unit, Label, Description, ContentType string
	// Required is set if no row can be null.
	Required bool

	slot, leaf int
}

// Table is all events of a type, or one of the tables that events refer to.
type Table struct {
	// Name is that of the event type, or begins with _.
	Name                       string
	Label, Description, Source string
	JVM                        string
	Columns                    []Column

	slots     []slot
	numbers   map[string]int // of columns, by their names
	versions  int
	recording int // the slot of the recording, plus one; 0 without
}

// merge adds the columns of another version of the type. Columns of one name become one.
func (t *Table) merge(sources []*source) {
	had := len(t.Columns)
	again := make([]bool, had)
	for _, s := range sources {
		added := -1
		for i := range s.leaves {
			c := s.leaves[i].column
			j := t.column(c.Name)
			if j >= 0 {
				if j < had {
					again[j] = true
				}
				t.Columns[j].merge(&c)
				continue
			}
			if len(t.Columns) == maxColumns {
				return
			}
			c.Required = c.Required && t.versions == 0
			if added < 0 || !s.constant {
				added = len(t.slots)
				t.slots = append(t.slots, slot{constant: s.constant})
			}
			c.slot, c.leaf = added, len(t.slots[added].columns)
			t.slots[added].columns = append(t.slots[added].columns, len(t.Columns))
			t.addColumn(c)
		}
	}
	for j := range had {
		t.Columns[j].Required = t.Columns[j].Required && again[j]
	}
	t.versions++
}

// shareStart lets the columns of the start of events have no values besides the times by which rows are sorted, if all
// versions of the type have a start.
func (t *Table) shareStart() {
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Required && c.Field == "startTime" && (c.Name == "start_time" || c.Name == "start_ns") {
			t.slots[c.slot].start = true
		}
	}
}

// merge adds what another version of the type says of a column.
func (c *Column) merge(o *Column) {
	c.Required = c.Required && o.Required && sameKind(c, o)
	c.Kind, c.Element = common(c.Kind, o.Kind, c.Element, o.Element)
	for _, text := range [][2]*string{{&c.Unit, &o.Unit}, {&c.Label, &o.Label}, {&c.Description, &o.Description}, {&c.ContentType, &o.ContentType}} {
		if *text[1] != "" {
			*text[0] = *text[1] // the last one that says something
		}
	}
}

// addColumn adds a column. The first of those with a name has it.
func (t *Table) addColumn(c Column) {
	if t.numbers == nil {
		t.numbers = make(map[string]int)
	}
	if _, taken := t.numbers[c.Name]; !taken {
		t.numbers[c.Name] = len(t.Columns)
	}
	t.Columns = append(t.Columns, c)
}

// column returns the number of a column, -1 if it is missing.
func (t *Table) column(name string) int {
	if i, ok := t.numbers[name]; ok {
		return i
	}
	return -1
}

// withSlots adds columns with a slot for each.
func (t *Table) withSlots(columns []Column) {
	for _, c := range columns {
		c.slot = len(t.slots)
		t.slots = append(t.slots, slot{columns: []int{len(t.Columns)}})
		t.addColumn(c)
	}
}

// withConstant adds columns with one slot for all, whose values constants make.
func (t *Table) withConstant(columns []Column) {
	s := slot{constant: true}
	for i, c := range columns {
		c.slot, c.leaf = len(t.slots), i
		s.columns = append(s.columns, len(t.Columns))
		t.addColumn(c)
	}
	t.slots = append(t.slots, s)
}

// common returns the kind that holds values of both kinds: integers with and without a sign are Int, other numbers
// are Double, and all else is Text.
func common(a, b, elementA, elementB Kind) (kind, element Kind) {
	switch {
	case a == List && b == List:
		element, _ = common(elementA, elementB, 0, 0)
		return List, element
	case a == b:
		return a, 0
	case max(a, b) <= Uint:
		return Int, 0
	case max(a, b) <= Double:
		return Double, 0
	}
	return Text, 0
}

// unitText returns the name of what numbers in a column count.
func unitText(f mmapjfr.Field) string {
	u, text := f.Unit(), ""
	switch {
	case u.IsTimespan():
		text = "ns"
	case u.IsTimestamp():
		return "timestamp"
	}
	switch u {
	case mmapjfr.Bytes:
		text = "bytes"
	case mmapjfr.Bits:
		text = "bits"
	case mmapjfr.Percentage:
		text = "fraction"
	case mmapjfr.Hertz:
		text = "hertz"
	case mmapjfr.Address:
		text = "address"
	}
	if engine.FieldIsRate(f) {
		text += "/s"
	}
	return text
}

// describe fills in what the metadata says of a field.
func describe(c Column, f mmapjfr.Field, path string) Column {
	c.Field, c.Unit, c.Label, c.Description = path, unitText(f), f.Label(), f.Description()
	for _, a := range f.Annotations() {
		for _, inner := range a.Type().Annotations() {
			if inner.Type().Name() == jdktypes.ContentType {
				c.ContentType = a.Type().Name()
			}
		}
	}
	return c
}

// Properties returns what formats with room for it say of a table: names, as in docs/COLUMNS.md, and values.
func (t *Table) Properties() [][2]string {
	return filled([][2]string{{"jfr.schema_version", SchemaVersion}, {"jfr.type", t.Name}, {"jfr.label", t.Label},
		{"jfr.description", t.Description}, {"jfr.source", t.Source}, {"jfr.jvm", t.JVM}})
}

// Properties returns what formats with room for it say of a column: names, as in docs/COLUMNS.md, and values.
func (c *Column) Properties() [][2]string {
	return filled([][2]string{{"path", c.Field}, {"unit", c.Unit}, {"label", c.Label}, {"description", c.Description}, {"content_type", c.ContentType}})
}

func filled(pairs [][2]string) [][2]string {
	return slices.DeleteFunc(pairs, func(p [2]string) bool { return p[1] == "" })
}
