package print

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// jsonEscapes are the characters that jfr escapes by a letter or by themselves.
var jsonEscapes = [128]byte{
	'\b': 'b', '\n': 'n', '\t': 't', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\', '/': '/',
}

// jsonPlain tells which bytes stand for themselves.
var jsonPlain = func() (plain [256]bool) {
	for c := byte(' '); c <= 0x7f; c++ {
		plain[c] = jsonEscapes[c] == 0
	}
	return plain
}()

// appendString appends a string with quotes around it.
func (r *jsonRenderer) appendString(dst []byte, v mmapjfr.Value) []byte {
	s := v.StrView()
	dst = append(dst, '"')
	begin, at := len(dst), 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if jsonPlain[c] {
			continue
		}
		if c >= utf8.RuneSelf {
			// Unpaired surrogates are to be written as they were recorded: from the
			// beginning again, by code units.
			r.units = v.AppendUTF16(r.units[:0])
			return append(appendJSONUnits(dst[:begin], r.units), '"')
		}
		dst = append(dst, s[at:i]...)
		dst = appendJSONEscape(dst, uint16(c))
		at = i + 1
	}
	return append(append(dst, s[at:]...), '"')
}

// appendJSONUnits appends UTF-16 code units.
func appendJSONUnits(dst []byte, units []uint16) []byte {
	for _, c := range units {
		if c < 128 && jsonPlain[c] {
			dst = append(dst, byte(c))
			continue
		}
		dst = appendJSONEscape(dst, c)
	}
	return dst
}

func appendJSONEscape(dst []byte, c uint16) []byte {
	if c < 128 && jsonEscapes[c] != 0 {
		return append(dst, '\\', jsonEscapes[c])
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[c>>12], hex[c>>8&15], hex[c>>4&15], hex[c&15])
}

// appendJSONString appends a name with quotes around it.
func appendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = appendJSONUnits(dst, unitsOf(s))
	return append(dst, '"')
}

// unitsOf returns the UTF-16 code units of a string.
func unitsOf(s string) []uint16 { return utf16.Encode([]rune(s)) }
