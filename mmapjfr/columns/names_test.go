package columns_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// TestNames gives each type a table of its own, in a file of its own, with a name that is one line.
func TestSpreadsheetCSV(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Emit(b.Event("a.B", jfrtest.Of("s", jfrtest.StringClass), jfrtest.Of("n", "int")), int64(0), "=1+1", -1)
	rec := opened(t, b)
	safe := export(t, columns.SpreadsheetCSV, columns.Options{}, rec)["a.B"]
	assert.Contains(t, string(safe), ",'=1+1,-1,")
	assert.Equal(t, export(t, columns.CSV, columns.Options{}, rec)["a.B"], bytes.ReplaceAll(safe, []byte("'="), []byte("=")))
}

func TestNames(t *testing.T) {
	long := strings.Repeat("é", 1000)
	types := []string{"", ".", "_stacks", "._stacks", ".._stacks", "a\x00b", "a%00b", "a%2500b", "x\n.shell", "\xff", "%FF", long, long + "1", "jdk.A", "100 %"}
	want := []string{".", "..", "._stacks", ".._stacks", "..._stacks", "a%00b", "a%2500b", "a%252500b", "x%0A.shell", "", "%25FF", "", "", "jdk.A", "100 %25"}
	b := jfrtest.NewChunk()
	for i, name := range types {
		typ := b.Event(name, jfrtest.Of("", "int"), jfrtest.Of("v\x00a", "int"), jfrtest.Of("v\x00b", "int"), jfrtest.Of("a.b", "int"), jfrtest.Of("a[", "int"), jfrtest.Of("x", "int"), jfrtest.Of("X", "int"))
		b.Emit(typ, int64(0), i, 1, 2, 3, 4, 5, 6)
	}
	rec := opened(t, b)
	for _, f := range []columns.Format{columns.Parquet, columns.CSV, columns.NDJSON} {
		files := export(t, f, columns.Options{}, rec)
		assert.Len(t, files, len(types)+1, "and _recording")
	}
	files := export(t, columns.CSV, columns.Options{}, rec)
	paths := make(map[string]bool)
	for i, name := range want {
		if name == "" {
			continue
		}
		lines := strings.Split(string(files[name]), "\n")
		assert.Equal(t, "start_time,start_ns,.,v%00a,v%00b,a.b,a[,x,X_,recording_id", lines[0], "%q", types[i])
		require.Greater(t, len(lines), 1, "%q", types[i])
		assert.Contains(t, lines[1], fmt.Sprintf(",%d,1,2,3,4,5,6,", i))
	}
	for name := range files {
		assert.Regexp(t, `^[^\x00-\x1f\x7f]+$`, name)
		assert.LessOrEqual(t, len(name), 1017)
		path := columns.FileName(name, columns.CSV)
		assert.False(t, paths[path], path)
		assert.Regexp(t, `^[a-zA-Z0-9%_~$-][a-zA-Z0-9%._~$-]*$`, path)
		assert.LessOrEqual(t, len(path), 210)
		paths[path] = true
	}
}

// TestManyFields keeps as many columns as a type has at most, and the stack of the event beside them.
func TestManyFields(t *testing.T) {
	b := jfrtest.NewChunk()
	var fields []jfrtest.Field
	values := []any{int64(0)}
	for i := range 3000 {
		name := fmt.Sprint("f", i)
		if i >= 500 {
			name = "same"
		}
		fields, values = append(fields, jfrtest.Of(name, "int")), append(values, i)
	}
	b.Emit(b.Event("test.Wide", fields...), values...)
	rec := opened(t, b)
	tables, err := columns.Tables([]*mmapjfr.Recording{rec}, columns.Options{})
	require.NoError(t, err)
	names := make(map[string]bool)
	for _, tab := range tables {
		if tab.Name == "test.Wide" {
			assert.Len(t, tab.Columns, 1001)
			for _, c := range tab.Columns {
				assert.False(t, names[c.Name], c.Name)
				names[c.Name] = true
			}
		}
	}
	assert.True(t, names["f499"] && names["same"] && names["same"+strings.Repeat("_", 400)])
}

// TestStructsOfStructs looks at a bounded number of fields of types that lead to a great many and to no column.
func TestStructsOfStructs(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.S4")
	for depth := 3; depth >= 0; depth-- {
		var fields []jfrtest.Field
		for i := range 500 {
			fields = append(fields, jfrtest.Of(fmt.Sprint("f", i), fmt.Sprint("test.S", depth+1)))
		}
		b.Class(fmt.Sprint("test.S", depth), fields...)
	}
	b.Event("test.Deep", jfrtest.Of("s", "test.S0"), jfrtest.Of("after", "int"))
	tables, err := columns.Tables([]*mmapjfr.Recording{opened(t, b)}, columns.Options{})
	require.NoError(t, err)
	for _, tab := range tables {
		if tab.Name == "test.Deep" {
			assert.Equal(t, "after", tab.Columns[2].Name)
		}
	}
}

func opened(t *testing.T, b *jfrtest.Builder) *mmapjfr.Recording {
	return opentest.Bytes(t, b.Bytes())
}
