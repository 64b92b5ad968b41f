package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// textOnly has the functions that may take the text of an error apart: they only show it.
var textOnly = map[string]string{
	"cmd/mjfr/internal/configure/configure.go": "shows an error of several lines in one",
}

// TestErrorTextsAreNotData fails if code decides something by the text of an error: errors are
// compared by errors.Is and errors.As. It finds comparisons, switches and calls of package strings.
func TestErrorTextsAreNotData(t *testing.T) {
	for _, file := range sourceFiles(t, ".go") {
		if file.IsTest() || textOnly[file.Path] != "" {
			continue
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, file.Path, file.Text, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			var used []ast.Expr
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op.Precedence() == token.EQL.Precedence() {
					used = []ast.Expr{n.X, n.Y}
				}
			case *ast.SwitchStmt:
				used = []ast.Expr{n.Tag}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && isIdent(f.X, "strings") {
					used = n.Args
				}
			}
			for _, e := range used {
				assert.False(t, isErrorText(e), "%s: use errors.Is or errors.As, not the text of an error", files.Position(n.Pos()))
			}
			return true
		})
	}
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// isErrorText reports whether an expression is a call of a method Error without arguments.
func isErrorText(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) > 0 {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	return ok && f.Sel.Name == "Error"
}
