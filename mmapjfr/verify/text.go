package verify

import (
	"fmt"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// text checks the string that begins at pos and may reach up to end.
func (w *walker) text(p *valueProgram, slot, pos, end int) (next int, ok bool) {
	b := w.data[pos:end]
	t, n := wire.ReadText(b, w.form)
	if n == 0 {
		if len(b) > 0 && wire.Encoding(b[0]) > wire.Latin1 {
			w.fault = fault{stringEncoding, fmt.Sprintf("%s is a string of encoding %d, of which 0 to 5 are known", w.path(p, slot), b[0])}
			return pos, false
		}
		return w.tooShort(p, slot, pos, end)
	}
	if t.Encoding == wire.Constant {
		if t.Key != 0 {
			if w.references++; !w.has(w.strings, t.Key) {
				w.dangling(p, slot, jdktypes.String, t.Key)
			}
		}
		return pos + n, true
	}
	if t.Plain() {
		return pos + n, true
	}
	if kind, what := flaw(t); what != "" {
		if f := w.find(kind, w.begin); f != nil {
			f.Type, f.Text = w.typeName, w.path(p, slot)+" "+what
		}
	}
	return pos + n, true
}

// flaw returns what is wrong with the characters of a string; an empty text if nothing is.
func flaw(t wire.Text) (kind Kind, what string) {
	switch t.Encoding {
	case wire.UTF8:
		if at := malformed(t.Bytes); at >= 0 {
			return malformedString, fmt.Sprintf("is not valid UTF-8 at byte %d of %d", at, len(t.Bytes))
		}
	case wire.Chars:
		return charsFlaw(t)
	}
	return 0, ""
}

// malformed returns where bytes are neither UTF-8 nor what virtual machines write in
// its place: they take two bytes for U+0000, and three for each of two surrogates. It
// is -1 if they are.
func malformed(b []byte) int {
	for at := 0; at < len(b); {
		r, n := utf8.DecodeRune(b[at:])
		rest := b[at:]
		switch {
		case r != utf8.RuneError || n > 1:
			at += n
		case len(rest) >= 2 && rest[0] == 0xc0 && rest[1] == 0x80:
			at += 2
		case len(rest) >= 3 && rest[0] == 0xed && rest[1]&0xe0 == 0xa0 && rest[2]&0xc0 == 0x80:
			at += 3
		default:
			return at
		}
	}
	return -1
}

// charsFlaw returns what is wrong with UTF-16 code units.
func charsFlaw(t wire.Text) (kind Kind, what string) {
	lone, high := -1, -1 // the first surrogate without a partner, and a high one before this unit
	for i, b := 0, t.Bytes; len(b) > 0; i++ {
		unit, n := codeUnit(t.IntEncoding, b)
		if n == 0 {
			break
		}
		if unit > 0xffff {
			return malformedString, fmt.Sprintf("has the code unit %#x at %d, which is not one of UTF-16", unit, i)
		}
		switch low := unit>>10 == 0xdc00>>10; {
		case lone >= 0:
		case low && high < 0:
			lone = i
		case !low:
			lone = high
		}
		if high = -1; unit>>10 == 0xd800>>10 {
			high = i
		}
		b = b[n:]
	}
	if lone < 0 {
		lone = high
	}
	if lone >= 0 {
		return loneSurrogate, fmt.Sprintf("has an unpaired surrogate at %d", lone)
	}
	return 0, ""
}

// codeUnit decodes a code unit with all the bits that it is written with.
func codeUnit(form wire.IntEncoding, b []byte) (unit uint64, n int) {
	if form == wire.Compressed {
		return wire.Varint(b)
	}
	c, n := form.Char(b)
	return uint64(c), n
}
