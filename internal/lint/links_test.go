package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// link is a link of Markdown. Links in code blocks are found, too; there are none.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// heading is a heading of Markdown.
var heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)

// anchor returns the anchor that GitHub gives a heading.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z':
			return r
		}
		return -1
	}, strings.ToLower(heading))
}

// brokenLinks returns the links of a page, in the folder dir, that lead to no file and no heading.
func brokenLinks(dir, page, text string) (broken []string) {
	for _, match := range link.FindAllStringSubmatch(text, -1) {
		file, section, _ := strings.Cut(match[1], "#")
		if strings.Contains(file, "://") {
			continue
		}
		target := filepath.Join(dir, page)
		if file != "" {
			target = filepath.Join(dir, filepath.FromSlash(file))
		}
		found, err := os.Stat(target)
		if err == nil && section != "" && !found.IsDir() {
			var there []byte
			there, err = os.ReadFile(target)
			if err == nil && !hasAnchor(string(there), section) {
				err = os.ErrNotExist
			}
		}
		if err != nil {
			broken = append(broken, match[1])
		}
	}
	return broken
}

// hasAnchor reports whether a page has a heading with an anchor.
func hasAnchor(text, section string) bool {
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		if anchor(match[1]) == section {
			return true
		}
	}
	return false
}

// TestLinks fails if a page links to a file or a heading that is not there.
func TestLinks(t *testing.T) {
	for _, file := range sourceFiles(t, ".md") {
		dir := filepath.Join(root, filepath.FromSlash(file.Dir()))
		assert.Empty(t, brokenLinks(dir, filepath.Base(file.Path), file.Text), "links of %s", file.Path)
	}
}

// TestBrokenLinksAreFound makes sure that the rule can fail.
func TestBrokenLinksAreFound(t *testing.T) {
	text := "## How to report\n\n[a](b.md) [b](#how-to-report) [c](#nowhere) [d](https://example.com/x) [e](b.md#two) [f](gone)\n"
	dir := t.TempDir()
	assert.NoError(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte(text), 0o600))
	assert.NoError(t, os.WriteFile(filepath.Join(dir, "b.md"), []byte("# One\n"), 0o600))
	assert.Equal(t, []string{"#nowhere", "b.md#two", "gone"}, brokenLinks(dir, "a.md", text))
}

// sourcePath is a Go file that a page names in backquotes.
var sourcePath = regexp.MustCompile("`([a-z][a-z0-9_/.]*/[a-z0-9_]+\\.go)`")

// TestPagesNameFiles fails if a page of the root names a Go file that is not there.
func TestPagesNameFiles(t *testing.T) {
	for _, file := range sourceFiles(t, ".md") {
		if file.Dir() != "." {
			continue
		}
		for _, match := range sourcePath.FindAllStringSubmatch(file.Text, -1) {
			assert.FileExists(t, filepath.Join(root, filepath.FromSlash(match[1])), "%s names it", file.Path)
		}
	}
}

var docLink = regexp.MustCompile(`\[\*?(?:([a-z]\w*)\.)?([A-Z][a-z]\w*(?:\.[A-Z]\w*)?)\](?:[^\[(\w]|$)`)

// TestDocLinks fails if a comment links to what is not exported, or names its function with other
// capitals: what a name that is no longer exported leaves behind.
func TestDocLinks(t *testing.T) {
	exported := make(map[string]bool) // names after the directory, or the name, of their package
	packages := make(map[string]string)
	files := make(map[string]*ast.File)
	for _, source := range sourceFiles(t, ".go") {
		if source.IsTest() {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), source.Path, source.Text, parser.ParseComments)
		require.NoError(t, err)
		files[source.Path], packages[file.Name.Name] = file, source.Dir()
		add := func(name string) { exported[source.Dir()+" "+name], exported[file.Name.Name+" "+name] = true, true }
		for _, name := range exportedNames(file) {
			add(name[strings.Index(name, " ")+1:])
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok && len(f.Names) > 0 {
				add(f.Names[0].Name) // of a struct or an interface; which one does not matter
			}
			return true
		})
	}
	for name, file := range files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				first, _, _ := strings.Cut(f.Doc.Text(), " ")
				if strings.EqualFold(first, f.Name.Name) {
					assert.Equal(t, f.Name.Name, first, name)
				}
			}
		}
		for _, group := range file.Comments {
			for _, link := range docLink.FindAllStringSubmatch(group.Text(), -1) {
				in, ours := path.Dir(name), true
				if link[1] != "" {
					_, ours = packages[link[1]]
					in = link[1]
				}
				_, field, _ := strings.Cut(link[2], ".")
				known := exported[in+" "+link[2]] || exported[in+" "+field]
				assert.True(t, known || !ours, "%s links to %s", name, link[0])
			}
		}
	}
}
