package table_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestNumbersOnPages writes on pages identifiers without commas, and what stands for none as missing; text is as the JDK writes it.
func TestNumbersOnPages(t *testing.T) {
	columns := []query.Column{
		column("pid", query.Int, mmapjfr.NoUnit), column("memoryLimit", query.Int, mmapjfr.Bytes), column("cpuQuota", query.Timespan, mmapjfr.NoUnit),
		column("javaThreadId", query.Int, mmapjfr.NoUnit), column("identified", query.Int, mmapjfr.NoUnit), column("shift", query.Timespan, mmapjfr.NoUnit),
	}
	row := []query.Value{
		query.NewValue(int64(18763)), query.NewValue(int64(-1)), query.NewValue(-time.Microsecond),
		query.NewValue(int64(12345)), query.NewValue(int64(12345)), query.NewValue(-1500 * time.Microsecond),
	}
	for format, want := range map[table.Format][]string{
		table.Markdown: {"18763", "N/A", "N/A", "12345", "12,345", "-1.50 ms"},
		table.HTML:     {">18763<", ">N/A<", ">N/A<", ">12345<", ">12,345<", ">-1.50 ms<"},
		table.Text:     {"18,763", "-1 byte", "-0.00100 ms", "12,345", "12,345", "-1.50 ms"},
	} {
		var out bytes.Buffer
		w := table.New(&out, table.Options{Format: format})
		require.NoError(t, w.Write(&query.Result{Columns: columns, Rows: each([][]query.Value{row}, nil)}))
		require.NoError(t, w.Close())
		rest := out.String()
		for _, text := range want {
			at := strings.Index(rest, text)
			require.GreaterOrEqual(t, at, 0, "%s: %s in %s", format, text, out.String())
			rest = rest[at+1:]
		}
	}
	assert.Equal(t, "html", table.HTML.String())
}
