// Package duckdb writes the SQL script that shows tables of events to DuckDB: a view for each
// table, and macros.
package duckdb

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

var (
	//go:embed macros.sql
	macros string
	// stackMacros read the table _stacks.
	//
	//go:embed stacks.sql
	stackMacros string
)

const stacksTable = "_stacks"

// Name is how SQL calls a table: by its full name, such as jdk.FileRead, and by a short one, such
// as FileRead. Short is empty if the full name has no dot, or if several tables could have it.
type Name struct{ Full, Short string }

// Names returns how SQL calls tables. DuckDB does not tell upper from lower case: of tables whose
// names differ in nothing else, the first keeps its name, and the others get _ at the end. So do
// tables with names of DuckDB's own views.
func Names(tables []string) []Name {
	count, used := make(map[string]int), make(map[string]bool)
	for _, t := range tables {
		count[strings.ToLower(t)]++
		used[strings.ToLower(t)] = true
	}
	names, shorts := make([]Name, len(tables)), make(map[string]int)
	for i, t := range tables {
		name := t
		if lower := strings.ToLower(t); count[lower] < 0 || isSystem(lower) {
			for name += "_"; used[strings.ToLower(name)]; name += "_" {
			}
			used[strings.ToLower(name)] = true
		} else {
			count[lower] = -1
		}
		names[i].Full = name
		shorts[strings.ToLower(short(name))]++
	}
	for i, n := range names {
		s := short(n.Full)
		if lower := strings.ToLower(s); s != "" && shorts[lower] == 1 && !used[lower] && !isSystem(lower) {
			names[i].Short = s
		}
	}
	return names
}

// short returns a name without what precedes its last dot.
func short(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// isSystem reports whether DuckDB has a view of that name, or may have one.
func isSystem(name string) bool { return systemView().MatchString(name) }

var systemView = lazy.Regexp(`^(duckdb|pragma|sqlite|pg)_`)

// Table is a table, and the SQL that reads its rows, as [Parquet] and [Empty] return it.
type Table struct {
	Name
	From string
}

// Script returns the statements that make views of tables, and macros. They can be executed again.
func Script(tables []Table) string {
	var b strings.Builder
	view := func(name, from string) { fmt.Fprintf(&b, "CREATE OR REPLACE VIEW %s AS FROM %s;\n", name, from) }
	b.WriteString("SET TimeZone = 'UTC';\n")
	schemas, hasStacks := make(map[string]bool), false
	for _, t := range tables {
		full := Quote(t.Full)
		view(full, t.From)
		schema, name, _ := strings.Cut(t.Full, ".")
		if schema != "" && name != "" && !strings.Contains(name, ".") && !slices.Contains(reserved, strings.ToLower(schema)) {
			if !schemas[schema] {
				schemas[schema] = true
				fmt.Fprintf(&b, "CREATE SCHEMA IF NOT EXISTS %s;\n", Quote(schema))
			}
			view(Quote(schema)+"."+Quote(name), "main."+full)
		}
		if t.Short != "" {
			view(Quote(t.Short), "main."+full)
		}
		hasStacks = hasStacks || t.Full == stacksTable
	}
	b.WriteString("\n" + macros)
	if hasStacks {
		b.WriteString("\n" + stackMacros)
	}
	return b.String()
}

// reserved are schemas and catalogs that DuckDB has.
var reserved = []string{"main", "pg_catalog", "information_schema", "memory", "system", "temp"}

// Named reports for each name whether a script may name the table, in full or not. It does not
// parse the script, and may take other words for names. A script that lists tables names all of
// them.
func Named(script string, names []Name) []bool {
	words := wordsOf(script)
	all := slices.ContainsFunc(lists, func(word string) bool { return words[word] })
	named := make([]bool, len(names))
	for i, n := range names {
		named[i] = true
		for word := range wordsOf(short(n.Full)) {
			named[i] = named[i] && words[word]
		}
		if n.Full == stacksTable {
			for _, m := range macro().FindAllStringSubmatch(stackMacros, -1) {
				named[i] = named[i] || words[m[1]]
			}
		}
		named[i] = named[i] || all
	}
	return named
}

// lists are words of statements that show which tables there are.
var lists = []string{"show", "information_schema", "duckdb_tables", "duckdb_views", "duckdb_columns", "pg_tables", "pg_views", "sqlite_master"}

var macro = lazy.Regexp(`MACRO (\w+)`)

// wordsOf returns the words of a text in lower case.
func wordsOf(text string) map[string]bool {
	words := make(map[string]bool)
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[strings.Trim(word, "$")] = true // of a text between dollars
	}
	return words
}

// Parquet returns the SQL that reads Parquet files, of which several are one table. Those of a
// table that events refer to can have the same rows.
func Parquet(table string, paths ...string) string {
	list := make([]string, len(paths))
	for i, path := range paths {
		list[i] = text(globs.Replace(path))
	}
	switch {
	case len(list) == 1:
		return "read_parquet(" + list[0] + ", hive_partitioning = false)"
	case strings.HasPrefix(table, "_"):
		return "(SELECT DISTINCT * FROM read_parquet([" + strings.Join(list, ", ") + "], union_by_name = true, hive_partitioning = false))"
	}
	return "read_parquet([" + strings.Join(list, ", ") + "], union_by_name = true, hive_partitioning = false)"
}

// globs protects characters of a path that stand for others.
var globs = strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]")

// text returns a text as SQL has it, without ends of lines, after which a shell could find a
// command.
func text(s string) string {
	return "'" + strings.NewReplacer("'", "''", "\n", "' || chr(10) || '", "\r", "' || chr(13) || '").Replace(s) + "'"
}

// Quote returns a name as SQL has it. Names of tables and columns have no control characters, after
// which a shell could find a command; Quote leaves out those of others.
func Quote(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, name)
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// Empty returns the SQL of a table without rows.
func Empty(t *columns.Table) string {
	list := make([]string, len(t.Columns))
	for i := range t.Columns {
		list[i] = "CAST(NULL AS " + TypeOf(&t.Columns[i]) + ") AS " + Quote(t.Columns[i].Name)
	}
	return "(SELECT " + strings.Join(list, ", ") + " WHERE false)"
}

// TypeOf returns the type that a column has in DuckDB.
func TypeOf(c *columns.Column) string {
	if c.Kind == columns.List {
		return TypeOf(&columns.Column{Kind: c.Element}) + "[]"
	}
	return [...]string{
		columns.Bool: "BOOLEAN", columns.Int: "BIGINT", columns.Uint: "UBIGINT", columns.Double: "DOUBLE",
		columns.Time: "TIMESTAMP WITH TIME ZONE", columns.Text: "VARCHAR",
		columns.Frames: "STRUCT(class VARCHAR, method VARCHAR, descriptor VARCHAR, line BIGINT, bci BIGINT, type VARCHAR)[]",
	}[c.Kind]
}
