package mmapjfr_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadmeShowsTheExamples makes sure that the code in the README is code that the
// tests run, or at least compile.
func TestReadmeShowsTheExamples(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	rest, found := string(readme), false
	for _, file := range []string{"example_test.go", "stream/example_test.go"} {
		_, rest, found = strings.Cut(rest, "```go\n")
		require.True(t, found, "the README does not show %s", file)
		var shown string
		shown, rest, _ = strings.Cut(rest, "```")

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
	}
	assert.NotContains(t, rest, "```go\n", "code that no test compiles")
}
