package table_test

import (
	"io"
	"testing"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// BenchmarkRows writes 10,000 rows with a value of each kind.
func BenchmarkRows(b *testing.B) {
	r := mixed(b)
	rows := make([][]query.Value, 10_000)
	for i := range rows {
		rows[i] = firstRow(b)
	}
	r.Rows = each(rows, nil)
	for f := table.Text; f <= table.TSV; f++ {
		b.Run(f.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := table.New(io.Discard, table.Options{Format: f})
				if err := w.Write(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
