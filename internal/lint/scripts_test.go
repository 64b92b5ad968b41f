package lint_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// choice is a pattern of tests in a script of .ci.
	choice = regexp.MustCompile(`(?:-run|-skip) '([^']*)'`)
	// testName is the name of a test in a Go file.
	testName = regexp.MustCompile(`(?m)^func ((?:Test|Example|Fuzz|Benchmark)\w*)\(`)
	// part is a word in a pattern of tests.
	part = regexp.MustCompile(`\w+`)
	// folders are folders of the project in a script, such as ./index/... and
	// ./internal/{wire,refs}.
	folders = regexp.MustCompile(`(?:^|\s)\./([\w/]+)(?:\{([\w,/]+)\})?`)
)

// unknownTests returns the words in the patterns of a script that occur in none of the names. A
// test that was renamed would silently be left out.
func unknownTests(script string, names []string) (unknown []string) {
	all := strings.Join(names, " ")
	for _, match := range choice.FindAllStringSubmatch(script, -1) {
		for _, word := range part.FindAllString(match[1], -1) {
			if !strings.Contains(all, word) {
				unknown = append(unknown, word)
			}
		}
	}
	return unknown
}

// TestScriptsNameTests fails if a script of .ci chooses tests that are not there.
func TestScriptsNameTests(t *testing.T) {
	var names []string
	for _, file := range sourceFiles(t, "_test.go") {
		for _, match := range testName.FindAllStringSubmatch(file.Text, -1) {
			names = append(names, match[1])
		}
	}
	for _, name := range []string{"run", "long"} {
		script, err := os.ReadFile(filepath.Join(root, ".ci", name))
		require.NoError(t, err)
		assert.Empty(t, unknownTests(string(script), names), "tests that .ci/%s names", name)
	}
}

// TestUnknownTestsAreFound makes sure that the rule can fail.
func TestUnknownTestsAreFound(t *testing.T) {
	names := []string{"TestOpensPipes", "FuzzLoad"}
	assert.Equal(t, []string{"Closes"}, unknownTests("go test -run 'Opens|Closes' -skip 'Load' .\n", names))
}

// missingFolders returns the folders that a script names and that do not exist.
func missingFolders(script string) (missing []string) {
	for _, match := range folders.FindAllStringSubmatch(script, -1) {
		for _, name := range strings.Split(match[2], ",") {
			if path := strings.TrimSuffix(match[1]+name, "/"); !isFolder(path) {
				missing = append(missing, path)
			}
		}
	}
	return missing
}

// isFolder reports whether the project has a folder.
func isFolder(path string) bool {
	info, err := os.Stat(filepath.Join(root, filepath.FromSlash(path)))
	return err == nil && info.IsDir()
}

// TestScriptsNameFolders fails if a script names a folder that has gone or has another name.
func TestScriptsNameFolders(t *testing.T) {
	for _, name := range []string{".ci/run", ".ci/long", "Makefile"} {
		script, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		require.NoError(t, err)
		assert.Empty(t, missingFolders(string(script)), "folders that %s names", name)
	}
	assert.Equal(t, []string{"internal/gone", "gone"}, missingFolders("go test ./internal/{lint,gone} ./gone/..."), "the rule can fail")
}
