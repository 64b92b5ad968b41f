// Package profiletest has profiles and recordings that nobody would make, for the tests of what
// reads and writes profiles: stacks without frames and with 65,535, names that break formats, numbers
// that overflow, keys that lead nowhere, types whose fields are others than expected.
package profiletest

import "strings"

// Names are names of classes, methods and threads that break what is careless with them.
var Names = []string{
	"", " ", "  ", ";", "a;b", "a 1", "1", "-1", "#a", "[unknown]", "\n", "a\nb 7\nc", "\r\n", "\r", "\t", "\x00", "\x1b[31m", "\x7f", "\u0085",
	"\u2028", "\u2029", "\u202e", "\ufeff", "\"", `\`, `\"`, `\u0000`, "'", "`", "<script>alert(1)</script>", "</script>", "<!--", "]]>", "&lt;", "{{data}}", "{{app}}", "${x}",
	"a/", "/", "a/b/", ".", "..", "a.b", "()", "(", "%s%d", "\xff", "a\xffb", "a\xfeb", "\xed\xa0\xbd", "\xed\xb8\x80", "\xc0\x80", "\ufffd", "a\ufffdb", "😀", "\U0010ffff", "_[j]", "a_[0]_[k]",
	"constructor", "__proto__", "toString", "=1+1", "@a", strings.Repeat("x", 1<<16), strings.Repeat("日", 1<<14) + ";",
}
