package complete

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLinesOfBash(t *testing.T) {
	for line, want := range map[string][]string{
		"mjfr":                  {"mjfr", ""},
		"mjfr ":                 {"mjfr", ""},
		`mjfr 'a b' "c\"d" e\ `: {"mjfr", "a b", `c"d`, "e "},
		`mjfr a'b"c`:            {"mjfr", `ab"c`},
		`mjfr "a\`:              {"mjfr", `a\`},
		`mjfr "a\b`:             {"mjfr", `a\b`},
		"mjfr '' x":             {"mjfr", "", "x"},
		"mjfr a\tb ":            {"mjfr", "a", "b", ""},
	} {
		assert.Equal(t, want, splitLine(line).words, line)
	}
}
