//go:build !nounsafe && !race

package gccheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
)

// packages are those with such functions, from the root of the module.
var packages = []string{"internal/wire", "internal/index/schema", "internal/index", "mmapjfr"}

const root = "../.."

// function is one with a directive.
type function struct {
	name       string
	file       string // from the root
	line, last int
}

// functions returns those with the directive.
func functions(t *testing.T, directive string) (list []function) {
	t.Helper()
	for _, pkg := range packages {
		files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if name := filepath.Base(file); strings.HasSuffix(name, "_test.go") || name == "safe.go" {
				continue
			}
			set := token.NewFileSet()
			tree, err := parser.ParseFile(set, file, nil, parser.ParseComments)
			require.NoError(t, err)
			for _, decl := range tree.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if !ok || f.Doc == nil {
					continue
				}
				for _, c := range f.Doc.List {
					if c.Text == "//gccheck:"+directive {
						from, to := set.Position(f.Pos()), set.Position(f.End())
						list = append(list, function{f.Name.Name, pkg + "/" + filepath.Base(file), from.Line, to.Line})
					}
				}
			}
		}
	}
	return list
}

// remark is what the compiler says of a line.
type remark struct {
	file string
	line int
	text string
}

var remarkLine = regexp.MustCompile(`^(?:\./)?([^:]+):(\d+):\d+: (.*)$`)

// compile returns what the compiler says with a flag.
func compile(t *testing.T, flag string) (list []remark) {
	t.Helper()
	args := []string{"build", "-gcflags=" + flag}
	for _, pkg := range packages {
		args = append(args, "./"+pkg)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	for line := range strings.Lines(string(out)) {
		if m := remarkLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			n, err := strconv.Atoi(m[2])
			require.NoError(t, err)
			list = append(list, remark{filepath.ToSlash(m[1]), n, m[3]})
		}
	}
	require.NotEmpty(t, list, "the compiler said nothing")
	return list
}

func needsGo(t *testing.T) {
	t.Helper()
	longtest.Long(t, "the compiler is asked, and each version of it says something else")
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
}

func TestInlined(t *testing.T) {
	needsGo(t)
	said := make(map[string]bool)
	for _, r := range compile(t, "-m") {
		if strings.HasPrefix(r.text, "can inline ") {
			said[r.file+":"+strconv.Itoa(r.line)] = true
		}
	}
	list := functions(t, "inline")
	require.NotEmpty(t, list)
	for _, f := range list {
		assert.True(t, said[f.file+":"+strconv.Itoa(f.line)], "%s (%s:%d) is no longer inlined", f.name, f.file, f.line)
	}
}

func TestNoBoundsChecks(t *testing.T) {
	needsGo(t)
	remarks := compile(t, "-d=ssa/check_bce/debug=1")
	list := functions(t, "nobounds")
	require.NotEmpty(t, list)
	for _, f := range list {
		for _, r := range remarks {
			// A slice that is cut once to the right length spares the checks of its elements.
			if r.text == "Found IsInBounds" && r.file == f.file && f.line <= r.line && r.line <= f.last {
				assert.Fail(t, "a bounds check", "%s:%d, in %s: %s", r.file, r.line, f.name, r.text)
			}
		}
	}
}
