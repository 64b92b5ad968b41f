package table

import (
	"github.com/mmapjfr/jfr/internal/cells"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// csv writes the names of the columns and the rows of a result.
func (w *Writer) csv(r *query.Result) error {
	separator := byte(',')
	if w.o.Format == TSV {
		separator = '\t'
	}
	var line, cell []byte
	add := func(i int, text []byte) {
		if i > 0 {
			line = append(line, separator)
		}
		if w.o.SpreadsheetSafe {
			text = cells.Defused(text)
		}
		line = cells.Append(line, text, separator)
	}
	for i, name := range columnNames(r) {
		add(i, []byte(name))
	}
	if !w.o.OneHeading || w.names != string(line) {
		w.names = string(line)
		w.out.Write(append(line, '\n'))
	}
	return eachRow(r, w.o.Zone, func(list []texts, row []query.Value) {
		line = line[:0]
		for i, v := range row {
			cell = appendCell(cell[:0], list[i].share(v), w.o.Zone)
			add(i, cell)
		}
		w.out.Write(append(line, '\n'))
	})
}
