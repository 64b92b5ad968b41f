package main

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
)

// TestPrintOnATerminal prints strings that are all kinds of control characters.
func TestPrintOnATerminal(t *testing.T) {
	var file = clitest.File("jdk25-strings.jfr")
	for _, format := range [][]string{nil, {"--exact"}, {"--json"}, {"--xml"}, {"--ndjson"}, {"--csv"}, {"--tsv"}} {
		args := append([]string{"print", "--events", "Strings$Text", "--color=never"}, append(format, file)...)
		if format == nil || format[0] == "--exact" {
			_, plain, _ := mjfrCommand(t, args...)
			require.Contains(t, plain, "\x1b", "a file gets what was recorded")
		}
		code, stdout, stderr := onTerminal(t, 80, args...)
		assert.Equal(t, cli.ExitOK, code)
		assert.Empty(t, stderr)
		assert.NotEmpty(t, stdout)
		bad := strings.IndexFunc(stdout, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })
		assert.Negative(t, bad, "%s: %.20q", format, stdout[max(bad, 0):])
	}
}
