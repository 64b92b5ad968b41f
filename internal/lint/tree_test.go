package lint_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the root of the repository.
const root = "../.."

// module is the path of the repository's Go module.
const module = "github.com/mmapjfr/jfr"

// sourceFile is a Go or Markdown file of the repository.
type sourceFile struct {
	Path string // from the root, with slashes
	Text string
}

// Dir returns the file's folder, "." for the root.
func (f sourceFile) Dir() string { return filepath.ToSlash(filepath.Dir(f.Path)) }

// IsTest reports whether the file is a Go test file.
func (f sourceFile) IsTest() bool { return strings.HasSuffix(f.Path, "_test.go") }

// sourceFiles returns all files of the repository that have one of the endings. Hidden folders are
// left out, and so are the folders testdata except for their README.
func sourceFiles(t *testing.T, endings ...string) []sourceFile {
	t.Helper()
	var files []sourceFile
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(name, ".") && name != ".github":
			return filepath.SkipDir
		case d.IsDir() || !hasEnding(name, endings):
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if strings.Contains("/"+rel, "/testdata/") && filepath.Base(rel) != "README.md" {
			return nil
		}
		text, err := os.ReadFile(path)
		files = append(files, sourceFile{Path: rel, Text: string(text)})
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, files, "no file was found")
	return files
}

// hasEnding reports whether name ends in one of the endings.
func hasEnding(name string, endings []string) bool {
	for _, ending := range endings {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}
