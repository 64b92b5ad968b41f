package lint_test

import (
	"cmp"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the files in api")

// Exported functions, types and methods of a package, and public packages: what a newcomer can
// take in.
const (
	maxExported = 60
	maxPackages = 19
)

// manyExported are the exceptions: what they have now, which may not grow.
var manyExported = map[string]int{
	"mmapjfr":       252,
	"mmapjfr/batch": 59,
}

// exportedNames returns the exported functions, types, methods, constants and variables that a
// file declares, as in "func Open" and "method Event.Int".
func exportedNames(file *ast.File) (names []string) {
	add := func(what, name string) {
		if last := name[strings.LastIndex(name, ".")+1:]; ast.IsExported(last) && ast.IsExported(name) {
			names = append(names, what+" "+name)
		}
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add("func", d.Name.Name)
			} else {
				add("method", receiver(d.Recv.List[0].Type)+"."+d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					add("type", s.Name.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						add(d.Tok.String(), name.Name)
					}
				}
			}
		}
	}
	return names
}

// receiver returns the name of a method's type.
func receiver(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// publicNames returns the sorted exported names of each package that other modules can import.
func publicNames(t *testing.T) map[string][]string {
	t.Helper()
	public := make(map[string]map[string]bool)
	for _, source := range sourceFiles(t, ".go") {
		if source.IsTest() || strings.Contains("/"+source.Path, "/internal/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), source.Path, source.Text, parser.SkipObjectResolution)
		require.NoError(t, err)
		if file.Name.Name == "main" {
			continue
		}
		if public[source.Dir()] == nil {
			public[source.Dir()] = make(map[string]bool)
		}
		for _, name := range exportedNames(file) {
			public[source.Dir()][name] = true
		}
	}
	sorted := make(map[string][]string, len(public))
	for dir, names := range public {
		sorted[dir] = slices.Sorted(maps.Keys(names))
	}
	return sorted
}

// TestAPI fails if a package exports other names than the files in api say. They change with
// go test ./internal/lint -run API -update: what is exported is exported on purpose.
func TestAPI(t *testing.T) {
	public := publicNames(t)
	dir := filepath.Join(root, "api")
	if *update {
		require.NoError(t, os.RemoveAll(dir))
		require.NoError(t, os.Mkdir(dir, 0o777))
	}
	files := make([]string, 0, len(public))
	for path, names := range public {
		name := strings.ReplaceAll(path, "/", ".") + ".txt"
		files = append(files, name)
		text := strings.Join(names, "\n") + "\n"
		if *update {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
		}
		want, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, string(want), text, "%s: run go test ./internal/lint -run API -update", path)
		assert.LessOrEqual(t, callable(names), cmp.Or(manyExported[path], maxExported), "%s exports too much", path)
	}
	there, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, file := range there {
		assert.Contains(t, files, file.Name(), "its package has gone")
	}
	assert.LessOrEqual(t, len(public), maxPackages, "too many public packages")
}

// callable counts the functions, types and methods.
func callable(names []string) (n int) {
	for _, name := range names {
		if !strings.HasPrefix(name, "const ") && !strings.HasPrefix(name, "var ") {
			n++
		}
	}
	return n
}
