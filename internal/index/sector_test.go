package index_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/wire"
)

// firstFrom returns where the first frame begins that does so at a place or
// after it, and which it is.
func firstFrom(all []naiveFrame, place uint64) (offset uint64, i int) {
	i, _ = slices.BinarySearchFunc(all, place, func(f naiveFrame, place uint64) int {
		return cmp.Compare(f.Offset, place)
	})
	if i == len(all) {
		return math.MaxUint64, i
	}
	return all[i].Offset, i
}

// guessedRight reports whether all sectors of a chunk begin where they should.
func guessedRight(c *index.Chunk, all []naiveFrame) bool {
	list := c.Sectors(c.FirstEvent())
	for i, s := range list[1:] {
		if first, _ := firstFrom(all, list[i].Limit); s.From != first {
			return false
		}
	}
	return true
}

// Guesses are wrong inside of texts and of long checkpoints, where sectors are
// then walked through again. Among events they are right.
func TestGuessesOfRecordings(t *testing.T) {
	guesses, right := 0, 0
	check := func(t *testing.T, data []byte) {
		for _, c := range newIndex(t, data).Chunks() {
			all, end := naiveFrames(c)
			for place := uint64(index.BlockSize); place < end; place += 150 {
				first, i := firstFrom(all, place)
				if i < 100 || i+100 > len(all) || first-all[i-100].Offset > index.GuessRange || all[i+50].Offset-first > index.GuessRange {
					continue
				}
				begin, ok := c.Guess(place)
				guesses++
				if ok && begin == first {
					right++
				}
			}
		}
	}
	if longtest.Enabled() {
		eachRecording(t, check)
	} else {
		check(t, testdata(t, "jdk25-profile"))
	}
	t.Logf("%d of %d guesses are right", right, guesses)
	assert.Greater(t, guesses, 20)
	assert.Greater(t, float64(right), 0.9*float64(guesses))
}

// liar makes chunks with events in which there is room for lies.
type liar struct {
	*kinds
	lie *jfrtest.Class
}

func newLiar(b *jfrtest.Builder) *liar {
	l := &liar{kinds: newKinds(b, 11)}
	l.lie = b.Event("test.Lie", jfrtest.Of("text", jfrtest.StringClass))
	return l
}

// over emits a long event that begins before what is looked at to guess what
// begins at one place, and ends after another.
func (l *liar) over(from, to int) {
	begin := l.end()
	if begin > from-index.GuessRange-1000 {
		panic("it is too late for that")
	}
	l.b.Emit(l.lie, l.time(), jfrtest.UTF8(string(make([]byte, to+20_000-begin))))
}

// frameOf makes the first bytes of an event.
func frameOf(form wire.IntEncoding, size int, class *schema.Type) []byte {
	if form == wire.FixedWidth {
		return []byte{byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size),
			0, 0, 0, 0, 0, 0, byte(class.ID >> 8), byte(class.ID)}
	}
	return []byte{0x80 | byte(size), 0x80 | byte(size>>7), 0x80 | byte(size>>14), byte(size >> 21),
		0x80 | byte(class.ID), byte(class.ID >> 7)}
}

// Events may hold bytes that look like events. The result is right all the same.
func TestWrongGuesses(t *testing.T) {
	const block = index.BlockSize
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		l := newLiar(b)
		b.MetadataFirst, b.ConstantsFirst = true, true
		l.some(300)
		l.over(2*block, 2*block)
		for range 60 { // spread, so that no fake of a later sector is missed
			l.some(20)
			b.Emit(l.text, l.time(), string(make([]byte, 100)), 7)
		}
		l.over(4*block, 5*block)
		l.some(300)
		l.over(7*block, 7*block)
		l.some(1000)
		honest, layout := b.Build()
		c := onlyChunk(t, honest)
		types := typesOf(t, c)
		require.Greater(t, len(honest), 7*block+block/2, "and there is a last sector")
		all, _ := naive(t, c)

		// The text of the event that lies over a place, and where the event ends.
		room := func(place int) (text, end int) {
			for _, f := range all {
				if f.Offset < uint64(place) && f.End() > uint64(place) {
					require.Equal(t, "test.Lie", f.class.Name)
					return int(f.Body()) + 30, int(f.End())
				}
			}
			panic("no such event")
		}
		// What is said there: copies of a short event of a class that is rare.
		var fake []byte
		for _, f := range all {
			if f.IsEvent() && f.class != nil && f.class.Name == "test.Many0" && f.Size < 25 {
				fake = honest[f.Offset:f.End()]
				break
			}
		}
		require.NotEmpty(t, fake)
		short := len(fake)
		say := func(data []byte, from, to int) { // ends at to
			text, _ := room(to - 1)
			from = max(from, text+index.GuessRange/2)
			for at := to - short; at >= from; at -= short {
				copy(data[at:], fake)
			}
		}
		// jump makes a fake of a size that leads somewhere.
		jump := func(data []byte, from, to int) {
			copy(data[from:], frameOf(c.IntEncoding(), to-from, types.Named("test.Text")))
		}
		_, end2 := room(2 * block)
		_, end5 := room(5 * block)
		_, end7 := room(7 * block)
		last := int(layout.Events[len(layout.Events)-1].End())
		tests := []struct {
			name   string
			say    func(data []byte)
			places []int // of wrong guesses
		}{
			{"and go on with the truth", func(d []byte) { say(d, 2*block-2000, end2) }, []int{2}},
			{"and end in nothing", func(d []byte) { say(d, 2*block-2000, 2*block+5000) }, []int{2}},
			{"and lead over the next place", func(d []byte) {
				say(d, 2*block-2000, 2*block+5000)
				jump(d, 2*block+5000, end5)
			}, []int{2}},
			{"and lead to another lie", func(d []byte) {
				say(d, 2*block-2000, 2*block+5000)
				say(d, 4*block-2000, end5-5000)
				jump(d, 2*block+5000, end5-5000-short*500)
			}, []int{2, 4, 5}},
			{"and lead to the end", func(d []byte) {
				say(d, 2*block-2000, 2*block+5000)
				jump(d, 2*block+5000, last)
			}, []int{2}},
			{"over two places", func(d []byte) { say(d, 4*block-2000, end5) }, []int{4, 5}},
			{"over two places, and end in nothing", func(d []byte) { say(d, 4*block-2000, end5-5000) }, []int{4, 5}},
			{"in the last sector", func(d []byte) { say(d, 7*block-2000, end7) }, []int{7}},
			{"in the last sector, and end in nothing", func(d []byte) { say(d, 7*block-2000, end7-1000) }, []int{7}},
			{"everywhere", func(d []byte) {
				say(d, 2*block-2000, end2)
				say(d, 4*block-2000, end5-3000)
				say(d, 7*block-2000, end7)
			}, []int{2, 4, 5, 7}},
		}
		for i, tt := range tests {
			if !longtest.Every(i, 4) {
				continue
			}
			t.Run(tt.name, func(t *testing.T) {
				data := bytes.Clone(honest)
				tt.say(data)
				c := onlyChunk(t, data)
				all, end := naive(t, c)
				for place := 1; place <= 7; place++ {
					begin, ok := c.Guess(uint64(place) * block)
					first, _ := firstFrom(all, uint64(place)*block)
					wrong := ok && begin != first
					assert.Equal(t, slices.Contains(tt.places, place), wrong, "the guess at %d", place)
				}
				checkCut(t, c, all, end)
				checkCensus(t, newIndex(t, data))
				if !longtest.Enabled() && i > 0 {
					return
				}
				// And where the truth ends after a lie.
				for _, f := range all {
					if f.Offset > uint64(tt.places[0])*block {
						damaged := bytes.Clone(data)
						leadOut(damaged, f.EventHeader, c.IntEncoding())
						c := onlyChunk(t, damaged)
						wantFault(t, c.Blocks().Err(), index.ErrCorrupt, 0, f.Offset)
						checkCut(t, c, all, f.Offset)
						checkCensus(t, newIndex(t, damaged))
						break
					}
				}
			})
		}
	})
}

// leadOut makes the size of an event lead out of the chunk.
func leadOut(data []byte, rec index.EventHeader, form wire.IntEncoding) {
	if form == wire.FixedWidth {
		copy(data[rec.Offset:], "\x7f\xff\xff\xff")
		return
	}
	copy(data[rec.Offset:], "\xff\xff\xff\x7f\x05\x00")
}

// tooSmall are heads of events whose sizes are less than they themselves are: by
// how they are taken apart, in which the compressed ones differ.
var tooSmall = []string{"\x00\x05", "\x01\x05", "\x02\x85\x01", "\x85\x80\x80\x00\x85\x01", "\x84\x80\x80\x00\x05"}

// Where events cannot be read any more, all that comes before is counted, and
// nothing of what lies after.
func TestDamageInASector(t *testing.T) {
	mixtures(t, 4000, func(t *testing.T, data []byte) {
		c := onlyChunk(t, data)
		all, end := naive(t, c)
		// The first and the last event of the chunk and of some sectors, and others.
		var at []int
		lastBlock := uint64(0)
		for i, f := range all {
			if block := f.Offset / index.BlockSize; block != lastBlock {
				at, lastBlock = append(at, i-1, i), block
			}
		}
		rng := rand.New(rand.NewPCG(9, end))
		rng.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
		at = append(at[:min(len(at), 5)], 1+rng.IntN(3), rng.IntN(len(all)), len(all)-2-rng.IntN(3))
		if !longtest.Enabled() {
			at = at[4:]
		}
		for n, i := range at {
			f := all[i]
			if f.Type == schema.MetadataID || f.End() > end-6 {
				continue
			}
			damaged := bytes.Clone(data)
			switch small := tooSmall[n%len(tooSmall)]; {
			case n%4 == 0:
				leadOut(damaged, f.EventHeader, c.IntEncoding())
			case c.IntEncoding() == wire.FixedWidth:
				copy(damaged[f.Offset:], "\x00\x00\x00\x0b")
			default:
				copy(damaged[f.Offset:], small)
			}
			t.Run(fmt.Sprintf("at %#x of %#x", f.Offset, end), func(t *testing.T) {
				c := onlyChunk(t, damaged)
				wantFault(t, c.Blocks().Err(), index.ErrCorrupt, 0, f.Offset)
				checkCut(t, c, all, f.Offset)
				checkCensus(t, newIndex(t, damaged))
			})
		}
	})
}

// A size that is wrong but possible leads into the middle of an event, from where
// on frames are nonsense. Guesses then find the true ones, which do not count.
func TestSizesThatLeadAstray(t *testing.T) {
	mixtures(t, 4000, func(t *testing.T, data []byte) {
		c := onlyChunk(t, data)
		all, end := naiveFrames(c)
		last := uint64(0)
		for _, f := range all {
			if f.Offset < last || f.Type == schema.MetadataID || f.Size > 60 || f.End() > end-20 || f.HeaderLen > 12 {
				continue
			}
			last = f.Offset + end/uint64(longtest.Cases(4, 8))
			astray := bytes.Clone(data)
			width := 1 // the size's lowest bits are in its first byte, or in its fourth
			if c.IntEncoding() == wire.FixedWidth {
				width = 4
			}
			astray[f.Offset+uint64(width)-1] += 3
			t.Run(fmt.Sprintf("at %#x of %#x", f.Offset, end), func(t *testing.T) {
				c := onlyChunk(t, astray)
				serial := c.Recut(1)
				frames, end := naiveFrames(c)
				checkEvents(t, c, frames, end)
				if serial.Err() != nil {
					wantFault(t, serial.Err(), index.ErrCorrupt, 0, end)
				}
				checkCensus(t, newIndex(t, astray))
				sameBlocks(t, c, serial)
			})
		}
	})
}
