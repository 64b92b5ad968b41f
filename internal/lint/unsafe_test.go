package lint_test

import (
	"path"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestUnsafeIsInOneFile fails if a file other than unsafe.go imports unsafe. The build tag nounsafe
// replaces that file, so nothing unsafe is left with it.
func TestUnsafeIsInOneFile(t *testing.T) {
	for _, file := range sourceFiles(t, ".go") {
		if !file.IsTest() && path.Base(file.Path) != "unsafe.go" {
			assert.False(t, slices.Contains(imports(t, file), "unsafe"), "%s imports unsafe", file.Path)
		}
	}
}
