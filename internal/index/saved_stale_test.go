package index_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

var le = binary.LittleEndian

// put32 returns a copy with a number of four bytes changed.
func put32(b []byte, at int, v uint32) []byte {
	b = slices.Clone(b)
	le.PutUint32(b[at:], v)
	return b
}

func TestLoadRefusesWhatDoesNotFit(t *testing.T) {
	one, two := tiny(false).Bytes(), small(2).Bytes()
	data := join(one, two)
	saved := savedIndex(t, data)
	swapped := join(two, one)
	later := stampOf(data)
	later.ModTime++
	for name, c := range map[string]struct {
		data, saved []byte
		stamp       index.FileStamp
		says        string
	}{
		"another file of the size": {swapped, saved, stampOf(data), "its chunk 0 is not the recording's"},
		"a file that has grown":    {join(data, one), saved, stampOf(join(data, one)), "bytes, this one has"},
		"a file that was cut":      {one, saved, stampOf(one), "bytes, this one has"},
		"written to since":         {data, saved, later, "written at 2020-09-13T12:26:40.123456789Z, this one was at 2020-09-13T12:26:40.12345679Z"},
		"a header was changed":     {put(data, len(one)+48, 12), saved, stampOf(data), "its chunk 1 is not the recording's"},
		"another version":          {data, put32(saved, 8, 1), stampOf(data), "version 1 of the format, only 4"},
		"version 0":                {data, put32(saved, 8, 0), stampOf(data), "version 0"},
		"other blocks":             {data, fixed(put32(saved, 32, 4096)), stampOf(data), "blocks of 4096"},
		"other cells":              {data, fixed(put32(saved, 36, 4096)), stampOf(data), "cells of 4096"},
		"nothing":                  {data, nil, stampOf(data), "no saved index"},
		"a recording":              {data, data, stampOf(data), "no saved index"},
		"zeros":                    {data, make([]byte, 1000), stampOf(data), "no saved index"},
		"more after it":            {data, join(saved, make([]byte, 8)), stampOf(data), "it is incomplete"},
		"twice":                    {data, join(saved, saved), stampOf(data), "it is incomplete"},
	} {
		t.Run(name, func(t *testing.T) {
			x := newIndex(t, c.data)
			err := x.Load(c.saved, c.stamp)
			require.ErrorIs(t, err, index.ErrSavedIndex)
			assert.ErrorContains(t, err, c.says)
			for _, c := range x.Chunks() {
				assert.False(t, c.Pending(), "nothing has changed")
			}
		})
	}
}

func fixed(saved []byte) []byte {
	index.FixSums(saved)
	return saved
}

// A saved index that was cut anywhere is noticed at once.
func TestLoadRefusesEveryPrefix(t *testing.T) {
	data := tiny(false).Bytes()
	saved := savedIndex(t, data)
	for n := range saved {
		require.ErrorIs(t, newIndex(t, data).Load(saved[:n], stampOf(data)), index.ErrSavedIndex)
	}
}

// answers is all that an index can be asked, as text.
func answers(t testing.TB, x *index.Index) string {
	t.Helper()
	var all []byte
	for _, c := range x.Chunks() {
		b := c.Blocks()
		all = fmt.Append(all, b.Events(), b.Err(), b.Len(), b.HasUndescribed())
		for block := range b.Len() {
			all = fmt.Append(all, b.Facts(block))
		}
		list, _, err := walk(c)
		all = fmt.Append(all, err)
		for _, rec := range list {
			found, n, err := c.EventAt(rec.Offset)
			all = fmt.Append(all, found, n, err)
		}
		for n := range min(b.Events(), uint64(len(list))) {
			rec, ok := c.EventN(n)
			all = fmt.Append(all, rec, ok)
		}
		k, err := c.Constants()
		if all = fmt.Append(all, err); err != nil {
			continue
		}
		all = fmt.Append(all, k.Checkpoints(), k.Pools(), k.Err(), k.String())
		types, err := c.AllTypes()
		require.NoError(t, err)
		for _, class := range types.Types {
			offsets, ok := b.Offsets(class)
			all = fmt.Append(all, class.Name, b.Count(class), offsets, ok, k.Len(class))
			var keys []int64
			k.All(class, func(key int64, _ uint64) bool { keys = append(keys, key); return true })
			slices.Sort(keys)
			for _, key := range append(keys, -1, 0, 1, 2, 1<<40) {
				at, ok := k.Lookup(class, key)
				all = fmt.Append(all, key, at, ok)
			}
		}
	}
	return string(all)
}

// TestEveryByteOfASavedIndexCounts changes each byte, in three ways. That must be
// noticed, when it is loaded or when its part is used, or else make no difference.
func TestEveryByteOfASavedIndexCounts(t *testing.T) {
	flips := []byte{0xff, 0x01, 0x80}[:longtest.Cases(1, 3)]
	for _, raw := range []bool{false, true} {
		data := join(tiny(raw).Bytes(), small(1).Bytes())
		saved := savedIndex(t, data)
		want := answers(t, newIndex(t, data))
		require.Equal(t, want, answers(t, loaded(t, data, saved)))
		atOnce, later := 0, 0
		for at := range saved {
			for _, flip := range flips {
				bad := slices.Clone(saved)
				bad[at] ^= flip
				x := newIndex(t, data)
				if err := x.Load(bad, stampOf(data)); err != nil {
					require.ErrorIs(t, err, index.ErrSavedIndex)
					atOnce++
					continue
				}
				noticed := false
				for _, c := range x.Chunks() {
					if err := c.CheckSaved(); err != nil {
						require.ErrorIs(t, err, index.ErrSavedIndex)
						noticed = true
						later++
					}
				}
				require.True(t, noticed, "byte %#x of %#x", at, len(saved))
				if got := answers(t, x); got != want {
					require.Equal(t, want, got, "byte %#x", at)
				}
				saved := true
				for _, c := range x.Chunks() {
					saved = saved && c.Blocks().Saved() && constantsOf(t, c).Saved()
				}
				require.False(t, saved, "what does not fit is not used")
				for _, c := range x.Chunks() {
					noticed = noticed || c.CheckSaved() != nil
				}
				require.True(t, noticed, "it is still known what was wrong")
			}
		}
		frame := index.SavedHeaderLen + 2*index.SavedEntryLen + index.SavedTrailerLen
		assert.Equal(t, len(flips)*frame, atOnce)
		assert.Equal(t, len(flips)*(len(saved)-frame), later)
	}
}

// large is a chunk of which only samples are compared.
func large(t *testing.T) (data []byte, checkpoint, metadata uint64) {
	t.Helper()
	b := jfrtest.NewChunk()
	event := b.Event("test.Text", jfrtest.Of("text", jfrtest.StringClass))
	for i := range 20_000 {
		switch i {
		case 7000:
			b.Checkpoint(0).Add("jdk.types.Symbol", 1, "symbol")
		case 12_000:
			b.Metadata(&jfrtest.Metadata{ID: 1})
		}
		b.Emit(event, i, fmt.Sprint("some text to fill the chunk with, number ", i))
	}
	data, layout := b.Build()
	require.Greater(t, len(data), 4*index.SampleAll)
	return data, uint64(layout.Checkpoints[0].Offset), uint64(layout.Metadata[0].Offset)
}

// TestOtherContentsOfTheSameSizeAndTime: where samples are taken it is noticed
// that a file was written anew; elsewhere not, as SAVED.md says.
func TestOtherContentsOfTheSameSizeAndTime(t *testing.T) {
	data, checkpoint, metadata := large(t)
	saved := savedIndex(t, data)
	size := uint64(len(data))
	change := func(at uint64) error {
		other := slices.Clone(data)
		other[at] ^= 0x20
		x := loaded(t, other, saved)
		err := x.Chunks()[0].CheckSaved()
		if err != nil {
			require.ErrorIs(t, err, index.ErrSavedIndex)
			assert.ErrorContains(t, err, "contents of chunk 0")
			require.False(t, x.Chunks()[0].Blocks().Saved())
			require.Empty(t, x.Chunks()[0].Blocks().Diff(newIndex(t, other).Chunks()[0].Recut(1)))
			if types, err := x.Chunks()[0].Types(); err == nil && types != nil {
				require.False(t, constantsOf(t, x.Chunks()[0]).Saved())
			}
		}
		return err
	}
	begins := []uint64{68, checkpoint, metadata, size - index.SampleSize}
	for i := range uint64(16) {
		begins = append(begins, size/17*(i+1)/4096*4096)
	}
	for _, at := range begins {
		end := min(at+index.SampleSize, size)
		if at == 68 {
			end = index.SampleSize
		}
		for _, at := range []uint64{at, (at + end) / 2, end - 1} {
			assert.Error(t, change(at), "offset %#x of %#x", at, size)
		}
	}
	assert.NoError(t, change(size/17+2*index.SampleSize), "between the samples")

	small := tiny(false).Bytes()
	saved = savedIndex(t, small)
	for at := 68; at < len(small); at++ {
		other := slices.Clone(small)
		other[at] ^= 1
		require.Error(t, loaded(t, other, saved).Chunks()[0].CheckSaved(), "all of a small chunk counts")
	}
}
