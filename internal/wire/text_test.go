package wire_test

import (
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/wire"
)

// texts are strings as they lie in a file, and all that can be asked of them.
var texts = []struct {
	name     string
	form     wire.IntEncoding
	hex      string
	encoding wire.Encoding
	key      int64
	want     string
	view     bool // the bytes are right as they are
	units    []uint16
}{
	{"null", wire.Compressed, "00", wire.Null, 0, "", true, nil},
	{"null", wire.FixedWidth, "00", wire.Null, 0, "", true, nil},
	{"empty", wire.Compressed, "01", wire.Empty, 0, "", true, nil},
	{"empty", wire.FixedWidth, "01", wire.Empty, 0, "", true, nil},
	{"constant", wire.Compressed, "02 ac02", wire.Constant, 300, "", false, nil},
	{"constant, nine bytes", wire.Compressed, "02 feffffffffffffffff", wire.Constant, -2, "", false, nil},
	{"constant", wire.FixedWidth, "02 000000000000012c", wire.Constant, 300, "", false, nil},
	{"UTF-8 of no bytes", wire.Compressed, "03 00", wire.UTF8, 0, "", true, nil},
	{"UTF-8", wire.Compressed, "03 0a 61c3a4e282acf09f9880", wire.UTF8, 0, "aä€😀", true, nil},
	{"UTF-8", wire.FixedWidth, "03 0000000a 61c3a4e282acf09f9880", wire.UTF8, 0, "aä€😀", true, nil},
	{"UTF-8 with NUL", wire.Compressed, "03 03 610062", wire.UTF8, 0, "a\x00b", true, nil},
	{"UTF-8, padded count", wire.Compressed, "03 8280808000 c3a4", wire.UTF8, 0, "ä", true, nil},
	{"UTF-8, malformed", wire.Compressed, "03 03 61ff62", wire.UTF8, 0, "a\ufffdb", false, nil},
	{"chars of no units", wire.Compressed, "04 00", wire.Chars, 0, "", true, nil},
	{"chars, ASCII", wire.Compressed, "04 09 74687265 73686f6c64", wire.Chars, 0, "threshold", true, nil},
	{"chars, ASCII", wire.FixedWidth, "04 00000002 0041 0042", wire.Chars, 0, "AB", false, nil},
	{"chars, a padded unit", wire.Compressed, "04 02 c180 80 00 42", wire.Chars, 0, "AB", false, nil},
	{"chars, 0x80", wire.Compressed, "04 01 8001", wire.Chars, 0, "\u0080", false, nil},
	{"chars, a pair", wire.Compressed, "04 04 61 bdb003 80bc03 62", wire.Chars, 0, "a😀b", false, nil},
	{"chars, a pair", wire.FixedWidth, "04 00000002 d83d de00", wire.Chars, 0, "😀", false, nil},
	{"chars, first of a pair at the end", wire.Compressed, "04 02 61 bdb003", wire.Chars, 0, "a\ufffd", false, []uint16{'a', 0xd83d}},
	{"chars, second of a pair alone", wire.Compressed, "04 02 80bc03 61", wire.Chars, 0, "\ufffda", false, []uint16{0xde00, 'a'}},
	{"chars, two firsts and a second", wire.Compressed, "04 03 bdb003 bdb003 80bc03", wire.Chars, 0, "\ufffd😀", false, []uint16{0xd83d, 0xd83d, 0xde00}},
	{"chars, pair the wrong way round", wire.FixedWidth, "04 00000002 de00 d83d", wire.Chars, 0, "\ufffd\ufffd", false, []uint16{0xde00, 0xd83d}},
	{"chars, a first before a letter", wire.FixedWidth, "04 00000002 d83d 0041", wire.Chars, 0, "\ufffdA", false, []uint16{0xd83d, 'A'}},
	{"chars, the replacement character itself", wire.FixedWidth, "04 00000001 fffd", wire.Chars, 0, "\ufffd", false, nil},
	{"Latin-1 of no bytes", wire.Compressed, "05 00", wire.Latin1, 0, "", true, nil},
	{"Latin-1, ASCII", wire.Compressed, "05 03 616263", wire.Latin1, 0, "abc", true, nil},
	{"Latin-1, ASCII", wire.FixedWidth, "05 00000003 616263", wire.Latin1, 0, "abc", true, nil},
	{"Latin-1", wire.Compressed, "05 05 47 72 f6 df 65", wire.Latin1, 0, "Größe", false, nil},
	{"Latin-1, what would be UTF-8", wire.Compressed, "05 02 c3a4", wire.Latin1, 0, "Ã¤", false, nil},
	{"Latin-1, the last of many", wire.Compressed, "05 0a 41414141414141414180", wire.Latin1, 0, "AAAAAAAAA\u0080", false, nil},
	{"Latin-1, the eighth of many", wire.Compressed, "05 09 4141414141414180 41", wire.Latin1, 0, "AAAAAAA\u0080A", false, nil},
}

func TestText(t *testing.T) {
	for _, tt := range texts {
		t.Run(forms[tt.form].name+"/"+tt.name, func(t *testing.T) {
			whole := unhex(t, tt.hex)
			for _, s := range surroundings {
				b := cut(append(whole[:len(whole):len(whole)], s.behind...))
				text, n := wire.ReadText(b, tt.form)
				assert.Equal(t, len(whole), n, s.name)
				assert.Equal(t, len(whole), wire.SkipText(b, tt.form), s.name)
				assert.Equal(t, tt.encoding, text.Encoding)
				assert.Equal(t, tt.key, text.Key)
				assert.Equal(t, len(text.Bytes), cap(text.Bytes), "nobody can append to the file")

				view, ok := text.View()
				assert.Equal(t, tt.view, ok)
				assert.Equal(t, tt.view, text.Plain())
				if ok {
					assert.Equal(t, tt.want, view)
				}
				assert.Equal(t, "before "+tt.want, string(text.Append([]byte("before "))))
				units := tt.units
				if units == nil {
					units = utf16.Encode([]rune(tt.want))
				}
				assert.Equal(t, append([]uint16{1, 2}, units...), text.AppendUTF16([]uint16{1, 2}))
			}
		})
	}
}

func TestTextRejectsEveryTruncation(t *testing.T) {
	for _, tt := range texts {
		t.Run(forms[tt.form].name+"/"+tt.name, func(t *testing.T) {
			whole := unhex(t, tt.hex)
			for n := range whole {
				text, got := wire.ReadText(cut(whole[:n]), tt.form)
				assert.Zero(t, got, "%d bytes", n)
				assert.Zero(t, text, "%d bytes", n)
				assert.Zero(t, wire.SkipText(cut(whole[:n]), tt.form), "%d bytes", n)
			}
		})
	}
}

func TestTextRejectsCountsBeyondTheData(t *testing.T) {
	tests := []struct {
		name string
		form wire.IntEncoding
		hex  string
	}{
		{"one byte too many", wire.Compressed, "03 03 4142"},
		{"one byte too many, Latin-1", wire.Compressed, "05 03 4142"},
		{"one unit too many", wire.Compressed, "04 03 4142"},
		{"two bytes of count", wire.Compressed, "03 8001 4142"},
		{"int -1", wire.Compressed, "03 ffffffff0f 4142"},
		{"int -1, chars", wire.Compressed, "04 ffffffff0f 4142"},
		{"long -1", wire.Compressed, "05 ffffffffffffffffff 4142"},
		{"long -1, chars", wire.Compressed, "04 ffffffffffffffffff 4142"},
		{"low bits alone would do", wire.Compressed, "03 8280808010 4142"},
		{"least long", wire.Compressed, "04 808080808080808080 4142"},
		{"half of all bytes there are, doubled", wire.FixedWidth, "04 80000000 00410042"},
		{"one byte too many", wire.FixedWidth, "03 00000003 4142"},
		{"negative", wire.FixedWidth, "05 ffffffff 4142"},
		{"units of two bytes", wire.FixedWidth, "04 00000002 004100"},
		{"as many units as bytes", wire.FixedWidth, "04 00000004 00410042"},
		{"negative, chars", wire.FixedWidth, "04 ffffffff 00410042"},
	}
	for _, tt := range tests {
		t.Run(forms[tt.form].name+"/"+tt.name, func(t *testing.T) {
			b := cut(unhex(t, tt.hex))
			text, n := wire.ReadText(b, tt.form)
			assert.Zero(t, n)
			assert.Zero(t, text)
			assert.Zero(t, wire.SkipText(b, tt.form))
		})
	}
}

func TestTextRejectsUnknownEncodings(t *testing.T) {
	for _, f := range forms {
		for e := 6; e < 256; e++ {
			b := append([]byte{byte(e)}, make([]byte, 16)...)
			text, n := wire.ReadText(b, f.form)
			assert.Zero(t, n, "encoding %d", e)
			assert.Zero(t, text, "encoding %d", e)
			assert.Zero(t, wire.SkipText(b, f.form), "encoding %d", e)
		}
	}
}

// The zero Text, which a cursor that has failed returns, is the null string.
func TestZeroTextIsNull(t *testing.T) {
	var text wire.Text
	view, ok := text.View()
	assert.True(t, ok)
	assert.Empty(t, view)
	assert.Empty(t, text.Append(nil))
	assert.Empty(t, text.AppendUTF16(nil))
}

// A Text that no decoder has made can end inside a code unit.
func TestTextCutOffInsideAUnit(t *testing.T) {
	for _, text := range []wire.Text{
		{Encoding: wire.Chars, IntEncoding: wire.FixedWidth, Bytes: []byte{0, 'A', 0}},
		{Encoding: wire.Chars, IntEncoding: wire.Compressed, Bytes: []byte{'A', 0x80}},
	} {
		assert.Equal(t, "A", string(text.Append(nil)))
		assert.Equal(t, []uint16{'A'}, text.AppendUTF16(nil))
	}
}
