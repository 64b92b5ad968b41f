package attach_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

func TestParseProperties(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"":                                    {},
		"#Sat Nov 21\njava.version=17.0.15\n": {"java.version": "17.0.15"},
		"  ! also a comment\\\na=b":           {"a": "b"},
		"a=1\r\nb=2\rc=3":                     {"a": "1", "b": "2", "c": "3"},
		"a = 1\nb : 2\nc 3\nd\t=\t4":          {"a": "1", "b": "2", "c": "3", "d": "4"},
		"a==1\nb=:2\nc= = 3":                  {"a": "=1", "b": ":2", "c": "= 3"},
		"blank=\\ two  \nend=x ":              {"blank": " two  ", "end": "x "},
		"line.separator=\\n\nt=\\t\\r\\f\\\\": {"line.separator": "\n", "t": "\t\r\f\\"},
		"k\\=e\\:y\\ s=v\\=\\#\\!\\:":         {"k=e:y s": "v=#!:"},
		"a=one\\\n   two\\\r\n\tthree\nb=2":   {"a": "onetwothree", "b": "2"},
		"a=even\\\\\nb=2":                     {"a": `even\`, "b": "2"},
		"u=\\u00e9\\u20AC":                    {"u": "é€"},
		"u=\\uD83D\\uDE00!":                   {"u": "😀!"},
		"u=\\uD83D!":                          {"u": "\ufffd!"},
		"latin=\xe9":                          {"latin": "é"},
		"bad=\\u12\nworse=\\uxyzw\nend=\\":    {"bad": "u12", "worse": "uxyzw", "end": `\`},
		"twice=1\ntwice=2":                    {"twice": "2"},
		"empty=\nalone\n\n \n=nameless":       {"empty": "", "alone": "", "": "nameless"},
		"end=x\\":                             {"end": `x\`},
	} {
		assert.Equal(t, want, attach.ParseProperties(text), "%q", text)
	}
}

func FuzzParseProperties(f *testing.F) {
	f.Add("#c\na=b\\\n c\\u00e9\n\\=k:v")
	f.Fuzz(func(_ *testing.T, text string) { attach.ParseProperties(text) })
}
