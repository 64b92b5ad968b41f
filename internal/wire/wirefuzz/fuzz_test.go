package wirefuzz

import (
	"encoding/binary"
	"math"
	"testing"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/wire"
)

func FuzzVarint(f *testing.F) {
	for _, seed := range []string{
		"", "\x00", "\x7f", "\x80", "\x80\x01", "\xa2\x80\x80\x00", "\xff\xff\xff\xff\x0f",
		"\x80\x80\x80\x80\x80\x80\x80\x80", "\x80\x80\x80\x80\x80\x80\x80\x80\x80",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		wantV, wantN := ReferenceVarint(b)
		// Alone the bytes take the narrow path, with more bytes after them the wide one.
		short := min(len(b), 8)
		for _, b := range [2][]byte{b[:short:short], b} {
			if len(b) < wantN {
				continue
			}
			v, n := wire.Varint(b)
			count, m := wire.Compressed.Count(b)
			if v != wantV || n != wantN || count != wantV || m != wantN || wire.SkipVarint(b) != wantN {
				t.Fatalf("% x: %d in %d bytes, count %d in %d, skip %d, want %d in %d", b, v, n, count, m, wire.SkipVarint(b), wantV, wantN)
			}
		}
	})
}

func FuzzWord(f *testing.F) {
	for _, seed := range []string{
		"\x00\x00\x00\x00\x00\x00\x00\x00", "\x80\x80\x80\x80\x80\x80\x80\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		"\x05\x63\x01\x02\x03\x04\x05\x06", "\x7f\xff\x7f\xff\xff\xff\xff\xff", "\x7f\xff\xff\x7f\xff\xff\xff\xff",
		"\x85\x80\x80\x00\x63\x01\x02\x03", "\xff\xff\xff\x7f\xff\x7f\xff\xff", "\xff\xff\xff\x7f\xff\xff\x7f\xff",
		"\x80\x01\x63\x01\x02\x03\x04\x05", "\x80\x80\x01\x63\x01\x02\x03\x04", "\x80\x80\x80\x80\x01\x63\x01\x02",
		"\xff\xff\xff\xff\xff\xff\xff\x7f", "after the word",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = b[:min(len(b), 64)]
		for pos := range max(len(b)-wire.WordLen+1, 0) {
			w := wire.Word(b, pos)
			if w != binary.LittleEndian.Uint64(b[pos:]) {
				t.Fatalf("% x at %d: %x", b, pos, w)
			}
		}
		if len(b) < wire.WordLen {
			return
		}
		checkVarintWord(t, b)
		// A head is at most eleven bytes, of which a word shows what matters.
		var behind [64 + 2*wire.MaxVarintLen]byte
		copy(behind[:], b)
		checkFrame(t, behind[:])
	})
}

// FuzzForm reads numbers of all types in both forms.
func FuzzForm(f *testing.F) {
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09"))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add([]byte("\xff\xff\x03"))
	f.Fuzz(func(t *testing.T, b []byte) {
		b = b[:min(len(b), 16):min(len(b), 16)]
		v, n := ReferenceVarint(b)
		s, sn := wire.Compressed.Short(b)
		c, cn := wire.Compressed.Char(b)
		i, in := wire.Compressed.Int(b)
		l, ln := wire.Compressed.Long(b)
		if s != int16(v) || c != uint16(v) || i != int32(v) || l != int64(v) || sn != n || cn != n || in != n || ln != n {
			t.Fatalf("% x: %d %d %d %d in %d %d %d %d bytes, want %x in %d", b, s, c, i, l, sn, cn, in, ln, v, n)
		}
		var whole [8]byte
		copy(whole[:], b)
		be := binary.BigEndian
		short, sn := wire.FixedWidth.Short(b)
		char, cn := wire.FixedWidth.Char(b)
		integer, in := wire.FixedWidth.Int(b)
		long, ln := wire.FixedWidth.Long(b)
		count, kn := wire.FixedWidth.Count(b)
		float, fn := wire.Float(b)
		double, dn := wire.Double(b)
		for _, x := range []struct {
			n, size    int
			bits, want uint64
		}{
			{sn, 2, uint64(uint16(short)), uint64(be.Uint16(whole[:]))},
			{cn, 2, uint64(char), uint64(be.Uint16(whole[:]))},
			{in, 4, uint64(uint32(integer)), uint64(be.Uint32(whole[:]))},
			{ln, 8, uint64(long), be.Uint64(whole[:])},
			{kn, 4, count, uint64(be.Uint32(whole[:]))},
			{fn, 4, uint64(math.Float32bits(float)), uint64(be.Uint32(whole[:]))},
			{dn, 8, math.Float64bits(double), be.Uint64(whole[:])},
		} {
			if x.size > len(b) {
				x.size, x.want = 0, 0
			}
			if x.n != x.size || x.bits != x.want {
				t.Fatalf("% x: %x in %d bytes, want %x in %d", b, x.bits, x.n, x.want, x.size)
			}
		}
	})
}

// FuzzHeader compares a header with its bytes.
func FuzzHeader(f *testing.F) {
	header := append([]byte("FLR\x00\x00\x02\x00\x01"), make([]byte, wire.HeaderLen-8)...)
	header[67] = 3
	f.Add(header)
	f.Add(header[:67])
	f.Add([]byte("FLR\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, ok := wire.ReadHeader(b)
		if want := len(b) >= wire.HeaderLen && string(b[:4]) == "FLR\x00"; ok != want {
			t.Fatalf("% x: %v", b, ok)
		}
		if !ok {
			return
		}
		be := binary.BigEndian
		switch {
		case h.Major != be.Uint16(b[4:]), h.Minor != be.Uint16(b[6:]), h.Size != be.Uint64(b[8:]),
			h.Checkpoint != be.Uint64(b[16:]), h.Metadata != be.Uint64(b[24:]), h.Finished() != (b[64] == 0),
			h.Final() != (b[67]&2 != 0), (h.IntEncoding() == wire.Compressed) != (b[67]&1 != 0):
			t.Fatalf("% x: %+v", b[:wire.HeaderLen], h)
		}
	})
}

// FuzzCursor reads values of any types one after the other, and compares with those that
// are read for themselves.
func FuzzCursor(f *testing.F) {
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x03\x02hi\xff\xff\x03"), []byte{0, 1, 2, 3, 4}, false)
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x03\x02hi\xff\xff\x03"), []byte{1, 4, 3}, true)
	f.Fuzz(func(t *testing.T, b, types []byte, raw bool) {
		form := wire.Compressed
		if raw {
			form = wire.FixedWidth
		}
		b = b[:min(len(b), 256):min(len(b), 256)]
		c := wire.NewCursor(b, 0, form)
		at := 0
		for _, typ := range types[:min(len(types), 64)] {
			var got, want uint64
			n, rest := 0, b[at:]
			switch typ % 5 {
			case 0:
				got = uint64(c.Byte())
				if len(rest) > 0 {
					n, want = 1, uint64(rest[0])
				}
			case 1:
				var v int32
				v, n = form.Int(rest)
				got, want = uint64(c.Int()), uint64(v)
			case 2:
				var v int64
				v, n = form.Long(rest)
				got, want = uint64(c.Long()), uint64(v)
			case 3:
				want, n = form.Count(rest)
				got = uint64(c.Count())
				if want > uint64(len(rest)-n) {
					n, want = 0, 0
				}
			case 4:
				var v wire.Text
				v, n = wire.ReadText(rest, form)
				text := c.Text()
				if n > 0 && (text.Encoding != v.Encoding || string(text.Bytes) != string(v.Bytes)) {
					t.Fatalf("% x at %d: %v, want %v", b, at, text, v)
				}
			}
			if n == 0 {
				if c.OK() {
					t.Fatalf("% x at %d: type %d is there", b, at, typ%7)
				}
				return
			}
			at += n
			if got != want || !c.OK() || c.Pos() != at {
				t.Fatalf("% x: type %d is %x up to %d, want %x up to %d", b, typ%7, got, c.Pos(), want, at)
			}
		}
	})
}

func FuzzText(f *testing.F) {
	addTexts(f)
	var utf []byte
	var units []uint16
	f.Fuzz(func(t *testing.T, b []byte, raw bool) {
		form := wire.Compressed
		if raw {
			form = wire.FixedWidth
		}
		b = b[:min(len(b), 512):min(len(b), 512)]
		text, n := wire.ReadText(b, form)
		if wire.SkipText(b, form) != n || n > len(b) {
			t.Fatalf("% x: %d bytes, skip %d", b, n, wire.SkipText(b, form))
		}
		if n == 0 {
			if text.Bytes != nil || text.Encoding != 0 {
				t.Fatalf("% x: no text is %v", b, text)
			}
			return
		}
		utf = text.Append(utf[:0])
		if !utf8.Valid(utf) {
			t.Fatalf("% x: %q", b, utf)
		}
		if view, ok := text.View(); ok && view != string(utf) {
			t.Fatalf("% x: viewed %q, appended %q", b, view, utf)
		}
		if form == wire.Compressed {
			if s, ok := wire.ShortText(b, 0); ok && string(s) != string(utf) {
				t.Fatalf("% x: short %q, appended %q", b, s, utf)
			}
		}
		if units = text.AppendUTF16(units[:0]); len(units) > len(text.Bytes) {
			t.Fatalf("% x: %d units", b, len(units))
		}
		// A cursor stands where the text ends, and what is cut off does not fit.
		c := wire.NewCursor(b, 0, form)
		if again := c.Text(); again.Encoding != text.Encoding || string(again.Bytes) != string(text.Bytes) || c.Pos() != n {
			t.Fatalf("% x: a cursor reads %v up to %d", b, again, c.Pos())
		}
		if _, m := wire.ReadText(b[:n-1:n-1], form); m != 0 {
			t.Fatalf("% x: without its last byte it has %d", b, m)
		}
	})
}
