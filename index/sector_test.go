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

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
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

func TestSectors(t *testing.T) {
	places, sectors, wrong := 0, 0, 0
	mixtures(t, 8000, func(t *testing.T, data []byte) {
		c := onlyChunk(t, data)
		all, end := naiveFrames(c)
		for _, size := range sectorSizes[:2] {
			index.SetSectorSize(t, size)
			for _, from := range []uint64{c.FirstEvent(), all[len(all)/2].Offset, all[len(all)-1].Offset, end} {
				list := c.Sectors(from)
				require.NotEmpty(t, list)
				assert.Equal(t, from, list[0].From)
				assert.Equal(t, end, list[len(list)-1].Limit)
				for i, s := range list[1:] {
					limit := list[i].Limit
					assert.Zero(t, limit%size)
					assert.Greater(t, limit, from)
					assert.GreaterOrEqual(t, s.From, limit)
					assert.Less(t, limit, end-size/2, "a short rest is left to the sector before")
					if first, _ := firstFrom(all, limit); s.From != first {
						wrong++
					}
				}
				places += int((end - from) / size)
				sectors += len(list) - 1
			}
		}
	})
	if !longtest.Enabled() {
		return
	}
	t.Logf("at %d of %d places a sector begins, at %d of them wrongly", sectors, places, wrong)
	assert.Greater(t, sectors, places/4)
	assert.Less(t, wrong, 10)
}

// Among plain events sectors begin at each place, but for one too near the end.
func TestSectorsOfPlainEvents(t *testing.T) {
	const size = index.BlockSize
	index.SetSectorSize(t, size)
	b := jfrtest.NewChunk()
	b.MetadataFirst, b.ConstantsFirst = true, true
	event := b.Event("test.E", jfrtest.Of("value", "long"))
	for i := range 50_000 {
		b.Emit(event, 1_000_000+i, 1_000_000)
	}
	c := onlyChunk(t, b.Bytes())
	all, end := naiveFrames(c)
	require.True(t, guessedRight(c, all))
	for _, from := range []uint64{c.FirstEvent(), size - 1, size, size + 1, 3 * size, 4*size + size/2, end - size, end - size/2, end} {
		var want []uint64
		for place := uint64(size); place < end-size/2; place += size {
			if place > from {
				want = append(want, place)
			}
		}
		var got []uint64
		for _, s := range c.Sectors(from) {
			got = append(got, s.Limit)
		}
		assert.Equal(t, append(want, end), got, "from %d", from)
	}
	// One event more or less decides on the last sector.
	for _, cut := range []uint64{0, 1, 2} {
		end := uint64(5*size+size/2) + 1 - cut
		data := put(bytes.Clone(c.Data()[:end]), sizeAt, end)
		c := newIndex(t, data).Chunks()[0]
		assert.Len(t, c.Sectors(c.FirstEvent()), 6-int(min(cut, 1)))
	}
}

// The guess goes by what can be: a size that is not less than a head, inside the
// chunk, a class of events, and fields that end where the event does.
func TestGuess(t *testing.T) {
	const (
		place = index.BlockSize
		size  = 10 // of most frames
	)
	b := jfrtest.NewChunk()
	b.MetadataFirst, b.ConstantsFirst = true, true
	event := b.Event("test.E", jfrtest.Of("bytes", "byte").Array())
	// A frame has a time of one byte, and an array of bytes.
	frame := func(size int, id int64) []byte {
		head := []byte{byte(size), 0x80 | byte(id)&0x7f, byte(id >> 7), 1, byte(size - 5)}
		return append(head, bytes.Repeat([]byte{1}, max(size-len(head), 0))...)[:size]
	}
	// wrong makes a frame whose array has more bytes than there are.
	wrong := func(more int) []byte {
		b := frame(size, event.ID)
		b[4] += byte(more)
		return b
	}
	frames := func(n int) []byte { return bytes.Repeat(frame(size, event.ID), n) }
	// around makes a chunk of zeros with bytes in the middle.
	around := func(at int, middle ...[]byte) *index.Chunk {
		b := *b
		_, layout := b.Build()
		zeros := make([]byte, 3*place-layout.Chunk.Size)
		copy(zeros[at-int(layout.Chunk.Size):], join(middle...))
		b.Insert(zeros)
		return onlyChunk(t, b.Bytes())
	}
	// far makes a frame and what it leads over.
	far := func(size int) []byte {
		head := []byte{0x80 | byte(size), 0x80 | byte(size>>7), 0x80 | byte(size>>14), 0, 0x80 | byte(event.ID), byte(event.ID >> 7), 1}
		n := size - len(head) - 3
		head = append(head, 0x80|byte(n), 0x80|byte(n>>7), byte(n>>14))
		return append(head, make([]byte, n)...)
	}
	const none = -1
	tests := []struct {
		name   string
		at     int // where the bytes begin
		middle [][]byte
		want   int // after the place
	}{
		{"a frame begins there", place - 10*size, [][]byte{frames(40)}, 0},
		{"a frame begins a little after", place - 10*size + 3, [][]byte{frames(40)}, 3},
		{"a frame begins a little before", place - 10*size - 3, [][]byte{frames(40)}, size - 3},
		{"nothing", place, nil, none},
		{"nothing before", place, [][]byte{frames(40)}, none},
		{"one before", place - size, [][]byte{frames(40)}, 0},
		{"too few", place - 10*size, [][]byte{frames(index.GuessRun - 1)}, none},
		{"as many as must be", place - 10*size, [][]byte{frames(index.GuessRun)}, 0},
		{"many before and none after", place - 30*size, [][]byte{frames(30)}, none},
		{"many before and one after", place - 30*size, [][]byte{frames(31)}, 0},
		{"as far as is looked", place - index.GuessRange, [][]byte{far(index.GuessRange), frames(40)}, 0},
		{"farther than is looked", place - index.GuessRange - 1, [][]byte{far(index.GuessRange + 1), frames(40)}, none},
		{"a size of its head alone", place - 10*size, [][]byte{frames(15), frame(3, event.ID), frames(15)}, none},
		{"a size of hardly more than its head", place - 10*size, [][]byte{frames(15), frame(5, event.ID), frames(15)}, 0},
		{"fields that end before it does", place - 10*size, [][]byte{frames(15), wrong(-1), frames(15)}, none},
		{"fields that end after it", place - 10*size, [][]byte{frames(15), wrong(1), frames(15)}, none},
		{"no known class", place - 10*size, [][]byte{frames(15), frame(size, event.ID+1), frames(15)}, none},
		{"no class of events", place - 10*size, [][]byte{frames(15), frame(size, b.Lookup(threadClass).ID), frames(15)}, none},
		{"a checkpoint", place - 10*size, [][]byte{frames(15), {size, 1, 2, 2, 2, 2, 2, 2, 2, 2}, frames(15)}, 0},
		{"a metadata event", place - 10*size, [][]byte{frames(15), {size, 0, 2, 2, 2, 2, 2, 2, 2, 2}, frames(15)}, 0},
		{"a run after a broken one", place - 10*size, [][]byte{frames(5), frame(size, event.ID+1), frames(30)}, 0},
		// Each frame of the run is looked at again from each that lies before it.
		{"a run after a short broken one", place - 100*size, [][]byte{frames(5), {0}, frames(200)}, 1},
		{"a run after a long broken one", place - 1000*size, [][]byte{frames(900), {0}, frames(200)}, none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			begin, ok := around(tt.at, tt.middle...).Guess(place)
			require.Equal(t, tt.want != none, ok, "%d", int(begin)-place)
			if ok {
				assert.Equal(t, tt.want, int(begin)-place)
			}
		})
	}
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

// Events may hold bytes that look like events. The result is right all the
// same.
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

// No sector begins in a long checkpoint, even if what is in it looks like events.
func TestSectorsPassLongCheckpoints(t *testing.T) {
	index.SetSectorSize(t, index.BlockSize)
	b := jfrtest.NewChunk()
	event := b.Event("test.E")
	emit := func() {
		for range longtest.Cases(30_000, 60_000) {
			b.Emit(event, 1)
		}
	}
	emit()
	_, layout := b.Build()
	first := layout.Events[0]
	frame := b.Bytes()[first.Offset:first.End()]
	cp := b.Checkpoint(0)
	cp.Add("jdk.types.Symbol", 1, jfrtest.UTF8(string(bytes.Repeat(frame, 20*index.BlockSize/len(frame)))))
	emit()
	data, layout := b.Build()
	c := onlyChunk(t, data)
	span := layout.Checkpoint(cp)
	require.Greater(t, span.Size, int64(15*index.BlockSize))
	before, after := 0, 0
	for _, s := range c.Sectors(c.FirstEvent()) {
		assert.False(t, s.From > uint64(span.Offset) && s.From < uint64(span.End()))
		if s.From <= uint64(span.Offset) {
			before++
		} else {
			after++
		}
	}
	assert.Greater(t, before, 1)
	assert.Greater(t, after, 1)
	all, end := naive(t, c)
	checkBlocks(t, c, all, end)
}
