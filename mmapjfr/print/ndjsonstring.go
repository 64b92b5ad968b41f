package print

import "unicode/utf8"

// appendPlainJSON appends a string with quotes around it, as UTF-8. Quotes,
// backslashes and control characters are escaped, U+007F to U+009F among them, which
// terminals act on.
func appendPlainJSON(dst []byte, s string) []byte {
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
		switch {
		case bad:
			dst = utf8.AppendRune(dst, utf8.RuneError)
		case r < utf8.RuneSelf && jsonEscapes[r] != 0:
			dst = append(dst, '\\', jsonEscapes[r])
		default:
			dst = appendJSONEscape(dst, uint16(r))
		}
		i += n
		at = i
	}
	return append(append(dst, s[at:]...), '"')
}
