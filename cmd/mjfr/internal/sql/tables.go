package sql

import (
	"io"
	"strings"

	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr/columns/duckdb"
)

// listTables lists the columns of all tables, and the views.
func (v *verb) listTables(c *duckdb.Catalog) error {
	var rows [][]string
	for _, t := range c.Tables {
		for i := range t.Columns {
			col := &t.Columns[i]
			about := col.Description
			if about == "" {
				about = col.Label
			}
			rows = append(rows, []string{c.NameOf(t), col.Name, duckdb.TypeOf(col), col.Unit, about})
		}
	}
	for _, view := range c.All().Views {
		rows = append(rows, []string{view.Name, "", "VIEW", "", view.Title})
	}
	at := 0
	err := v.show([]Column{{"table", "VARCHAR"}, {"column", "VARCHAR"}, {"type", "VARCHAR"}, {"unit", "VARCHAR"}, {"description", "VARCHAR"}}, func() ([][]byte, error) {
		if at == len(rows) {
			return nil, io.EOF
		}
		var cells [][]byte
		for _, text := range rows[at] {
			cells = append(cells, jsonout.AppendString(nil, strings.Join(strings.Fields(text), " ")))
		}
		at++
		return cells, nil
	})
	if err != nil {
		return err
	}
	return v.output.close()
}
