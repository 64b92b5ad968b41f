package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/wire"
)

// sink keeps results alive, so that the calls are not removed.
var sink int

func TestHotPathsDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	nine := unhex(t, "ffffffffffffffffff")
	head := header()
	ascii := wire.Text{Encoding: wire.Latin1, Bytes: []byte("a text of more than a few bytes")}
	units := append([]byte{4, 100}, make([]byte, 100)...)
	latin := append([]byte{5, 100}, make([]byte, 100)...)
	buf := make([]byte, 0, 1024)

	tests := []struct {
		name string
		do   func()
	}{
		{"Varint", func() { v, n := wire.Varint(nine); sink += int(v) + n }},
		{"Varint, short", func() { v, n := wire.Varint(nine[:8]); sink += int(v) + n }},
		{"SkipVarint", func() { sink += wire.SkipVarint(nine) }},
		{"Word", func() { sink += int(wire.Word(nine, 1)) }},
		{"VarintWord", func() { v, n := wire.VarintWord(wire.Word(nine, 1) >> 1); sink += int(v) + n }},
		{"VarintWordLen", func() { sink += wire.VarintWordLen(wire.Word(nine, 1)) }},
		{"EventHeader", func() { size, typ, n := wire.EventHeader(wire.Word(head, 0)); sink += int(size) + int(typ) + n }},
		{"ReadHeader", func() { h, _ := wire.ReadHeader(head); sink += int(h.Size) }},
		{"ReadText", func() { x, n := wire.ReadText(latin, wire.Compressed); sink += len(x.Bytes) + n }},
		{"ReadText, chars", func() { x, n := wire.ReadText(units, wire.Compressed); sink += len(x.Bytes) + n }},
		{"ReadText, constant", func() { x, n := wire.ReadText([]byte{2, 7}, wire.Compressed); sink += int(x.Key) + n }},
		{"SkipText", func() { sink += wire.SkipText(latin, wire.Compressed) }},
		{"SkipText, chars", func() { sink += wire.SkipText(units, wire.Compressed) }},
		{"View", func() { s, _ := ascii.View(); sink += len(s) }},
		{"Append", func() { sink += len(ascii.Append(buf)) }},
		{"Append, malformed", func() { sink += len(decodeUTF8(nine).Append(buf)) }},
		{"Cursor", func() {
			c := wire.NewCursor(latin, 1, wire.Compressed)
			sink += c.Count() + int(c.Long()) + int(c.Byte())
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if viewsCopy && (tt.name == "View" || strings.HasPrefix(tt.name, "Append")) {
				t.Skip("the build tag nounsafe trades copies for safety")
			}
			assert.Zero(t, testing.AllocsPerRun(100, tt.do))
		})
	}
}

func TestViewAliasesTheFile(t *testing.T) {
	if viewsCopy {
		t.Skip("the build tag nounsafe trades copies for safety")
	}
	b := []byte("\x03\x03abc")
	text, _ := wire.ReadText(b, wire.Compressed)
	view, ok := text.View()
	assert.True(t, ok)
	b[2] = 'X'
	assert.Equal(t, "Xbc", view)
}

func TestAppendCopies(t *testing.T) {
	b := []byte("\x03\x03abc")
	text, _ := wire.ReadText(b, wire.Compressed)
	got := text.Append(nil)
	b[2] = 'X'
	assert.Equal(t, "abc", string(got))
}
