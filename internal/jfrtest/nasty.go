package jfrtest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// NastyString is a string that writers may get wrong, in one of the encodings.
type NastyString struct {
	// Value is what a field or a constant gets: nil for null, else a [Text].
	Value any
	// Units are the UTF-16 code units that a JDK reads; nil for null.
	Units []uint16
	// Pooled says that Value refers to the pool of strings.
	Pooled bool
}

// String returns the text with U+FFFD for unpaired surrogates; "" for null.
func (s NastyString) String() string { return string(utf16.Decode(s.Units)) }

// nastyTexts are strings with something that some writer has to escape, or must not;
// unpaired surrogates are written as \xed and two bytes, as in no UTF-8.
var nastyTexts = []string{
	// In the order of the defects that these were: what is escaped comes before what is
	// not ASCII, and the other way round.
	"a/b: café", "\"é", "\\é", "\n\u20ac", "\x01ü", "é/", "é\"é/é\\é\x1fé", "/home/jörg/Ünïcode \"x\".jar",
	"http://example.org/über?a=1&b=<2>", "\x00é\x00", "😀/", "/😀", "\t😀\t", "ab/\xed\xa0\xbd", "\"\xed\xb8\x80\\",
	// Escapes and controls alone.
	"\b\n\t\f\r\"\\/", "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0e\x0f\x10\x1a\x1b\x1f", "\x7f", "\u0080\u0085\u009b\u009f\u00a0\u00ad",
	"\\u0041", "\\", "\"", "/", "\\\\\"\"//", "\r\n\n\r", "\x1b[31mred\x1b[0m", "\x1b]0;title\a",
	// Marks of documents, rows and lines.
	"<a href='x'>&amp;</a>", "]]>", "<!--", "&#65;", "&", "'", "{\"a\": [1, null]}", "null", "true", "N/A", "NaN", "-0",
	",", ";", "a,b\nc", "\"quoted\"", "\"\"", " leading", "trailing ", "\t", "\n", "\\.", "=1+1", "+1", "-1", "@SUM(1)", "'=1", "#", "\uff1d1",
	// Latin-1, and the rest of the first 65,536.
	"ÀÿþðÞß", "ÿ", "\u0100", "\u2028\u2029", "\ufeffbom", "\ufffd", "\ufffe", "\uffff", "x\ufffey\uffffz", "\ue000\uf8ff", "\u202eabc\u202c",
	"e\u0301", "日本語", "\u0130\u0131", "\u1e9e", "مرحبا", "\ud7ff\ue000",
	// Beyond, and parts of such characters.
	"😀", "𐀀", "\U0010ffff", "\U0001f468\u200d\U0001f469", "a😀b😀", "\U0001fffe\U0010fffe",
	"\xed\xa0\xbd", "\xed\xb8\x80", "\xed\xb8\x80\xed\xa0\xbd", "\xed\xa0\xbd\xed\xa0\xbd\xed\xb8\x80", "\xed\xa0\xbdx\xed\xb8\x80", "é\xed\xa0\x80", "\xed\xbf\xbf\u00e9/",
}

// nastyPieces are what random strings are put together of.
var nastyPieces = []string{
	"a", "plain text ", "0", " ", "/", "\\", "\"", "'", "<", "&", "]]>", "\b", "\t", "\n", "\f", "\r", "\x00", "\x1b", "\x7f", "\u0085", "\u009f", "\u00a0",
	"é", "ÿ", "€", "日本", "\u2028", "\ufeff", "\ufffd", "\ufffe", "\uffff", "😀", "\U0010ffff", "\xed\xa0\xbd", "\xed\xb8\x80", "\xed\xbf\xbf", ",", "=", "-", "@",
	"long enough that it is more than sixteen characters ",
}

// malformedUTF8 are bytes that are no UTF-8, and how many U+FFFD the JDK makes of them:
// what HotSpot writes for characters beyond the first 65,536 and for U+0000, and worse.
var malformedUTF8 = []struct {
	bytes string
	count int
}{
	{"\xed\xa0\xbd\xed\xb8\x80", 2}, {"\xed\xa0\xbd", 1}, {"\xc0\x80", 2}, {"\xff\xfe", 2}, {"\xe2\x82", 1}, {"\xf0\x9f\x98", 1},
	{"\xf8\x88\x80\x80\x80", 5}, {"\xe0\x80\xaf", 3}, {"\xf4\x90\x80\x80", 4}, {"\x80", 1}, {"\xed\xa0", 1}, {"\xc3", 1},
}

// unitsOf returns the code units of a text in which unpaired surrogates are written as
// three bytes each.
func unitsOf(text string) (units []uint16) {
	for text != "" {
		if len(text) >= 3 && text[0] == 0xed && text[1] >= 0xa0 {
			units = append(units, 0xd000|uint16(text[1]&0x3f)<<6|uint16(text[2]&0x3f))
			text = text[3:]
			continue
		}
		r, n := utf8.DecodeRuneInString(text)
		units = utf16.AppendRune(units, r)
		text = text[n:]
	}
	return units
}

// NastyStrings returns strings of all kinds in all encodings in which they can be, n of them by
// chance, the same for the same seed; and adds those that lie in the pool of strings. The first is
// plain: the JDK reads an empty string of bytes as null if it has read no other before.
func (b *Builder) NastyStrings(seed uint64, n int) (list []NastyString) {
	random := rand.New(rand.NewPCG(seed, 15))
	contents := [][]uint16{unitsOf("plain")}
	for _, text := range nastyTexts {
		contents = append(contents, unitsOf(text))
	}
	mix := func(pieces int) []uint16 {
		var s strings.Builder
		for range pieces {
			s.WriteString(nastyPieces[random.IntN(len(nastyPieces))])
		}
		return unitsOf(s.String())
	}
	for range n {
		contents = append(contents, mix(1+random.IntN(12)))
	}
	// The lengths at which buffers end, and lengths take another byte.
	for _, length := range []int{15, 16, 17, 127, 128, 4096, 70_001} {
		block := mix(60)
		units := slices.Repeat(block, length/len(block)+1)[:length-2]
		contents = append(contents, append(units, '/', 'é'), append(slices.Repeat([]uint16{'x'}, length-2), '"', 0xe9))
	}
	for i, units := range contents {
		texts := encodedAs(units)
		list = append(list, texts...)
		// Each in the pool in one of its encodings.
		list = append(list, b.pooled(int64(i+1), texts[i%len(texts)]))
	}
	for _, bad := range malformedUTF8 {
		units := slices.Concat(unitsOf("a/é"), slices.Repeat([]uint16{0xfffd}, bad.count), unitsOf("\"z"))
		list = append(list, NastyString{Value: UTF8("a/é" + bad.bytes + "\"z"), Units: units})
	}
	empty := []uint16{}
	return append(list,
		NastyString{}, NastyString{Value: Empty(), Units: empty}, NastyString{Value: UTF8(""), Units: empty},
		NastyString{Value: UTF16Units(), Units: empty}, NastyString{Value: Latin1(""), Units: empty},
		b.pooled(int64(len(contents)+1), NastyString{Value: Empty(), Units: empty}))
}

// encodedAs returns a string in each of the encodings that have its characters.
func encodedAs(units []uint16) []NastyString {
	list := []NastyString{{Value: UTF16Units(units...), Units: units}}
	if text := string(utf16.Decode(units)); slices.Equal(utf16.Encode([]rune(text)), units) {
		list = append(list, NastyString{Value: UTF8(text), Units: units})
		if !strings.ContainsFunc(text, func(r rune) bool { return r > 0xff }) {
			list = append(list, NastyString{Value: Latin1(text), Units: units})
		}
	}
	return list
}

func (b *Builder) pooled(key int64, s NastyString) NastyString {
	return NastyString{Value: Pooled(b.Constant(StringClass, key, s.Value)), Units: s.Units, Pooled: true}
}

// NastyEvents returns a chunk whose events hold strings of [Builder.NastyStrings]
// wherever events can. Those of test.Text have one each; those of test.Places have them
// in threads, classes, methods and all else that has a name; those of test.Lists in
// arrays, of which the JDK has no text.
func NastyEvents(seed uint64, n int) *Builder {
	b := NewChunk()
	list := b.NastyStrings(seed, n)
	tick := int64(1_000_000)
	next := func() int64 { tick++; return tick }
	text := b.Event("test.Text", Of("text", StringClass), Of("c", "char"))
	var short []NastyString
	for _, s := range list {
		c := uint16('c')
		if len(s.Units) > 0 {
			c = s.Units[len(s.Units)-1]
		}
		b.Emit(text, next(), s.Value, c)
		if s.Value != nil && !s.Pooled && len(s.Units) > 0 && len(s.Units) < 100 {
			short = append(short, s)
		}
	}
	b.nastyPlaces(short, next)
	lists := b.Event("test.Lists", Of("texts", StringClass).Array(), Const("symbols", "jdk.types.Symbol").Array())
	for i := 0; i+4 < len(short); i += 4 {
		b.Emit(lists, next(), []any{short[i].Value, nil, list[i].Value, Empty()}, []int{i + 1, i + 2, 0})
	}
	return b
}

// nastyPlaces emits events that have the strings as names of constants.
func (b *Builder) nastyPlaces(names []NastyString, next func() int64) {
	b.Class("test.Box", Of("first", StringClass), Const("second", "jdk.types.Symbol"))
	places := b.Event("test.Places", EventThread(), StackTrace(), Const("symbol", "jdk.types.Symbol"), Const("box", "test.Box"),
		Of("inside", "test.Box"), Const("class", "java.lang.Class"), Const("loader", "jdk.types.ClassLoader"),
		Const("method", "jdk.types.Method"), Const("group", "jdk.types.ThreadGroup"), Const("thread", "java.lang.Thread"))
	symbol := func(i int) int { return i%len(names) + 1 }
	descriptors := len(names) + 1
	for i, s := range names {
		b.Constant("jdk.types.Symbol", i+1, s.Value)
		inner := slices.DeleteFunc(slices.Clone(s.Units), func(u uint16) bool { return u == ';' || u == ')' })
		b.Constant("jdk.types.Symbol", descriptors+i, UTF16Units(slices.Concat(unitsOf("(ILx/"), inner, unitsOf(";[J)V"))...))
	}
	// The first class has no loader: else each name would lead to all others.
	b.Constant("java.lang.Class", 1, 0, 1, 0, 0, false)
	for i := range names {
		key := i + 1
		b.Constant("jdk.types.ThreadGroup", key, i%2, names[i].Value)
		b.Constant("java.lang.Thread", key, names[i].Value, 4711, names[(i+1)%len(names)].Value, i%3, key, i%2 == 1)
		b.Constant("jdk.types.Module", key, symbol(i), symbol(i+1), symbol(i+2), 0)
		b.Constant("jdk.types.Package", key, symbol(i+3), key, true)
		if i > 0 {
			b.Constant("java.lang.Class", key, key, symbol(i+4), key, 0, false)
		}
		loader := symbol(i + 5)
		if i%4 == 0 {
			loader = 0 // shown by its class
		}
		b.Constant("jdk.types.ClassLoader", key, 1, loader)
		b.Constant("jdk.types.Method", key, key, symbol(i+7), descriptors+i, 0, false)
		b.Constant("jdk.types.StackTrace", key, i%2 == 0, []Inline{{key, i, 0, 1}, {symbol(i + 8), -1, 0, 1}})
		b.Constant("test.Box", key, names[i].Value, symbol(i+9))
	}
	b.Constant("jdk.types.FrameType", 1, "Interpreted")
	for i := 0; i < len(names); i += 3 {
		key := i + 1
		b.Emit(places, next(), key, key, key, key, Inline{names[i].Value, symbol(i + 1)}, key, key, key, key, symbol(i+1))
	}
}

// NastyNames returns a chunk in which types, fields, annotations, labels, descriptions, categories
// and settings have nasty names and texts. The names of event types have only characters that
// Java's can have, U+0001 among them; unless they may be any: the JDK refuses such a chunk.
func NastyNames(seed uint64, n int, any bool) *Builder {
	b := NewChunk()
	var names []string
	for _, s := range NewChunk().NastyStrings(seed, n) {
		name := s.String()
		// The metadata has no unpaired surrogates, names are not empty, and dots separate.
		if len(s.Units) > 0 && len(name) < 100 && !strings.ContainsRune(name, '\ufffd') && !strings.Contains(name, ".") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	at := func(i int) string { return names[i%len(names)] }
	b.Class("test.Note", Of("value", StringClass), Of(names[1], StringClass), Of("list", StringClass).Array()).SuperType = annotationSuper
	for i := 0; i < len(names); i += 4 {
		note := Annotation{Class: "test.Note", Values: []Attribute{{"value", at(i)}, {names[1], at(i + 1)}, {"list-0", at(i + 2)}, {"list-1", at(i + 3)}}}
		field := func(k int) Field {
			return Of(at(i+k), StringClass).With(Note(annLabel, at(i+k+1)), Note("jdk.jfr.Description", at(i+k+2)))
		}
		name := "T" + at(i)
		if !any {
			name = strings.Map(javaPart, name)
		}
		e := b.Event("test.p"+strconv.Itoa(i)+"."+name, field(0), field(1), field(2).With(note), Of(at(i+3), "int"))
		e.Annotate(Note(annLabel, at(i+1)), Note("jdk.jfr.Description", at(i+2)),
			Annotation{Class: "jdk.jfr.Category", Values: []Attribute{{"value-0", at(i + 3)}, {"value-1", at(i + 4)}}}, note)
		e.Settings = []Setting{{Name: at(i + 1), Class: "jdk.settings.Threshold", Default: at(i + 2), Annotations: []Annotation{Note(annLabel, at(i+3))}}}
		for k := range 1 + i%3 {
			b.Emit(e, 1_000_000+i+k, at(i), nil, at(i+1), i)
		}
	}
	b.Metadata(&Metadata{ID: 1, Start: b.Header.StartTicks, StringEncodings: []byte{encUTF16, encUTF8, encLatin1}})
	return b
}

// javaPart returns a character that a name in Java can have; else -1.
func javaPart(r rune) rune {
	ignored := r <= 8 || r >= 0xe && r <= 0x1b || r >= 0x7f && r <= 0x9f
	if r <= 0xffff && (ignored || r == '$' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)) {
		return r
	}
	return -1
}

// ExtremeTimes returns a chunk with events at times that nobody can have recorded.
func ExtremeTimes() *Builder {
	b := NewChunk()
	lasting := b.Event("test.Lasting", Duration())
	load := b.Event("jdk.CPULoad", Of("jvmUser", "double"))
	sample := b.Event("jdk.ExecutionSample", Of("n", "int"))
	times := []int64{math.MinInt64, -1 << 40, -1, 0, 1, 1 << 40, math.MaxInt64}
	for i, start := range times {
		for _, length := range times {
			b.Emit(lasting, start, length)
		}
		b.Emit(load, start, []float64{math.NaN(), math.Inf(1), -math.MaxFloat64, math.MaxFloat64}[i%4])
		b.Emit(sample, start, 1)
	}
	return b
}
