package columns

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/sqltext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// noName stands for an empty name.
const noName = "."

// maxName is how many bytes a name of a type or a field has in tables; longer ones are cut.
const maxName = 1000

// TableName returns the name of the table of a type, as docs/COLUMNS.md says. It is none of ours, and types with
// different names have different tables.
func TableName(t mmapjfr.Type) string {
	name := plain(t.Name())
	if name == "" || name[0] == '_' || name[0] == '.' {
		return "." + name
	}
	return name
}

// columnName returns the name of the column of a field.
func columnName(field string) string {
	if field == "" {
		return noName
	}
	return plain(field)
}

// plain returns a name that programs with lines, and files, can have, whatever a recording says. Different names stay
// different.
func plain(name string) string {
	name = sqltext.Plain(name, "%")
	if len(name) <= maxName {
		return name
	}
	return fmt.Sprintf("%s%%%016x", beginning(name, maxName), hashOf(name))
}

// beginning returns the first bytes of a longer text, which end where a character does.
func beginning(text string, most int) string {
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// unique gives columns names that differ, also for programs that ignore the case of letters: a later column gets _
// at its end.
func unique(columns []*Column) {
	seen := make(map[string]bool)
	tails := make(map[string]int) // with how many _ at its end a name could be free
	for _, c := range columns {
		name := strings.ToLower(c.Name)
		n := tails[name]
		for seen[name+strings.Repeat("_", n)] {
			n++
		}
		seen[name+strings.Repeat("_", n)], tails[name] = true, n+1
		c.Name += strings.Repeat("_", n)
	}
}
