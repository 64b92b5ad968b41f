package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// retired are names that had a meaning of this project alone, or several. ARCHITECTURE.md has
// the words in their place.
var retired = []string{
	"wish", "lot", "places", "hole", "crew", "fence", "lease", "cut", "keep", "kept", "keeper",
	"tell", "told", "span", "spot", "fate", "trouble", "ledger", "deed",
}

// retiredStill are files that still have retired names. The list only gets shorter.
var retiredStill = []string{}

// retiredNames returns the declared names of a Go file, and the parts of the file's name, that
// are retired.
func retiredNames(t *testing.T, filePath, text string) (found []string) {
	t.Helper()
	stem := strings.TrimSuffix(path.Base(filePath), ".go")
	for _, word := range strings.Split(stem, "_") {
		if slices.Contains(retired, word) {
			found = append(found, path.Base(filePath))
		}
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), filePath, text, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, declaration := range parsed.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if slices.Contains(retired, d.Name.Name) {
				found = append(found, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok && slices.Contains(retired, s.Name.Name) {
					found = append(found, s.Name.Name)
				}
			}
		}
	}
	return found
}

// TestRetiredNames fails if a file, a function or a type has a retired name.
func TestRetiredNames(t *testing.T) {
	for _, file := range sourceFiles(t, ".go") {
		if file.IsTest() {
			continue
		}
		found := retiredNames(t, file.Path, file.Text)
		if slices.Contains(retiredStill, file.Path) {
			assert.NotEmpty(t, found, "%s is clean: take it off the list", file.Path)
		} else {
			assert.Empty(t, found, "%s: see the words in ARCHITECTURE.md", file.Path)
		}
	}
}

// TestRetiredNamesAreFound makes sure that the rule can fail.
func TestRetiredNamesAreFound(t *testing.T) {
	text := "package p\n\ntype wish int\n\nfunc (wish) tell() { cut := 1; _ = cut }\n\nfunc spotted() {}\n"
	assert.Equal(t, []string{"lot_linux.go", "wish", "tell"}, retiredNames(t, "a/lot_linux.go", text))
}
