package columns

import (
	"fmt"
	"strings"
	"unicode/utf8"

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
	name = escaped(name)
	if len(name) <= maxName {
		return name
	}
	return fmt.Sprintf("%s%%%016x", beginning(name, maxName), hashOf(name))
}

// escaped returns a name with % and two hexadecimal digits for each byte of control characters, of %, and of what is no
// UTF-8.
func escaped(name string) string {
	bad := func(r rune) bool {
		return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '%'
	}
	if utf8.ValidString(name) && strings.IndexFunc(name, bad) < 0 {
		return name
	}
	var b strings.Builder
	for name != "" {
		r, size := utf8.DecodeRuneInString(name)
		if r == utf8.RuneError && size == 1 || bad(r) {
			for _, c := range []byte(name[:size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(name[:size])
		}
		name = name[size:]
	}
	return b.String()
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
