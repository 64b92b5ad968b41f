package lint_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
)

// given are what examples in package comments do not say: what they are about.
const given = `
	ctx context.Context, rec *mmapjfr.Recording, recordings []*mmapjfr.Recording, out io.Writer,
	names []string, from, to time.Time, path string, question batch.Question, sum *batch.Partial`

// declared is what they take for granted besides.
const declared = `
type Request struct {
	Path   string
	Status int
}
`

// qualified is a name of a package, before a dot.
var qualified = regexp.MustCompile(`\b[a-z]\w*\.[A-Z]`)

// TestPackageCommentsCompile compiles the examples in comments of packages: what a newcomer copies
// first.
func TestPackageCommentsCompile(t *testing.T) {
	longtest.Long(t, "it runs the compiler")
	paths := map[string]string{"context": "context", "fmt": "fmt", "io": "io", "log": "log", "os": "os", "time": "time"}
	var examples []string
	for _, file := range sourceFiles(t, ".go") {
		if dir := file.Dir(); strings.HasPrefix(dir, "mmapjfr") && !strings.Contains(dir, "internal") {
			paths[filepath.Base(dir)] = module + "/" + dir
		}
		if file.IsTest() || !strings.HasPrefix(file.Dir(), "mmapjfr") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file.Path, file.Text, parser.ParseComments|parser.PackageClauseOnly)
		require.NoError(t, err)
		if f.Doc == nil {
			continue
		}
		for _, block := range new(comment.Parser).Parse(f.Doc.Text()).Content {
			if code, ok := block.(*comment.Code); ok && strings.Contains(code.Text, ":= ") {
				examples = append(examples, "// "+file.Path+"\n"+compiled(t, file.Path, code.Text))
			}
		}
	}
	require.Greater(t, len(examples), 10)
	text := strings.Join(examples, "\n")
	imports := ""
	for _, match := range slices.Compact(slices.Sorted(slices.Values(qualified.FindAllString(text, -1)))) {
		if name, _, _ := strings.Cut(match, "."); paths[name] != "" && !strings.Contains(imports, "\t"+name+" ") {
			imports += fmt.Sprintf("\t%s %q\n", name, paths[name])
		}
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "examples.go")
	require.NoError(t, os.WriteFile(source, []byte("package examples\n\nimport (\n"+imports+")\n"+declared+text), 0o600))
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "mmapjfr/examples/examples.go"): source}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	build := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "./mmapjfr/examples")
	build.Dir = root
	said, err := build.CombinedOutput()
	assert.NoError(t, err, "%s\n%s", said, text)
}

// compiled returns an example as a function that compiles if it does.
func compiled(t *testing.T, path, code string) string {
	code = strings.ReplaceAll(code, "{ ... }", "{ return }")
	code = regexp.MustCompile(`(?m)^\.\.\.$`).ReplaceAllString(code, "")
	text := "func _(" + given + ") {\n" + code
	f, err := parser.ParseFile(token.NewFileSet(), path, "package p\n"+text+"}", 0)
	require.NoError(t, err, text)
	for _, statement := range f.Decls[0].(*ast.FuncDecl).Body.List {
		if a, ok := statement.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
			for _, x := range a.Lhs { // some are not used
				if name := x.(*ast.Ident).Name; name != "_" {
					text += "\t_ = " + name + "\n"
				}
			}
		}
	}
	return text + "}\n"
}
