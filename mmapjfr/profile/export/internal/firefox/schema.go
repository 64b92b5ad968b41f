package firefox

import (
	"math"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/internal/rows"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/timeline"
)

// schema says what the markers of an event type have.
type schema struct {
	Name         string        `json:"name"`
	TooltipLabel string        `json:"tooltipLabel"`
	TableLabel   string        `json:"tableLabel,omitempty"`
	ChartLabel   string        `json:"chartLabel"`
	Display      []string      `json:"display"`
	Fields       []schemaField `json:"fields"`
	Description  string        `json:"description,omitempty"`
	Graphs       []graph       `json:"graphs,omitempty"`
}

type schemaField struct {
	Key    string `json:"key"`
	Label  string `json:"label"`
	Format string `json:"format"`
}

type graph struct {
	Key   string `json:"key"`
	Type  string `json:"type"`
	Color string `json:"color"`
}

// schemas are those of all types. Recordings may describe types of one name in several ways: then the
// schema has the fields of all.
type schemas struct {
	list  []*schema
	names map[string]*schema
	known map[*timeline.Type]*marker
	// groups are the categories of types, and categories their numbers.
	groups     []string
	categories map[string]int
}

// marker is what all markers of a type have.
type marker struct {
	title    string
	category int
	name     []byte   // of the schema, in quotes
	keys     [][]byte // by field, in quotes and with a colon
}

func newSchemas() *schemas {
	return &schemas{names: make(map[string]*schema), known: make(map[*timeline.Type]*marker), categories: map[string]int{categories[0].Name: 0}}
}

// add adds a type, unless it is known.
func (s *schemas) add(t *timeline.Type) {
	if s.known[t] != nil {
		return
	}
	name := t.Name()
	if !strings.Contains(name, ".") {
		name = "jfr." + name // others are types of Firefox
	}
	d, ok := s.names[name]
	if !ok {
		d = &schema{Name: name, TooltipLabel: "{marker.name}", ChartLabel: "{marker.name}", Fields: []schemaField{}, Description: t.Description()}
		d.Display = []string{"marker-chart", "marker-table", "timeline-overview"}
		if strings.Contains(t.Group(), "GC") {
			d.Display = append(d.Display, "timeline-memory")
		}
		s.names[name] = d
		s.list = append(s.list, d)
	}
	if _, ok := s.categories[t.Group()]; !ok {
		s.categories[t.Group()] = len(categories) + len(s.groups)
		s.groups = append(s.groups, t.Group())
	}
	m := &marker{title: t.Title(), category: s.categories[t.Group()], name: rows.AppendString(nil, name)}
	s.known[t] = m
	used := make(map[string]bool)
	for i := range t.Fields {
		f := &t.Fields[i]
		key := d.key(f, used)
		used[key] = true
		m.keys = append(m.keys, append(rows.AppendString(nil, key), ':'))
		if t.Role == timeline.Counter && f.IsMeasured() && len(d.Graphs) < 3 && strings.Contains(t.Name(), "Thread") {
			d.Graphs = append(d.Graphs, graph{key, "line", []string{"blue", "red", "green"}[len(d.Graphs)]})
		}
	}
	if d.TableLabel == "" {
		d.TableLabel = d.label()
	}
}

// key returns the key for a field: its name, or a longer one if the schema has that with another format.
func (d *schema) key(f *timeline.Field, used map[string]bool) string {
	key, format := f.Name, formatOf(f)
	for {
		i := 0
		for i < len(d.Fields) && d.Fields[i].Key != key {
			i++
		}
		switch {
		case key == "type" || key == "cause" || used[key] || i < len(d.Fields) && d.Fields[i].Format != format:
			key += "_" // type and cause have a meaning in the page
			continue
		case i == len(d.Fields):
			d.Fields = append(d.Fields, schemaField{key, f.Label, format})
		}
		return key
	}
}

// plain are keys that labels can name.
var plain = lazy.Regexp(`^[A-Za-z_][A-Za-z_0-9]*$`)

// label returns what a table shows besides the name: the first text.
func (d *schema) label() string {
	for _, f := range d.Fields {
		if (f.Format == "string" || f.Format == "file-path") && plain().MatchString(f.Key) {
			return "{marker.name}: {marker.data." + f.Key + "}"
		}
	}
	return ""
}

// formatOf returns the format of a field.
func formatOf(f *timeline.Field) string {
	switch {
	case f.Kind == timeline.List:
		return "list"
	case f.Kind == timeline.Span:
		return "duration"
	case f.Kind == timeline.Time:
		return "time"
	case f.Kind == timeline.Text && f.Name == "path":
		return "file-path"
	case f.Kind == timeline.Text && (f.Name == "host" || f.Name == "address"):
		return "sanitized-string"
	case f.Kind == timeline.Text, f.Kind == timeline.Bool, f.Unit == mmapjfr.Address:
		return "string"
	case f.Unit == mmapjfr.Bytes:
		return "bytes"
	case f.Unit == mmapjfr.Percentage:
		return "percentage"
	case f.Kind == timeline.Float:
		return "decimal"
	}
	return "integer"
}

// appendValue appends a value in the format of its field.
func (e *encoder) appendValue(dst []byte, f *timeline.Field, d timeline.Datum) []byte {
	switch f.Kind {
	case timeline.Text:
		return rows.AppendString(dst, d.Text)
	case timeline.Bool:
		return rows.AppendString(dst, strconv.FormatBool(d.Bool))
	case timeline.Span:
		return appendMillis(dst, d.Int)
	case timeline.Time:
		return appendMillis(dst, d.Int-e.start)
	case timeline.Float:
		return strconv.AppendFloat(dst, d.Float, 'g', -1, 64)
	case timeline.List:
		dst = append(dst, '[')
		for i, s := range d.List {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = rows.AppendString(dst, s)
		}
		return append(dst, ']')
	}
	if f.Unit == mmapjfr.Address {
		return append(strconv.AppendUint(append(dst, `"0x`...), uint64(d.Int), 16), '"')
	}
	return strconv.AppendInt(dst, d.Int, 10)
}

// isEndless reports whether a value is a length of time without end, which the page cannot show.
func isEndless(f *timeline.Field, d timeline.Datum) bool {
	return f.Kind == timeline.Span && (d.Int == math.MaxInt64 || d.Int == -math.MaxInt64)
}
