package print_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

func TestXMLIsThatOfTheJDK(t *testing.T) {
	longtest.Slow(t, "it asks JDKs again and again")
	for i, name := range printed {
		if file, _, _ := strings.Cut(name, "#"); !longtest.Chosen(file) || !longtest.Every(i, 2) && file != "jdk25-strings.jfr" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			want := said.Of(t, name, "print", "--xml")
			require.Empty(t, want.Refusal)
			got := written(t, name, print.Options{Format: print.XML, StackDepth: print.DefaultStackDepth})
			said.Same(t, wellFormed(want.Out), got)
		})
	}
}

func TestXMLStackDepthIsThatOfTheJDK(t *testing.T) {
	for _, depth := range []int{1, 0, 64}[:longtest.Cases(1, 3)] {
		t.Run(strconv.Itoa(depth), func(t *testing.T) {
			want := said.Of(t, "jdk25-virtual.jfr", "print", "--xml", "--stack-depth", strconv.Itoa(depth))
			got := written(t, "jdk25-virtual.jfr", print.Options{Format: print.XML, StackDepth: depth})
			said.Same(t, wellFormed(want.Out), got)
		})
	}
}

// noXML is what XML cannot have.
var noXML = regexp.MustCompile("[\x00-\x08\x0b\x0c\x0e-\x1f]|&#6553[45];")

// surrogates are two characters that jfr writes for one, or one that stands alone.
var surrogates = regexp.MustCompile(`(&#(?:5[56]\d\d\d|57[0-2]\d\d|573[0-3]\d|5734[0-3]);)+`)

// wellFormed replaces what jfr writes for characters that XML does not have, or not
// so, by what stands for them here.
func wellFormed(jdk []byte) []byte {
	text := surrogates.ReplaceAllFunc(jdk, func(refs []byte) []byte {
		var units []uint16
		for ref := range bytes.SplitSeq(bytes.TrimSuffix(refs, []byte(";")), []byte(";")) {
			n, _ := strconv.Atoi(string(ref[2:]))
			units = append(units, uint16(n))
		}
		var out []byte
		for _, r := range utf16.Decode(units) {
			out = append(strconv.AppendInt(append(out, "&#"...), int64(r), 10), ';')
		}
		return out
	})
	return noXML.ReplaceAll(text, []byte("&#65533;"))
}

// element is one of an XML document.
type element struct {
	name     string
	attrs    []xml.Attr
	children []*element
	text     string
}

func (e *element) attr(name string) string {
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// readXML returns the element that a document is.
func readXML(t *testing.T, dec *xml.Decoder) *element {
	t.Helper()
	top := &element{}
	open := []*element{top}
	for {
		token, err := dec.Token()
		if err == io.EOF {
			require.Len(t, top.children, 1)
			return top.children[0]
		}
		require.NoError(t, err)
		last := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attrs: token.Attr}
			last.children = append(last.children, e)
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			last.text += string(token)
		}
	}
}

// xmlText returns a string as programs that read XML get it.
func xmlText(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0xfffe || r == 0xffff {
			return utf8.RuneError
		}
		return r
	}, s)
}

// simpleInName is a recording with types that call themselves simple and are not, or whose
// one field is not a number or a text: in fields, in arrays and as constants, some of which
// are not there.
func simpleInName() *jfrtest.Builder {
	of, konst := jfrtest.Of, jfrtest.Const
	b := jfrtest.NewChunk()
	b.Class("test.Two", of("a", "int"), of("b", jfrtest.StringClass)).Simple()
	b.Class("test.Plain", of("c", "int"), of("d", "int"))
	b.Class("test.Holder", of("plain", "test.Plain")).Simple()
	b.Class("test.List", of("ints", "int").Array()).Simple()
	b.Class("test.Lists", of("lists", "test.List").Array()).Simple()
	b.Class("test.Kept", konst("plain", "test.Plain")).Simple()
	event := b.Event("test.Event",
		of("two", "test.Two"), konst("kept", "test.Two"), konst("gone", "test.Two"), of("twos", "test.Two").Array(),
		of("holder", "test.Holder"), of("holders", "test.Holder").Array(), of("list", "test.List"), of("lists", "test.Lists").Array(),
		konst("constant", "test.Kept"), konst("constants", "test.Kept").Array())
	b.Constant("test.Two", 1, 7, "x")
	b.Constant("test.Plain", 1, 8, 9)
	b.Constant("test.Kept", 1, 1)
	two, plain, list := jfrtest.Inline{1, "y"}, jfrtest.Inline{2, 3}, jfrtest.Inline{[]any{4, 5}}
	b.Emit(event, 1_000_000, two, 1, 2, []any{two, two}, jfrtest.Inline{plain}, []any{jfrtest.Inline{plain}},
		list, []any{jfrtest.Inline{[]any{list, list}}}, 1, []any{1, 2})
	b.Emit(event, 1_000_001, two, 1, 0, []any{}, jfrtest.Inline{plain}, []any{jfrtest.Inline{plain}},
		list, []any{}, 0, []any{})
	return b
}

// TestXMLIsWellFormedWhateverTypesAreCalled is about tags: the value decides, not what the
// metadata says of its type.
func TestXMLIsWellFormedWhateverTypesAreCalled(t *testing.T) {
	for name, o := range plainFormats {
		o.Fields = nil
		out := textOf(t, simpleInName(), o)
		requireWellFormed(t, o, []byte(out))
		require.Contains(t, out, "8", name)
	}
	out := textOf(t, simpleInName(), print.Options{Format: print.XML})
	assert.Contains(t, out, `<struct name="kept">`)
	assert.Contains(t, out, `<value name="gone" xsi:nil="true"/>`)
	assert.Contains(t, out, `<array name="list" size="2">`)
	assert.Contains(t, out, "        <struct index=\"0\">\n          <value name=\"c\">2</value>")
}
