package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A folder, a file and a function should fit into one head.
const (
	maxFiles         = 40  // files of a folder without tests
	maxLines         = 600 // lines of a file without tests
	maxFunctionLines = 70
)

// largeFolders, largeFiles and longFunctions are the exceptions: what they have now, which may
// not grow, and a reason.
var (
	largeFolders  = map[string]exception{}
	largeFiles    = map[string]exception{}
	longFunctions = map[string]exception{ // "path.go: name"
		"internal/corrupt/few.go: FewBytes": {199, "a table"},
		"internal/corrupt/rings.go: Rings":  {123, "a table"},
	}
)

type exception struct {
	most   int
	reason string
}

// most returns how much is allowed for a name.
func most(exceptions map[string]exception, name string, rule int) int {
	if e, ok := exceptions[name]; ok {
		return e.most
	}
	return rule
}

// function is a declared function and how many lines it takes.
type function struct {
	name  string
	lines int
}

// functions returns the declared functions of a Go file. The lines of function literals count for
// the function that they stand in.
func functions(t *testing.T, path, text string) []function {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	require.NoError(t, err)
	var all []function
	for _, declaration := range file.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok {
			lines := files.Position(f.End()).Line - files.Position(f.Pos()).Line + 1
			all = append(all, function{f.Name.Name, lines})
		}
	}
	return all
}

// lineCount returns how many lines a text has.
func lineCount(text string) int { return strings.Count(text, "\n") }

// TestSizes fails if a folder has too many files, a file too many lines, or a function.
func TestSizes(t *testing.T) {
	folders := make(map[string]int)
	used := make(map[string]bool)
	for _, file := range sourceFiles(t, ".go") {
		if file.IsTest() {
			continue
		}
		folders[file.Dir()]++
		lines, limit := lineCount(file.Text), most(largeFiles, file.Path, maxLines)
		assert.LessOrEqual(t, lines, limit, "%s is too long", file.Path)
		used[file.Path] = lines > maxLines
		for _, f := range functions(t, file.Path, file.Text) {
			name := file.Path + ": " + f.name
			assert.LessOrEqual(t, f.lines, most(longFunctions, name, maxFunctionLines), "%s is too long", name)
			used[name] = used[name] || f.lines > maxFunctionLines
		}
	}
	for dir, n := range folders {
		assert.LessOrEqual(t, n, most(largeFolders, dir, maxFiles), "%s has too many files", dir)
		used[dir] = n > maxFiles
	}
	for _, exceptions := range []map[string]exception{largeFolders, largeFiles, longFunctions} {
		for name, e := range exceptions {
			assert.True(t, used[name], "%s needs no exception any more", name)
			assert.NotEmpty(t, e.reason, "%s is an exception without a reason", name)
		}
	}
}

// TestSizesAreCounted makes sure that the rule can fail.
func TestSizesAreCounted(t *testing.T) {
	text := "package p\n\nfunc short() {}\n\nfunc (x T) long() {\n" + strings.Repeat("\tf()\n", maxFunctionLines) + "}\n"
	assert.Equal(t, []function{{"short", 1}, {"long", maxFunctionLines + 2}}, functions(t, "p.go", text))
	assert.Equal(t, maxFunctionLines+6, lineCount(text))
	exceptions := map[string]exception{"a": {700, "a table"}}
	assert.Equal(t, 700, most(exceptions, "a", maxLines))
	assert.Equal(t, maxLines, most(exceptions, "b", maxLines))
}
