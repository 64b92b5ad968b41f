package sql

import (
	"cmp"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
	"github.com/mmapjfr/jfr/mmapjfr/query/table"
)

// output writes results. Values stay as DuckDB writes them, in all formats, but floating-point numbers: programs and versions
// of DuckDB write those in several ways.
type output struct {
	app     *cli.App
	formats cli.TableFormats
	table   table.Options
	several bool // results, in documents of JSON
	shown   int
	writer  *table.Writer
}

func (o *output) flags(f *pflag.FlagSet) {
	o.formats.Flags(f, "write one JSON document, with the types of columns")
	f.IntVar(&o.table.Width, "width", 0, "make tables `N` characters wide; as what is in them without, and as the terminal at most")
	f.BoolVar(&o.table.SpreadsheetSafe, "spreadsheet-safe", false, "put an apostrophe before each cell of rows that a spreadsheet could take for a formula")
}

func (o *output) check() error {
	return o.formats.Choose(&o.table)
}

// maxWidth is how many characters tables are wide at most without --width. In a pipe or a file nothing is cut.
func (o *output) maxWidth() int { return cmp.Or(o.app.Style.Width, math.MaxInt32) }

// mostText returns how many characters of a value are needed at most; 0 if all are. A column can be a little wider than
// its part of the table, and is never twice as wide as the whole.
func (o *output) mostText() int {
	width := cmp.Or(o.table.Width, o.maxWidth())
	if o.table.Format != table.Text || width > math.MaxInt32/2 {
		return 0
	}
	return 2 * width
}

// show writes a result.
func (o *output) show(columns []Column, row Row) error {
	row = withFloats(columns, row)
	first, err := row()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	rows := func(yield func([][]byte, error) bool) {
		for next, err := first, err; !errors.Is(err, io.EOF); next, err = row() {
			if !yield(next, err) || err != nil {
				return
			}
		}
	}
	o.shown++
	switch o.table.Format {
	case table.JSON:
		return o.json(columns, rows)
	case table.NDJSON:
		return o.lines(columns, rows, "", "\n")
	case table.Text:
		if len(columns) == 1 && columns[0].Type == planType {
			return o.plan(rows)
		}
	}
	if o.writer == nil {
		o.table.MaxWidth, o.table.OneHeading = o.maxWidth(), true
		o.writer = table.New(o.app.Stdout, o.table)
	}
	result := &query.Result{Rows: func(yield func([]query.Value, error) bool) {
		for cells, err := range rows {
			if !yield(values(cells), err) {
				return
			}
		}
	}}
	for _, c := range columns {
		result.Columns = append(result.Columns, query.Column{Name: c.Name, Title: c.Name, Kind: query.Text, Layout: layoutOf(c.Type), Format: query.Format{Missing: "NULL"}})
	}
	if o.table.Format == table.Text {
		list, err := collected(result)
		if err != nil {
			return err
		}
		result.Rows = func(yield func([]query.Value, error) bool) {
			for _, r := range list {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
	return o.writer.Write(result)
}

// withFloats returns rows whose floating-point numbers are written as mjfr query and mjfr export do. Those in lists and
// structs stay as they are.
func withFloats(columns []Column, row Row) Row {
	bits := make([]int, len(columns))
	for i, c := range columns {
		bits[i] = map[string]int{"DOUBLE": 64, "FLOAT": 32}[c.Type]
	}
	return func() ([][]byte, error) {
		cells, err := row()
		for i, c := range cells {
			if i >= len(bits) || bits[i] == 0 || c == nil || isNoNumber(c) {
				continue
			}
			if f, wrong := strconv.ParseFloat(string(c), bits[i]); wrong == nil {
				cells[i] = jsonout.AppendFloat(nil, f, bits[i])
			}
		}
		return cells, err
	}
}

// planType is the type of the column that EXPLAIN has. Tables show its lines as they are.
const planType = "PLAN"

// ShowPlan shows what EXPLAIN says: a row for each line.
func ShowPlan(text string, show func([]Column, Row) error) error {
	lines := strings.Split(strings.Trim(text, "\r\n"), "\n")
	return show([]Column{{"plan", planType}}, func() ([][]byte, error) {
		if len(lines) == 0 {
			return nil, io.EOF
		}
		line := strings.TrimRight(lines[0], "\r")
		lines = lines[1:]
		return [][]byte{jsonout.AppendString(nil, line)}, nil
	})
}

// plan writes the lines of a plan.
func (o *output) plan(rows rowsOf) error {
	for cells, err := range rows {
		if err != nil {
			return err
		}
		if _, err := io.WriteString(o.app.Stdout, terminal.Printable(unquoted(cells[0]))+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// collected returns all rows: those of a table of text are read several times.
func collected(r *query.Result) (list [][]query.Value, err error) {
	for row, err := range r.Rows {
		if err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, nil
}

// close ends the output.
func (o *output) close() error {
	if o.table.Format == table.JSON && o.several && o.shown > 0 {
		_, err := io.WriteString(o.app.Stdout, "]\n")
		return err
	}
	if o.writer == nil {
		return nil
	}
	return o.writer.Close()
}

type rowsOf = func(yield func([][]byte, error) bool)

// json writes a document: columns and rows, each an object in a line of its own.
func (o *output) json(columns []Column, rows rowsOf) error {
	begin := "{\n\"columns\": "
	if o.several {
		begin = map[bool]string{true: "[", false: ","}[o.shown == 1] + begin
	}
	type column struct {
		Name string `json:"name"`
		Type string `json:"type,omitempty"`
	}
	list := []column{}
	for _, c := range columns {
		if c.Type == planType {
			c.Type = "VARCHAR"
		}
		list = append(list, column(c))
	}
	if _, err := io.WriteString(o.app.Stdout, begin+string(jsonout.Line(list))+",\n\"rows\": [\n"); err != nil {
		return err
	}
	if err := o.lines(columns, rows, ",", "\n"); err != nil {
		return err
	}
	_, err := io.WriteString(o.app.Stdout, "]\n}\n")
	return err
}

// lines writes rows as objects. Names of columns that occur again get _ and a number.
func (o *output) lines(columns []Column, rows rowsOf, between, end string) error {
	names, seen := []string{}, make(map[string]int)
	for _, c := range columns {
		name := c.Name
		for seen[name] > 0 {
			name += "_"
		}
		seen[name]++
		names = append(names, name)
	}
	var line, before []byte
	write := func() error {
		if before == nil {
			return nil
		}
		_, err := o.app.Stdout.Write(before)
		return err
	}
	for cells, err := range rows {
		if err != nil {
			return err
		}
		line = append(line[:0], '{')
		for i, cell := range cells {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(jsonout.AppendString(line, names[i]), ':')
			line = appendJSON(line, cell)
		}
		if before != nil {
			before = append(before[:len(before)-len(end)], between+end...)
		}
		if err := write(); err != nil {
			return err
		}
		before = append(append(append(before[:0], line...), '}'), end...)
	}
	return write()
}

// appendJSON appends a cell; numbers that JSON lacks are null.
func appendJSON(dst, cell []byte) []byte {
	if cell == nil || isNoNumber(cell) {
		return append(dst, "null"...)
	}
	return append(dst, cell...)
}

// isNoNumber reports whether a cell is NaN or an infinity.
func isNoNumber(cell []byte) bool {
	switch strings.ToLower(strings.TrimPrefix(string(cell[:min(len(cell), 10)]), "-")) {
	case "nan", "inf", "infinity":
		return true
	}
	return false
}

// values returns cells as texts: those of strings without their quotes, and all others as they are.
func values(cells [][]byte) []query.Value {
	list := make([]query.Value, len(cells))
	for i, c := range cells {
		switch {
		case c == nil:
		case c[0] == '"':
			list[i] = query.NewValue(unquoted(c))
		default:
			list[i] = query.NewValue(string(c))
		}
	}
	return list
}

// IsNumber reports whether a type of DuckDB is one of numbers.
func IsNumber(typ string) bool {
	name, _, _ := strings.Cut(typ, "(")
	switch name {
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL":
		return !strings.HasSuffix(typ, "]")
	}
	return false
}

// layoutOf returns how a column of a type stands in tables: numbers end at the right.
func layoutOf(typ string) query.Layout {
	switch {
	case IsNumber(typ):
		return query.LayoutOf(query.Int, mmapjfr.NoUnit)
	case typ == "VARCHAR":
		return query.Layout{Left: true, Wide: true}
	}
	return query.Layout{Left: true, Wide: utf8.RuneCountInString(typ) > 12}
}
