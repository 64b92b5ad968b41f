package lint_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// budgets are how many lines of Go a room has without tests, and "tests" how many all tests have.
// They only fall: a change that needs more lines in one room takes them from another.
var budgets = map[string]int{
	"cmd":      31_093,
	"docs":     19,
	"fleet":    1_392,
	"index":    188,
	"internal": 36_691,
	"mmapjfr":  69_072,
	"testdata": 11,
	"tests":    102_034,
	"web":      96,
}

const (
	maxReadme = 130    // lines
	maxWidth  = 100    // characters of a line, a tab being four
	maxWide   = 10_750 // lines that are wider still
)

// TestBudgets fails if a room, the tests or the README have grown, or if there are more lines than
// before that are too wide to read.
func TestBudgets(t *testing.T) {
	lines, wide := make(map[string]int), 0
	for _, file := range sourceFiles(t, ".go") {
		room, _, _ := strings.Cut(file.Path, "/")
		if file.IsTest() {
			room = "tests"
		}
		lines[room] += lineCount(file.Text)
		for line := range strings.Lines(file.Text) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))+3*strings.Count(line, "\t") > maxWidth {
				wide++
			}
		}
	}
	for room, n := range lines {
		assert.LessOrEqual(t, n, budgets[room], "lines of %s", room)
	}
	assert.LessOrEqual(t, wide, maxWide, "lines wider than %d characters", maxWidth)
	for _, file := range sourceFiles(t, "README.md") {
		if file.Path == "README.md" {
			assert.LessOrEqual(t, lineCount(file.Text), maxReadme, "lines of README.md")
		}
	}
}
