package mmapjfr_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDocsShowTheExamples makes sure that the code in the README and in the docs is code
// that the tests run, or at least compile.
func TestDocsShowTheExamples(t *testing.T) {
	for page, file := range map[string]string{"README.md": "example_test.go", "docs/LIVE.md": "stream/example_test.go"} {
		text, err := os.ReadFile("../" + page)
		require.NoError(t, err)
		_, rest, found := strings.Cut(string(text), "```go\n")
		require.True(t, found, "%s does not show %s", page, file)
		shown, rest, _ := strings.Cut(rest, "```")

		source, err := os.ReadFile(file)
		require.NoError(t, err)
		_, body, found := strings.Cut(string(source), "func Example() {\n")
		require.True(t, found)
		body, _, _ = strings.Cut(body, "\n}\n")
		body, _, _ = strings.Cut(body+"\n", "\t// Output:")
		var code strings.Builder
		for line := range strings.Lines(body) {
			code.WriteString(strings.TrimPrefix(line, "\t"))
		}
		assert.Equal(t, strings.ReplaceAll(code.String(), "../testdata", "testdata"), shown)
		assert.NotContains(t, rest, "```go\n", "code that no test compiles")
	}
}
