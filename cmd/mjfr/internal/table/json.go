package table

import (
	"strconv"

	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/internal/rows"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// columnJSON describes a column in a document of JSON.
type columnJSON struct {
	Name       string `json:"name"`
	Title      string `json:"title"`
	Expression string `json:"expression,omitempty"`
	Kind       string `json:"kind"`
	Unit       string `json:"unit,omitempty"`
}

// json writes a result as one document: title, columns, rows and notes. A row is an object on a
// line of its own, with the names of the columns.
func (w *Writer) json(r *query.Result) error {
	names := columnNames(r)
	list := []columnJSON{}
	for i := range r.Columns {
		c := &r.Columns[i]
		list = append(list, columnJSON{names[i], c.Title, c.Expression, c.Kind.String(), unitName(c)})
	}
	switch {
	case w.o.Array && w.began:
		w.out.WriteString(",\n")
	case w.o.Array:
		w.out.WriteByte('[')
	}
	w.out.WriteString("{\n")
	if r.Title != "" {
		w.member("title", r.Title)
		w.out.WriteString(",\n")
	}
	w.member("columns", list)
	w.out.WriteString(",\n\"rows\": [\n")
	n, err := w.eachLine(r, rows.New(rows.NDJSON, false, names), func(n int, line []byte) {
		if n > 0 {
			w.out.WriteString(",\n")
		}
		w.out.Write(line)
	})
	if n > 0 {
		w.out.WriteByte('\n')
	}
	w.out.WriteByte(']')
	if len(r.Notes) > 0 {
		w.out.WriteString(",\n")
		w.member("notes", r.Notes)
	}
	w.out.WriteString("\n}\n")
	return err
}

// member writes a member of the document, on one line.
func (w *Writer) member(name string, value any) {
	text := jsonout.Line(value)
	w.out.WriteString(strconv.Quote(name) + ": ")
	w.out.Write(text)
}

// columnNames returns the names of the columns. One that another column has already has a number
// after it.
func columnNames(r *query.Result) []string {
	names := make([]string, len(r.Columns))
	known := make(map[string]bool)
	for i := range r.Columns {
		name := r.Columns[i].Name
		for n := 2; known[name]; n++ {
			name = r.Columns[i].Name + "_" + strconv.Itoa(n)
		}
		known[name], names[i] = true, name
	}
	return names
}
