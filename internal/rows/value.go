package rows

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// letters are the letters by which JSON escapes characters.
var letters = [128]byte{'\b': 'b', '\n': 'n', '\t': 't', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\'}

// AppendString appends a string of JSON with its quotes, as UTF-8. It escapes quotes,
// backslashes and control characters, and U+007F to U+009F, which terminals act on. Characters
// such as < stand as they are: no row is put into a web page.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	at := 0
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		bad := r == utf8.RuneError && n == 1
		if r >= 0xa0 && !bad {
			i += n
			continue
		}
		dst = append(dst, s[at:i]...)
		if bad {
			dst = utf8.AppendRune(dst, utf8.RuneError)
		} else {
			dst = AppendEscape(dst, uint16(r))
		}
		i += n
		at = i
	}
	return append(append(dst, s[at:]...), '"')
}

// AppendEscape appends a UTF-16 code unit as JSON escapes it: by a letter or four digits.
func AppendEscape(dst []byte, c uint16) []byte {
	if c < utf8.RuneSelf && letters[c] != 0 {
		return append(dst, '\\', letters[c])
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[c>>12], hex[c>>8&15], hex[c>>4&15], hex[c&15])
}

// AppendFloat appends the shortest decimal number that is equal to f; nothing for NaN and
// infinities, which are null.
func AppendFloat(dst []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, bits)
}
