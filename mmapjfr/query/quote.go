package query

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

var escapes = map[byte]byte{'"': '"', '\'': '\'', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescaped returns what stands between quotes without the escapes of JSON. Other backslashes
// stay, as in package where. It is false if an escape has too few digits.
func unescaped(s string) (string, bool) {
	if !strings.Contains(s, `\`) {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if s[i] != 'u' {
			if c, ok := escapes[s[i]]; ok {
				b.WriteByte(c)
			} else {
				b.WriteString(s[i-1 : i+1])
			}
			continue
		}
		r, ok := unit(s[i+1:])
		if !ok {
			return "", false
		}
		i += 4
		if utf16.IsSurrogate(r) {
			low, _ := unit(strings.TrimPrefix(s[i+1:], `\u`))
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError && s[i+1] == '\\' {
				i += 6
			} else {
				r = utf8.RuneError
			}
		}
		b.WriteRune(r)
	}
	return b.String(), true
}

// unit returns the UTF-16 code unit of four hexadecimal digits.
func unit(s string) (rune, bool) {
	n, err := strconv.ParseUint(s[:min(4, len(s))], 16, 16)
	return rune(n), err == nil && len(s) >= 4
}

// appendQuoted appends a text in quotes, with escapes where it needs them.
func appendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '\'')
	for _, r := range text {
		switch {
		case r == '\'' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r < 0x10000 && !unicode.IsPrint(r):
			dst = append(dst, `\u`...)
			hex := strconv.FormatUint(uint64(r), 16)
			dst = append(append(dst, "0000"[len(hex):]...), hex...)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '\'')
}
