package mmapjfr_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

func TestTexts(t *testing.T) {
	long := strings.Repeat("Größe €😀 ", 1000)
	for _, c := range []struct {
		name  string
		text  any
		want  string
		units []uint16 // nil: those of want
		len   int      // of bytes in compressed form; -1 if it does not matter
	}{
		{"empty", jfrtest.Empty(), "", nil, 0},
		{"UTF-8", jfrtest.UTF8("aß€😀"), "aß€😀", nil, 10},
		{"UTF-8 of no bytes", jfrtest.UTF8(""), "", nil, 0},
		{"UTF-8 with a zero", jfrtest.UTF8("a\x00b"), "a\x00b", nil, 3},
		{"UTF-8, malformed", jfrtest.UTF8("a\xff\xfeb"), "a\ufffd\ufffdb", nil, 4},
		{"UTF-8, cut short", jfrtest.UTF8("a\xe2\x82"), "a\ufffd", nil, 3},
		{"UTF-8, surrogates of three bytes", jfrtest.UTF8("\xed\xa0\xbd\xed\xb8\x80"), "\ufffd\ufffd", nil, 6},
		{"chars", jfrtest.UTF16("aß€😀"), "aß€😀", nil, -1},
		{"no chars", jfrtest.UTF16(""), "", nil, 0},
		{"chars of ASCII", jfrtest.UTF16("plain"), "plain", nil, 5},
		{"high surrogate alone", jfrtest.UTF16Units('a', 0xd83d), "a\ufffd", []uint16{'a', 0xd83d}, -1},
		{"low surrogate alone", jfrtest.UTF16Units(0xde00, 'a'), "\ufffda", []uint16{0xde00, 'a'}, -1},
		{"two high, one low", jfrtest.UTF16Units(0xd83d, 0xd83d, 0xde00), "\ufffd😀", []uint16{0xd83d, 0xd83d, 0xde00}, -1},
		{"low before high", jfrtest.UTF16Units(0xde00, 0xd83d), "\ufffd\ufffd", []uint16{0xde00, 0xd83d}, -1},
		{"high before another", jfrtest.UTF16Units(0xd83d, 'x', 0xde00), "\ufffdx\ufffd", []uint16{0xd83d, 'x', 0xde00}, -1},
		{"not a character", jfrtest.UTF16Units(0xffff, 0xfffe, 0), "\uffff\ufffe\x00", nil, -1},
		{"Latin-1", jfrtest.Latin1("Größe ÿ\u0080"), "Größe ÿ\u0080", nil, 8},
		{"Latin-1 of ASCII", jfrtest.Latin1("plain text of more than eight"), "plain text of more than eight", nil, 29},
		{"Latin-1 of no bytes", jfrtest.Latin1(""), "", nil, 0},
		{"long", jfrtest.UTF16(long), long, nil, -1},
		{"long UTF-8", jfrtest.UTF8(long), long, nil, len(long)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, raw := range []bool{false, true} {
				v := valueOf(t, raw, jfrtest.Of("f", jfrtest.StringClass), c.text)
				assert.Equal(t, c.want, v.Str())
				assert.Equal(t, c.want, v.Str(), "the second time")
				assert.Equal(t, "x"+c.want, string(v.AppendStr([]byte("x"))))
				assert.Equal(t, c.want, v.Text())
				units := c.units
				if units == nil {
					units = utf16.Encode([]rune(c.want))
				}
				assert.Equal(t, append([]uint16{1}, units...), engine.ValueAppendUTF16(v, []uint16{1}))
				if c.len >= 0 && !raw {
					assert.Equal(t, c.len, v.Len())
				}
				assert.False(t, v.IsNull())
				assert.Zero(t, v.Int(), "a string is not a number")
				assert.Zero(t, v.Float())
			}
		})
	}
}

// TestSameBytesOtherText: what has been converted is kept by what its bytes mean.
func TestSameBytesOtherText(t *testing.T) {
	b := jfrtest.NewChunk()
	ty := b.Event("E", jfrtest.Of("latin1", jfrtest.StringClass), jfrtest.Of("utf8", jfrtest.StringClass), jfrtest.Of("chars", jfrtest.StringClass))
	// As chars in compressed form, the bytes c3 01 are one: 0x00c3.
	b.Emit(ty, start, jfrtest.Latin1("\u00c3\u0001"), jfrtest.UTF8("\xc3\x01"), jfrtest.UTF16Units(0xc3))
	rec, _ := openBuilt(t, b)
	var got []string
	for range 2 {
		got = got[:0]
		for f, v := range first(t, rec).Fields() {
			if f.Name() != "startTime" {
				got = append(got, v.Str())
			}
		}
		assert.Equal(t, []string{"\u00c3\u0001", "\ufffd\u0001", "\u00c3"}, got)
	}
}
