package columns_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// TestTextsInEvents has texts that are alike, that drive each other out, that are long, empty and null, and more of them than
// one list has.
func TestTextsInEvents(t *testing.T) {
	b := jfrtest.NewChunk()
	typ := b.Event("E", jfrtest.Of("few", jfrtest.StringClass), jfrtest.Of("many", jfrtest.StringClass))
	var want [][2]any
	for i := range 20_000 {
		row := [2]any{[]any{nil, "", "some", "a text of more than sixteen characters"}[i%4], fmt.Sprint("text ", i%3000)}
		if i%50 == 0 {
			row[1] = strings.Repeat(fmt.Sprint(i%7000), 100)
		}
		b.Emit(typ, int64(i), row[0], row[1])
		want = append(want, row)
	}
	rec := opentest.Bytes(t, b.Bytes())
	for _, workers := range []int{1, 3} {
		files := export(t, columns.NDJSON, columns.Options{Workers: workers}, rec)
		var got [][2]any
		for _, row := range rowsOf(t, files["E"]) {
			got = append(got, [2]any{row["few"], row["many"]})
		}
		assert.Equal(t, want, got)
	}
}
