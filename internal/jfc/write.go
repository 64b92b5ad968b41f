package jfc

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// comments stand before elements of these kinds. The JDK writes them, whatever comments there were.
var comments = map[kind][]string{
	configuration: {
		"Recommended way to edit .jfc files is to use the configure command of",
		"the 'jfr' tool, i.e. jfr configure, or JDK Mission Control",
		"see Window -> Flight Recorder Template Manager",
	},
	control: {
		"Contents of the control element is not read by the JVM, it's used",
		"by JDK Mission Control and the 'jfr'-tool to change settings that",
		"carry the control attribute.",
	},
}

// WriteTo writes the file as the JDK does.
func (f *File) WriteTo(w io.Writer) (n int64, err error) {
	b := bytes.NewBufferString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	write(b, "", f.root)
	return b.WriteTo(w)
}

func write(b *bytes.Buffer, indent string, e *element) {
	if lines := comments[e.kind]; lines != nil {
		b.WriteString(indent + "<!--\n")
		for _, line := range lines {
			b.WriteString(indent + line + "\n")
		}
		b.WriteString("\n" + indent + "-->\n")
	}
	b.WriteString(indent + "<" + e.name)
	for _, a := range hashed(e.attributes) {
		b.WriteString(" " + a.name + `="`)
		escape(b, a.value)
		b.WriteByte('"')
	}
	if e.content == "" && len(e.children) == 0 {
		b.WriteString("/>\n")
		return
	}
	b.WriteByte('>')
	escape(b, strings.TrimFunc(e.content, func(r rune) bool { return r <= ' ' }))
	if len(e.children) > 0 {
		b.WriteByte('\n')
		if e.children[0].isApart() {
			b.WriteByte('\n')
		}
		for _, child := range e.children {
			write(b, indent+"  ", child)
			if child.isApart() {
				b.WriteByte('\n')
			}
		}
		b.WriteString(indent)
	}
	b.WriteString("</" + e.name + ">\n")
}

// isApart reports whether there are empty lines around an element.
func (e *element) isApart() bool {
	return e.kind != setting && e.kind != choice && !e.isExpression()
}

// escape writes a text in ASCII.
func escape(b *bytes.Buffer, text string) {
	for _, r := range text {
		switch {
		case r == '"':
			b.WriteString("&quot;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '\'':
			b.WriteString("&apos;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case !isXML(r):
			b.WriteString("&#65533;") // U+FFFD
		case r > 0x7f:
			b.WriteString("&#" + strconv.Itoa(int(r)) + ";")
		default:
			b.WriteRune(r)
		}
	}
}

// isXML reports whether XML 1.0 can have a character.
func isXML(r rune) bool {
	switch {
	case r < ' ':
		return r == '\t' || r == '\n' || r == '\r'
	case r == '\ufffe', r == '\uffff':
		return false
	}
	return true
}

// hashed returns attributes in the order of Java's HashMap, in which the JDK keeps them.
func hashed(list []attribute) []attribute {
	buckets := 16
	for len(list) > buckets*3/4 {
		buckets *= 2
	}
	bucket := func(name string) uint32 {
		h := uint32(0)
		for _, c := range utf16.Encode([]rune(name)) {
			h = 31*h + uint32(c)
		}
		return (h ^ h>>16) & uint32(buckets-1)
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b attribute) int { return cmp.Compare(bucket(a.name), bucket(b.name)) })
	return list
}
