package internal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/sqltext"
)

func TestSQLText(t *testing.T) {
	for text, want := range map[string]string{
		"": "''", "a'b": "'a''b'", "a\x00": "('a' || chr(0))", "\n.shell x\r": "(chr(10) || '.shell x' || chr(13))", "a\u2028'": "('a' || chr(8232) || '''')", "\xff": "'\uFFFD'",
	} {
		assert.Equal(t, want, sqltext.Text(text), "%q", text)
	}
	for name, want := range map[string]string{
		"": `""`, `a"b`: `"a""b"`, "a\x00\n": `"a%00%0A"`, "100 %": `"100 %"`, "\xff\u0085": `"%FF%C2%85"`, "é😀\u202e": "\"é😀\u202e\"",
	} {
		assert.Equal(t, want, sqltext.Name(name), "%q", name)
	}
	assert.Equal(t, "%25%00%2500", sqltext.Plain("%\x00%00", "%"))
}

// FuzzSQLText writes names and texts that stay in one line, and end at their ends.
func FuzzSQLText(f *testing.F) {
	for _, s := range []string{"", "\x00", "a\n.shell x", `""`, "''", "%00", "\xc3\x28\r"} {
		f.Add(s, s+"%")
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		for _, written := range []string{sqltext.Name(one), sqltext.Text(one)} {
			assert.Negative(t, strings.IndexFunc(written, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x85 || r == '\u2028' }), "%q", one)
			assert.Zero(t, strings.Count(written, written[:1])%2*len(strings.Trim(written[:1], "(")), "%q", written)
		}
		assert.Equal(t, one == two, sqltext.Plain(one, "%") == sqltext.Plain(two, "%"), "%q %q", one, two)
	})
}
