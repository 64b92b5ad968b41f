package wire_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/internal/wire/wirefuzz"
)

// checkVarintWord compares the decoders of a word with the definition of a
// varint. The bytes are eight or more, for a varint may be longer than a word.
func checkVarintWord(t testing.TB, b []byte) {
	w := wire.Word(b, 0)
	v, n := wire.VarintWord(w)
	length := wire.VarintWordLen(w)
	wantV, wantN := wirefuzz.ReferenceVarint(append(b[:len(b):len(b)], 0))
	if length != wantN {
		require.Equal(t, wantN, length, "length of % x", b)
	}
	if wantN > wire.WordLen {
		wantV, wantN = 0, 0
	}
	if v != wantV || n != wantN {
		require.Equal(t, wantV, v, "% x", b)
		require.Equal(t, wantN, n, "% x", b)
	}
	// The two kinds of decoders are there for the same bytes.
	gotV, gotN := wire.Varint(b)
	if n > 0 && (gotV != v || gotN != n || wire.SkipVarint(b) != n) {
		require.Equal(t, v, gotV, "% x", b)
		require.Equal(t, n, gotN, "% x", b)
		require.Equal(t, n, wire.SkipVarint(b), "% x", b)
	}
	if count, m := wire.Compressed.Count(b); n > 0 && (count != v || m != n) {
		require.Equal(t, v, count, "% x", b)
		require.Equal(t, n, m, "% x", b)
	}
	if long, m := wire.Compressed.Long(b); n > 0 && (uint64(long) != v || m != n) {
		require.Equal(t, int64(v), long, "% x", b)
		require.Equal(t, n, m, "% x", b)
	}
}

// referenceEventHeader is what Frame promises, word by word.
func referenceEventHeader(b []byte) (size, typ uint32, head int) {
	v, n := wirefuzz.ReferenceVarint(b)
	if n != 1 && n != 4 {
		return 0, 0, 0
	}
	id, m := wirefuzz.ReferenceVarint(b[n:])
	if m != 1 && m != 2 {
		return 0, 0, 0
	}
	return uint32(v), uint32(id), n + m
}

func checkEventHeader(t testing.TB, b []byte) {
	size, typ, head := wire.EventHeader(wire.Word(b, 0))
	wantSize, wantTyp, wantHead := referenceEventHeader(b)
	if size != wantSize || typ != wantTyp || head != wantHead {
		require.Equal(t, wantHead, head, "head of % x", b)
		require.Equal(t, wantSize, size, "size of % x", b)
		require.Equal(t, wantTyp, typ, "type of % x", b)
	}
}

func TestWord(t *testing.T) {
	b := unhex(t, "00 01 02 03 04 05 06 07 08 f9 fa fb fc fd fe ff")
	for pos := range len(b) - wire.WordLen + 1 {
		assert.Equal(t, binary.LittleEndian.Uint64(b[pos:]), wire.Word(b, pos), "at %d", pos)
		assert.Equal(t, binary.LittleEndian.Uint64(b[pos:]), wire.Word(cut(b[:pos+wire.WordLen]), pos), "at %d, the last", pos)
	}
}

// The bytes after an integer in its word must not count.
var behind = []struct {
	name string
	fill byte
}{{"zeros", 0}, {"ones", 0xff}, {"stop bits", 0x80}, {"values", 0x7f}}

func TestVarintWord(t *testing.T) {
	for _, s := range behind {
		t.Run("before "+s.name, func(t *testing.T) {
			filled := make([]byte, 2*wire.WordLen)
			for i := range filled {
				filled[i] = s.fill
			}
			for bits := range 65 {
				for _, v := range []uint64{1<<bits - 1, 1 << bits, 0x5555555555555555 & (1<<bits - 1), 0xaaaaaaaaaaaaaaaa & (1<<bits - 1)} {
					for width := 1; width <= wire.MaxVarintLen; width++ {
						b := appendVarint(nil, v, width)
						length := len(b)
						b = append(b, filled...)
						w := wire.Word(b, 0)
						require.Equal(t, length, wire.VarintWordLen(w), "%#x in %d bytes", v, length)
						got, n := wire.VarintWord(w)
						if length > wire.WordLen {
							require.Zero(t, got, "%#x in %d bytes", v, length)
							require.Zero(t, n, "%#x in %d bytes", v, length)
							continue
						}
						require.Equal(t, v, got, "%#x in %d bytes", v, length)
						require.Equal(t, length, n, "%#x in %d bytes", v, length)
						checkVarintWord(t, b)
					}
				}
			}
		})
	}
}

func TestVarintWordMatchesReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, 10)
	for range 200_000 {
		fillWithVarint(rng, b)
		checkVarintWord(t, b)
	}
}

// fillWithVarint fills b with bytes among which varints of all lengths begin,
// which are rare in even mixtures.
func fillWithVarint(rng *rand.Rand, b []byte) {
	stop := rng.IntN(12)
	for i := range b {
		b[i] = byte(rng.Uint32()) | 0x80
		if i >= stop && rng.IntN(2) == 0 {
			b[i] &= 0x7f
		}
	}
}

// edgesOf returns the least and greatest values, and some between, of an integer of
// that many bytes.
func edgesOf(width int) []uint64 {
	low, high := uint64(1)<<(7*(width-1)), uint64(1)<<(7*width)-1
	if width == 1 {
		low = 0
	}
	list := []uint64{0, 1, low, low + 1, high - 1, high, 0x5555555555555555 & high, 0xaaaaaaaaaaaaaaaa & high}
	for i := range 7 * width {
		list = append(list, 1<<i)
	}
	return list
}

func TestEventHeader(t *testing.T) {
	for _, sizeWidth := range []int{1, 4} {
		for _, typeWidth := range []int{1, 2} {
			t.Run(fmt.Sprintf("size of %d bytes, type of %d", sizeWidth, typeWidth), func(t *testing.T) {
				for _, size := range edgesOf(sizeWidth) {
					for _, typ := range edgesOf(typeWidth) {
						head := appendVarint(appendVarint(nil, size, sizeWidth), typ, typeWidth)
						require.Len(t, head, sizeWidth+typeWidth)
						for _, s := range behind {
							b := head[:len(head):len(head)]
							for len(b) < wire.WordLen {
								b = append(b, s.fill)
							}
							gotSize, gotTyp, gotHead := wire.EventHeader(wire.Word(b, 0))
							require.Equal(t, uint32(size), gotSize, "% x", b)
							require.Equal(t, uint32(typ), gotTyp, "% x", b)
							require.Equal(t, len(head), gotHead, "% x", b)
						}
					}
				}
			})
		}
	}
}

// TestShortEventHeader compares all beginnings of events with [wire.EventHeader].
func TestShortEventHeader(t *testing.T) {
	for w := range uint64(1 << 24) {
		size, typ, head := wire.ShortEventHeader(w)
		wantSize, wantTyp, wantHead := wire.EventHeader(w)
		if w&0x80 != 0 || wantSize < 4 {
			wantSize, wantTyp, wantHead = 0, 0, 0
		}
		if size != wantSize || typ != wantTyp || head != wantHead {
			t.Fatalf("%06x: %d, %d, %d, not %d, %d, %d", w, size, typ, head, wantSize, wantTyp, wantHead)
		}
	}
}

func TestFrameOfOtherForms(t *testing.T) {
	for sizeWidth := 1; sizeWidth <= wire.MaxVarintLen; sizeWidth++ {
		for typeWidth := 1; typeWidth <= wire.MaxVarintLen; typeWidth++ {
			if (sizeWidth == 1 || sizeWidth == 4) && typeWidth <= 2 {
				continue
			}
			t.Run(fmt.Sprintf("size of %d bytes, type of %d", sizeWidth, typeWidth), func(t *testing.T) {
				for _, v := range []uint64{0, 5, 127} {
					for _, s := range behind {
						b := appendVarint(appendVarint(nil, v, sizeWidth), v, typeWidth)
						for len(b) < wire.WordLen {
							b = append(b, s.fill)
						}
						size, typ, head := wire.EventHeader(wire.Word(b, 0))
						require.Zero(t, head, "% x", b)
						require.Zero(t, size, "% x", b)
						require.Zero(t, typ, "% x", b)
					}
				}
			})
		}
	}
}

func TestFrameMatchesReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	b := make([]byte, 20)
	for range 200_000 {
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		if rng.IntN(2) == 0 {
			// A size of four bytes is one in sixteen otherwise.
			b[0], b[1], b[2] = b[0]|0x80, b[1]|0x80, b[2]|0x80
			b[3] &= 0x7f
		}
		checkEventHeader(t, b)
	}
}
