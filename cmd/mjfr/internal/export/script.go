package export

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/duckdb"
	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// scriptFile is the file beside Parquet files that shows them to DuckDB, and scriptHead is how it
// begins.
const (
	scriptFile = "duckdb.sql"
	scriptHead = `-- Written by mjfr export. Open the tables of this folder in DuckDB by: duckdb -init duckdb.sql
-- Paths of files are absolute: if you move the folder, replace them here.
`
)

// hasScript reports whether the folder gets a script.
func (f *tableFolder) hasScript() bool { return f.format.Extension() == columns.Parquet.Extension() }

// checkScript returns an error if a script of somebody else would be replaced.
func (f *tableFolder) checkScript() error {
	path := filepath.Join(f.dir, scriptFile)
	if !f.hasScript() {
		return nil
	}
	if data, err := os.ReadFile(path); err == nil && bytes.HasPrefix(data, []byte(scriptHead)) {
		return nil
	}
	return cli.CheckOut(path, f.force)
}

// writeScript writes the script of all tables in the folder, also those of earlier exports.
func (f *tableFolder) writeScript() error {
	if !f.hasScript() {
		return nil
	}
	dir, err := filepath.Abs(f.dir)
	entries, e := os.ReadDir(f.dir)
	if err = cmp.Or(err, e); err != nil {
		return err
	}
	files := make(map[string][]string)
	for _, e := range entries {
		if name, is := strings.CutSuffix(e.Name(), f.format.Extension()); is && e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			table := tableOf(name)
			files[table] = append(files[table], filepath.Join(dir, e.Name()))
		}
	}
	tables := slices.Sorted(maps.Keys(files))
	list := make([]duckdb.Table, len(tables))
	for i, name := range duckdb.Names(tables) {
		list[i] = duckdb.Table{Name: name, From: duckdb.Parquet(tables[i], files[tables[i]]...)}
	}
	path := filepath.Join(f.dir, scriptFile)
	if err := atomicfile.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, scriptHead+duckdb.Script(list))
		return err
	}); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// tableOf returns the table of a file, whose name is given without its extension.
func tableOf(file string) string {
	if isReference(file) { // maybe with a checksum
		table, _, _ := strings.Cut(file, ".")
		return table
	}
	if name, err := url.PathUnescape(file); err == nil {
		return name
	}
	return file
}
