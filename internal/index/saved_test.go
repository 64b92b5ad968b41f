package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// stampOf is a stamp for a recording of a test.
func stampOf(data []byte) index.FileStamp {
	return index.FileStamp{Size: uint64(len(data)), ModTime: 1_600_000_000_123_456_789}
}

func save(t testing.TB, x *index.Index, data []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	require.NoError(t, x.Save(&buf, stampOf(data)))
	return buf.Bytes()
}

// savedIndex returns the saved index of a recording.
func savedIndex(t testing.TB, data []byte) []byte {
	t.Helper()
	return save(t, newIndex(t, data), data)
}

// loaded returns an index that has been loaded.
func loaded(t testing.TB, data, saved []byte) *index.Index {
	t.Helper()
	x := newIndex(t, data)
	require.NoError(t, x.Load(saved, stampOf(data)))
	return x
}

// isWhole reports whether there is nothing about a chunk that must be reported anew.
func isWhole(t testing.TB, c *index.Chunk) bool {
	t.Helper()
	if c.TrailingErr() != nil || !c.Header().Finished() || c.Blocks().Err() != nil {
		return false
	}
	k, err := c.Constants()
	return err == nil && k.Err() == nil
}

// sameAnswers compares two indexes of the same recording in all there is to ask.
func sameAnswers(t *testing.T, want, got *index.Index) {
	t.Helper()
	sameIndex(t, want, got)
	for i, w := range want.Chunks() {
		g := got.Chunks()[i]
		wb, gb := w.Blocks(), g.Blocks()
		require.Equal(t, wb.Len(), gb.Len())
		require.Equal(t, wb.HasUndescribed(), gb.HasUndescribed())
		for block := range wb.Len() {
			require.Equal(t, wb.Facts(block), gb.Facts(block))
		}
		for n := range wb.Events() + 2 {
			wr, wok := w.EventN(n)
			gr, gok := g.EventN(n)
			if wr != gr || wok != gok {
				require.Equal(t, wr, gr, "event %d", n)
				require.Equal(t, wok, gok, "event %d", n)
			}
		}
		types, err := w.AllTypes()
		if err != nil {
			continue
		}
		others, err := g.AllTypes()
		require.NoError(t, err)
		for _, class := range types.Types {
			other := others.ByID(class.ID)
			require.NotNil(t, other)
			require.Equal(t, wb.Count(class), gb.Count(other), class.Name)
			wo, wok := wb.Offsets(class)
			g, gok := gb.Offsets(other)
			require.Equal(t, wok, gok, class.Name)
			require.True(t, slices.Equal(wo, g), class.Name)
		}
	}
}

func TestALoadedIndexAnswersAsAFreshOne(t *testing.T) {
	index.SetSectorSize(t, index.DefaultSectorSize)
	eachRecording(t, func(t *testing.T, data []byte) {
		fresh := newIndex(t, data)
		saved := savedIndex(t, data)
		x := loaded(t, data, saved)
		for i, c := range fresh.Chunks() {
			g := x.Chunks()[i]
			require.Equal(t, isWhole(t, c), g.Pending(), "whether chunk %d is saved", i)
			require.NoError(t, g.CheckSaved())
			if !isWhole(t, c) {
				require.Nil(t, g.CachedBlocks())
				continue
			}
			require.Nil(t, g.CachedConstants())
			require.NotNil(t, g.CachedBlocks(), "saved blocks need no asking for")
			require.True(t, g.CachedBlocks().Saved())
			require.Same(t, g.CachedBlocks(), g.Blocks())
			require.True(t, constantsOf(t, g).Saved())
			require.False(t, c.Blocks().Saved())
			require.False(t, constantsOf(t, c).Saved())
			require.False(t, g.Pending())
		}
		sameAnswers(t, fresh, x)
	})
}

// everyForm are recordings with something of everything.
func everyForm(t *testing.T, do func(t *testing.T, data []byte)) {
	t.Helper()
	for _, raw := range []bool{false, true} {
		t.Run(map[bool]string{false: "compressed", true: "raw"}[raw], func(t *testing.T) {
			b := jfrtest.NewChunk()
			if raw {
				b.Uncompressed()
			}
			do(t, join(grow(b).data, tiny(raw).Bytes(), small(3).Bytes()))
		})
	}
}

func TestALoadedIndexOfEveryForm(t *testing.T) {
	everyForm(t, func(t *testing.T, data []byte) {
		x := loaded(t, data, savedIndex(t, data))
		for _, c := range x.Chunks() {
			require.True(t, c.Pending())
		}
		sameAnswers(t, newIndex(t, data), x)
	})
}

// TestLoadInAnyOrder asks first for what needs older metadata events, or last.
func TestLoadInAnyOrder(t *testing.T) {
	data := grow(jfrtest.NewChunk()).data
	saved := savedIndex(t, data)
	for _, l := range loads {
		x := loaded(t, data, saved)
		l.load(x)
		sameAnswers(t, newIndex(t, data), x)
	}
	x := loaded(t, data, saved)
	c := x.Chunks()[0]
	assert.NotNil(t, constantsOf(t, c).Named("test.Gone"), "of which there are constants")
	assert.True(t, constantsOf(t, c).Saved())
	assert.True(t, c.Blocks().HasUndescribed())
}

// keptBy returns what an index writes while do uses it.
func keptBy(t testing.TB, x *index.Index, data []byte, least uint64, do func()) []byte {
	t.Helper()
	var buf bytes.Buffer
	require.NoError(t, x.Keep(stampOf(data), least, func() (io.Writer, error) { return &buf, nil }))
	do()
	written, err := x.Finish()
	require.NoError(t, err)
	require.Equal(t, written, buf.Len() > 0)
	return buf.Bytes()
}

// TestWhatIsFoundIsKept in whatever order, and although the cache drops most of it.
func TestWhatIsFoundIsKept(t *testing.T) {
	g := grow(jfrtest.NewChunk())
	recordings := map[string][]byte{"grown": g.data, "many": manyChunks(12)}
	for _, name := range []string{"jdk25-profile", "jdk17-chunks", "jdk25-killed", "concat-jdk17-jdk25"}[longtest.Cases(4, 0):] {
		recordings[name] = testdata(t, name)
	}
	index.SetKept(t, 1, 3)
	for name, data := range recordings {
		t.Run(name, func(t *testing.T) {
			for _, l := range loads {
				x := newIndex(t, data)
				saved := keptBy(t, x, data, 0, func() { l.load(x) })
				if len(saved) > 0 {
					sameAnswers(t, newIndex(t, data), loaded(t, data, saved))
				}
			}
		})
	}
}

// TestPartsAreKeptWithThoseThatWereLoaded adds what a run finds to what an earlier one found.
func TestPartsAreKeptWithThoseThatWereLoaded(t *testing.T) {
	data := manyChunks(4)
	x := newIndex(t, data)
	first := keptBy(t, x, data, 0, func() { x.Chunks()[1].Blocks() })
	x = loaded(t, data, first)
	assert.True(t, x.Loaded())
	assert.Nil(t, x.Chunks()[0].CachedBlocks())
	assert.True(t, x.Chunks()[1].Blocks().Saved())
	assert.False(t, constantsOf(t, x.Chunks()[1]).Saved())
	x = loaded(t, data, first)
	second := keptBy(t, x, data, 0, func() { constantsOf(t, x.Chunks()[1]); constantsOf(t, x.Chunks()[2]) })
	x = loaded(t, data, second)
	assert.True(t, x.Chunks()[1].Blocks().Saved())
	assert.True(t, constantsOf(t, x.Chunks()[1]).Saved())
	assert.True(t, constantsOf(t, x.Chunks()[2]).Saved())
	assert.Nil(t, x.Chunks()[2].CachedBlocks())
	sameAnswers(t, newIndex(t, data), x)
}

// TestTooLittleIsNotKept until it is worth a file.
func TestTooLittleIsNotKept(t *testing.T) {
	data := manyChunks(3)
	two := newIndex(t, data).Chunks()[1].Offset() * 2
	for n, want := range []bool{false, false, true} {
		x := newIndex(t, data)
		saved := keptBy(t, x, data, two, func() {
			for _, c := range x.Chunks()[3-n:] {
				c.Blocks()
			}
		})
		assert.Equal(t, want, len(saved) > 0)
	}
	x := loaded(t, data, savedIndex(t, data))
	assert.Empty(t, keptBy(t, x, data, 0, func() { x.Chunks()[0].Blocks() }), "nothing is new")
}

// TestWhatIsNotSaved: chunks that grow, and those of which there is something to
// tell, have no part; the others do.
func TestWhatIsNotSaved(t *testing.T) {
	good := tiny(false).Bytes()
	damaged := jfrtest.NewChunk()
	event := damaged.Event("E")
	damaged.Emit(event, 1)
	damaged.EmitWith(jfrtest.EventOptions{Size: new(int64(0))}, event, 2)
	cut := tiny(false).Bytes()
	chain := put(tiny(false).Bytes(), checkpointAt, 1<<20)
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"unfinished": {setState(good, 3), index.ErrUnfinished},
		"truncated":  {cut[:len(cut)-1], index.ErrTruncated},
		"event":      {damaged.Bytes(), index.ErrCorrupt},
		"checkpoint": {chain, index.ErrCorrupt},
		"metadata":   {put(good, metadataAt, 69), index.ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			data := join(good, c.data)
			saved := savedIndex(t, data)
			x := loaded(t, data, saved)
			assert.True(t, x.Chunks()[0].Pending())
			bad := x.Chunks()[1]
			require.False(t, bad.Pending())
			sameAnswers(t, newIndex(t, data), x)
			var errs []error
			errs = append(errs, bad.TrailingErr(), bad.Blocks().Err())
			k, err := bad.Constants()
			if errs = append(errs, err); err == nil {
				errs = append(errs, k.Err())
			}
			assert.True(t, slices.ContainsFunc(errs, func(err error) bool { return errors.Is(err, c.want) }), errs)
		})
	}
}

// TestWhatIsSavedOfAGrowingChunkIsNotUsed: nobody saves that, but somebody could.
func TestWhatIsSavedOfAGrowingChunkIsNotUsed(t *testing.T) {
	data := tiny(false).Bytes()
	saved := savedIndex(t, data)
	live := setState(data, 3)
	entry := saved[len(saved)-index.SavedTrailerLen-index.SavedEntryLen:]
	copy(entry[16:84], live[:68])
	index.FixSums(saved)
	x := loaded(t, live, saved)
	assert.False(t, x.Chunks()[0].Pending())
	assert.Nil(t, x.Chunks()[0].CachedBlocks())
}

func TestSaveRefusesAStampOfAnotherSize(t *testing.T) {
	data := tiny(false).Bytes()
	var buf bytes.Buffer
	err := newIndex(t, data).Save(&buf, stampOf(data[1:]))
	assert.ErrorIs(t, err, index.ErrSavedIndex)
	assert.Zero(t, buf.Len())
	err = newIndex(t, data).Load(savedIndex(t, data), stampOf(data[1:]))
	assert.ErrorIs(t, err, index.ErrSavedIndex)
}

// limited is a disk that becomes full.
type limited struct{ left int }

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, fmt.Errorf("disk full")
	}
	return len(p), nil
}

func TestSaveTellsThatItCannotWrite(t *testing.T) {
	data := join(tiny(false).Bytes(), tiny(true).Bytes())
	size := len(savedIndex(t, data))
	for n := 0; n < size; n += longtest.Cases(7, 1) {
		require.ErrorContains(t, newIndex(t, data).Save(&limited{n}, stampOf(data)), "disk full")
	}
	require.NoError(t, newIndex(t, data).Save(&limited{size}, stampOf(data)))
}

// TestUnalignedBytesAreCopied: a caller may have cut the bytes out of others.
func TestUnalignedBytesAreCopied(t *testing.T) {
	data := grow(jfrtest.NewChunk()).data
	saved := savedIndex(t, data)
	for shift := range 9 {
		x := loaded(t, data, append(make([]byte, shift), saved...)[shift:])
		require.True(t, x.Chunks()[0].CachedBlocks().Saved())
		sameAnswers(t, newIndex(t, data), x)
	}
}

// TestManyUseALoadedIndexForTheFirstTime is for the race detector.
func TestManyUseALoadedIndexForTheFirstTime(t *testing.T) {
	data := testdata(t, "jdk25-chunks")
	saved := savedIndex(t, data)
	fresh := newIndex(t, data)
	for range 5 {
		x := loaded(t, data, saved)
		var wg sync.WaitGroup
		for n := range 16 {
			wg.Go(func() {
				for i := range x.Chunks() {
					c := x.Chunks()[(i+n)%len(x.Chunks())]
					var b *index.Blocks
					switch n % 4 {
					case 0:
						b = c.CachedBlocks()
					case 1:
						b = c.BuildBlocks(2)
					case 2:
						assert.NoError(t, c.CheckSaved())
						b = c.Blocks()
					default:
						k, err := c.Constants()
						assert.NoError(t, err)
						assert.Equal(t, len(k.Pools()), len(constantsOf(t, fresh.Chunks()[c.Number()]).Pools()))
						b = c.Blocks()
					}
					assert.True(t, b.Saved())
					assert.Equal(t, fresh.Chunks()[c.Number()].Blocks().Events(), b.Events())
				}
			})
		}
		wg.Wait()
	}
}

// TestSaveWhileOthersRead is for the race detector.
func TestSaveWhileOthersRead(t *testing.T) {
	data := grow(jfrtest.NewChunk()).data
	want := savedIndex(t, data)
	for range 5 {
		x := newIndex(t, data)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { assert.True(t, bytes.Equal(want, save(t, x, data))) })
			wg.Go(func() { _, _ = x.Chunks()[0].AllTypes(); _ = x.Chunks()[0].Blocks() })
		}
		wg.Wait()
	}
}

// TestSavedTables holds for any multiplier of the process.
func TestSavedTables(t *testing.T) {
	for name, keys := range map[string][]uint64{
		"dense":             seq(1, 1000, 1),
		"dense from high":   seq(math.MaxUint64-999, 1000, 1),
		"wide but dense":    seq(0, 1000, 4),
		"sparse":            seq(0, 1000, 1<<16),
		"one":               {1 << 63},
		"two far apart":     {0, math.MaxUint64},
		"first sparse":      append([]uint64{1000, 0}, seq(1, 998, 1)...),
		"all in one place":  index.Colliding(1000),
		"growing from here": append(seq(5000, 20, 1), seq(5020, 3000, 1)...),
		"growing downwards": append(seq(5000, 20, 1), seq(4000, 1000, 1)...),
	} {
		t.Run(name, func(t *testing.T) {
			var all [][]byte
			for _, from := range []uint64{1, 1<<32 - 500, 1 << 33} {
				c := newChecked()
				c.add(from, keys...)
				sealed, loaded := c.Sealed()
				s := &checked{*loaded, c.want}
				s.check(t)
				assert.Equal(t, from+uint64(len(keys)) > 1<<32, s.High())
				all = append(all, sealed)
			}
			assert.NotEqual(t, all[0], all[1])
		})
	}
}
