package mmapjfr_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheCoreNeedsLittle follows the imports of this package: a program that only reads recordings gets
// no decompressors, and no other packages than those of golang.org/x.
func TestTheCoreNeedsLittle(t *testing.T) {
	const module = "github.com/mmapjfr/jfr/"
	seen := map[string]bool{}
	var follow func(pkg string)
	follow = func(pkg string) {
		if seen[pkg] {
			return
		}
		seen[pkg] = true
		dir := filepath.Join("..", strings.TrimPrefix(pkg, module))
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.ImportsOnly)
			require.NoError(t, err)
			for _, imp := range file.Imports {
				path, err := strconv.Unquote(imp.Path.Value)
				require.NoError(t, err)
				host, _, _ := strings.Cut(path, "/")
				switch {
				case strings.HasPrefix(path, module):
					assert.NotContains(t, path, "/cmd/", pkg)
					follow(path)
				case strings.Contains(host, "."):
					assert.True(t, strings.HasPrefix(path, "golang.org/x/"), "%s imports %s", pkg, path)
				}
			}
		}
	}
	follow(module + "mmapjfr")
	assert.True(t, seen[module+"internal/index"] && seen[module+"internal/wire"])
	assert.False(t, seen[module+"mmapjfr/input"])
}
