package wirefuzz

import (
	"encoding/hex"
	"testing"

	"github.com/mmapjfr/jfr/internal/wire"
)

// checkVarintWord compares the varint at the head of a word with the definition.
func checkVarintWord(t *testing.T, b []byte) {
	w := wire.Word(b, 0)
	v, n := wire.VarintWord(w)
	var behind [10]byte
	copy(behind[:], b)
	wantV, wantN := ReferenceVarint(behind[:])
	if length := wire.VarintWordLen(w); length != wantN {
		t.Fatalf("% x: length %d, want %d", b, length, wantN)
	}
	if wantN > wire.WordLen {
		wantV, wantN = 0, 0
	}
	if v != wantV || n != wantN {
		t.Fatalf("% x: %d in %d bytes, want %d in %d", b, v, n, wantV, wantN)
	}
	var long [9]byte
	copy(long[:], b)
	wide := wire.LongVarint(w, long[8])
	var all uint64
	for i := range 8 {
		all |= uint64(long[i]&0x7f) << (7 * i)
	}
	if want := all | uint64(long[8])<<56; wide != want {
		t.Fatalf("% x: %d in the longest form, want %d", b, wide, want)
	}
}

// checkFrame compares the head of an event with its two numbers.
func checkFrame(t *testing.T, b []byte) {
	size, typ, head := wire.EventHeader(wire.Word(b, 0))
	v, n := ReferenceVarint(b)
	id, m := ReferenceVarint(b[n:])
	want := n + m
	if n != 1 && n != 4 || m != 1 && m != 2 {
		v, id, want = 0, 0, 0
	}
	if size != uint32(v) || typ != uint32(id) || head != want {
		t.Fatalf("% x: size %d, type %d in %d bytes, want %d, %d in %d", b, size, typ, head, v, id, want)
	}
}

// seeds are texts in all encodings, first in the compressed and then in the raw form.
var seeds = [2][]string{
	{"00", "01", "02ac02", "0302c3a9", "0300", "0403c3a9e865", "0402bdb00380bc03", "0502e9ff", "03ffffffff0f", "06", "0303eda0bd", "0403"},
	{"0200000000000000ac", "0300000002c3a9", "040000000200e965e5", "0500000002e9ff", "03ffffffff", "0400000001"},
}

func addTexts(f *testing.F) {
	for form, list := range seeds {
		for _, text := range list {
			b, err := hex.DecodeString(text)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b, form == 1)
		}
	}
}
