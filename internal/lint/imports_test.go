package lint_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// imports returns what a Go file imports, under all build constraints.
func imports(t *testing.T, file sourceFile) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file.Path, file.Text, parser.ImportsOnly)
	require.NoError(t, err)
	var paths []string
	for _, spec := range parsed.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		paths = append(paths, path)
	}
	return paths
}

// roomRow is a row of the import table: some rooms, and what all of them may import. Both are
// folders from the root, and modules by their path. "x/..." stands for x and all below it.
type roomRow struct {
	rooms, mayImport []string
}

// importTable is the table "Room | What | May import" of ARCHITECTURE.md.
type importTable []roomRow

// code is a name in backquotes.
var code = regexp.MustCompile("`([^`]+)`")

// parseImportTable reads the import table of a page: the first table whose last column is called
// "May import". In both columns names stand in backquotes.
func parseImportTable(page string) (importTable, error) {
	var table importTable
	inside := false
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		last := strings.TrimSpace(cells[len(cells)-1])
		switch {
		case last == "May import":
			inside = true
		case !inside || strings.HasPrefix(last, "---"):
		case !strings.HasPrefix(line, "|"):
			return table, nil
		default:
			row := roomRow{names(cells[0]), names(last)}
			if len(row.rooms) == 0 {
				return nil, fmt.Errorf("a row without a room: %s", line)
			}
			table = append(table, row)
		}
	}
	if !inside {
		return nil, fmt.Errorf("there is no import table")
	}
	return table, nil
}

// names returns the names in backquotes of a cell.
func names(cell string) []string {
	var all []string
	for _, match := range code.FindAllStringSubmatch(cell, -1) {
		all = append(all, match[1])
	}
	return all
}

// covers returns how many bytes of the path a pattern of the table names, or -1 if it does not
// cover the path.
func covers(pattern, path string) int {
	base, below := strings.CutSuffix(pattern, "/...")
	if path == base || below && strings.HasPrefix(path, base+"/") {
		return len(base)
	}
	return -1
}

// row returns the row of a room: of several that cover it, the one that names most of it.
func (table importTable) row(room string) (roomRow, bool) {
	longest, found := -1, roomRow{}
	for _, row := range table {
		for _, pattern := range row.rooms {
			if n := covers(pattern, room); n > longest {
				longest, found = n, row
			}
		}
	}
	return found, longest >= 0
}

// allows reports whether a room may import a path. The standard library is always allowed, and so
// are rooms below the same "x/..." pattern.
func (table importTable) allows(room, path string) bool {
	row, ok := table.row(room)
	if !ok {
		return false
	}
	imported, own := strings.CutPrefix(path, module+"/")
	if !own && !strings.Contains(strings.SplitN(path, "/", 2)[0], ".") {
		return true
	}
	for _, pattern := range row.mayImport {
		if covers(pattern, imported) >= 0 {
			return true
		}
	}
	return own && slices.ContainsFunc(row.rooms, func(pattern string) bool {
		return strings.HasSuffix(pattern, "/...") && covers(pattern, room) >= 0 && covers(pattern, imported) >= 0
	})
}

// readImportTable reads the table of ARCHITECTURE.md.
func readImportTable(t *testing.T) importTable {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	require.NoError(t, err)
	table, err := parseImportTable(string(page))
	require.NoError(t, err)
	return table
}

// TestImports fails if a room imports something that the table of ARCHITECTURE.md does not allow.
// Tests may import everything.
func TestImports(t *testing.T) {
	table := readImportTable(t)
	for _, file := range sourceFiles(t, ".go") {
		if file.IsTest() {
			continue
		}
		_, ok := table.row(file.Dir())
		if !assert.True(t, ok, "%s is in no row of the table", file.Dir()) {
			continue
		}
		for _, path := range imports(t, file) {
			assert.True(t, table.allows(file.Dir(), path), "%s imports %s, and the table does not allow it", file.Path, path)
		}
	}
}

// TestImportTableNamesRooms fails if the table names a folder that is not there.
func TestImportTableNamesRooms(t *testing.T) {
	for _, row := range readImportTable(t) {
		for _, name := range slices.Concat(row.rooms, row.mayImport) {
			folder := strings.TrimSuffix(name, "/...")
			if strings.Contains(strings.SplitN(folder, "/", 2)[0], ".") {
				continue // a module
			}
			assert.DirExists(t, filepath.Join(root, filepath.FromSlash(folder)), "the table names %s", name)
		}
	}
}

// TestImportTableIsTight fails if the table allows an import that no room of its row has.
func TestImportTableIsTight(t *testing.T) {
	table := readImportTable(t)
	files := sourceFiles(t, ".go")
	for _, row := range table {
		used := make(map[string]bool)
		for _, file := range files {
			if own, _ := table.row(file.Dir()); file.IsTest() || !slices.Equal(own.rooms, row.rooms) {
				continue
			}
			for _, path := range imports(t, file) {
				for _, pattern := range row.mayImport {
					used[pattern] = used[pattern] || covers(pattern, strings.TrimPrefix(path, module+"/")) >= 0
				}
			}
		}
		for _, pattern := range row.mayImport {
			assert.True(t, used[pattern], "%s import no %s: the table should not allow it", strings.Join(row.rooms, ", "), pattern)
		}
	}
}

// TestImportTableRefuses makes sure that the rule can fail.
func TestImportTableRefuses(t *testing.T) {
	table, err := parseImportTable("# Rooms\n\n| Room | What | May import |\n|---|---|---|\n" +
		"| `low` | bytes | nothing |\n| `mid`, `other` | types | `low`, `golang.org/x/...` |\n" +
		"| `top/...` | programs | `mid`, `rich.example/lib` |\n| `top/plain` | one of them | `low` |\n\n`not/a/room`\n")
	require.NoError(t, err)
	require.Len(t, table, 4)
	tests := []struct {
		room, path string
		want       bool
	}{
		{"low", "go/ast", true},
		{"low", module + "/mid", false},
		{"low", "golang.org/x/sys/unix", false},
		{"mid", module + "/low", true},
		{"mid", module + "/lower", false},
		{"mid", module + "/low/deep", false},
		{"mid", module + "/other", false},
		{"mid", "golang.org/x/sys/unix", true},
		{"mid", "golang.org/other", false},
		{"other", module + "/low", true},
		{"top", module + "/mid", true},
		{"top", module + "/low", false},
		{"top/a", module + "/top/b", true},
		{"top/a", "rich.example/lib", true},
		{"top/a", "rich.example/other", false},
		{"top/plain", module + "/low", true},
		{"top/plain", module + "/mid", false},
		{"nowhere", "fmt", false},
	}
	for _, test := range tests {
		assert.Equal(t, test.want, table.allows(test.room, test.path), "%s imports %s", test.room, test.path)
	}
	_, err = parseImportTable("# Rooms\n")
	assert.Error(t, err)
	_, err = parseImportTable("| Room | May import |\n|---|---|\n| low | nothing |\n")
	assert.Error(t, err)
}
