package query_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPage runs the examples of the page that describes the language.
func TestPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "QUERY.md"))
	require.NoError(t, err)
	examples := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllSubmatch(page, -1)
	require.NotEmpty(t, examples)
	rec := open(t, "jdk25-profile")
	for _, e := range examples {
		statement := string(e[1])
		assert.NotEmpty(t, texts(t, run(t, statement, rec).Result()), statement)
	}
}
