package attach

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// JVMs write and read texts in what Java calls modified UTF-8: characters beyond
// 0xffff are two surrogates of three bytes each. Given four bytes for one, a JVM
// loses the end of the text.

func toJava(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r > 0xffff }) {
		return s
	}
	b := make([]byte, 0, len(s)+len(s)/2)
	for _, r := range s {
		if r <= 0xffff {
			b = utf8.AppendRune(b, r)
			continue
		}
		high, low := utf16.EncodeRune(r)
		b = appendSurrogate(appendSurrogate(b, high), low)
	}
	return string(b)
}

// appendSurrogate appends what utf8 refuses to.
func appendSurrogate(b []byte, r rune) []byte {
	return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0xbf, 0x80|byte(r)&0xbf)
}

func fromJava(s string) string {
	at := nextSurrogates(s)
	if at < 0 {
		return s
	}
	var b strings.Builder
	for ; at >= 0; at = nextSurrogates(s) {
		b.WriteString(s[:at])
		b.WriteRune(utf16.DecodeRune(surrogate(s[at:]), surrogate(s[at+3:])))
		s = s[at+6:]
	}
	b.WriteString(s)
	return b.String()
}

// nextSurrogates returns where a pair of surrogates begins, or -1.
func nextSurrogates(s string) int {
	for from := 0; ; {
		at := strings.IndexByte(s[from:], 0xed)
		if at < 0 {
			return -1
		}
		at += from
		if len(s)-at >= 6 && s[at+1]&0xf0 == 0xa0 && s[at+3] == 0xed && s[at+4]&0xf0 == 0xb0 {
			return at
		}
		from = at + 1
	}
}

func surrogate(s string) rune {
	return rune(s[0]&0xf)<<12 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f)
}
