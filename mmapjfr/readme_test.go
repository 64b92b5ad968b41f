package mmapjfr_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadmeShowsTheExample makes sure that the code in the README is code that
// the tests run.
func TestReadmeShowsTheExample(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	source, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(readme), "```go\n")
	require.True(t, found, "the README has no Go code")
	shown, rest, _ := strings.Cut(rest, "```")

	_, body, found := strings.Cut(string(source), "func Example() {\n")
	require.True(t, found)
	body, _, _ = strings.Cut(body, "\t// Output:")
	var code strings.Builder
	for line := range strings.Lines(body) {
		code.WriteString(strings.TrimPrefix(line, "\t"))
	}
	assert.Equal(t, strings.ReplaceAll(code.String(), "../testdata", "testdata"), shown)
	assert.NotContains(t, rest, "```go\n", "code that no test runs")
}
