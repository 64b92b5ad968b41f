package index_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/wire"
)

// small returns a chunk with one event type and n events.
func small(n int) *jfrtest.Builder {
	b := jfrtest.NewEmptyChunk()
	b.Class("long")
	class := b.Event("test.Small", jfrtest.Of("value", "long"))
	for i := range n {
		b.Emit(class, i, i*i)
	}
	return b
}

// Where the fields of a header are that the tests damage.
const (
	majorAt      = 4
	sizeAt       = 8
	checkpointAt = 16
	metadataAt   = 24
	nanosAt      = 32
	tickRateAt   = 56
	stateAt      = 64
)

func put(data []byte, at int, v uint64) []byte {
	data = append([]byte(nil), data...)
	binary.BigEndian.PutUint64(data[at:], v)
	return data
}

func setState(data []byte, state byte) []byte {
	data = append([]byte(nil), data...)
	data[stateAt] = state
	return data
}

func join(parts ...[]byte) (all []byte) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func TestChunkTable(t *testing.T) {
	one, two, three := small(1), small(2), small(30).Uncompressed()
	two.Header.Flags |= jfrtest.FlagFinal
	two.Header.Minor = 0
	two.Header.StartNanos, two.Header.DurationNanos = 1_600_000_000_000_000_123, 456
	two.Header.StartTicks, two.Header.TickRate = -789, 2_700_000_000
	data, layouts := jfrtest.Concat(one, two, three)

	x := newIndex(t, data)
	require.NoError(t, x.TrailingErr())
	require.Len(t, x.Chunks(), 3)
	for i, c := range x.Chunks() {
		assert.Equal(t, i, c.Number())
		assert.Equal(t, uint64(layouts[i].Chunk.Offset), c.Offset())
		assert.Equal(t, layouts[i].Chunk.Of(data), c.Data())
		assert.Equal(t, len(c.Data()), cap(c.Data()), "nobody can append to the recording")
		assert.Equal(t, uint64(wire.HeaderLen), c.FirstEvent())
		assert.NoError(t, c.LeadingErr())
		assert.NoError(t, c.TrailingErr())
	}
	assert.Equal(t, wire.Compressed, x.Chunks()[1].IntEncoding())
	assert.Equal(t, wire.FixedWidth, x.Chunks()[2].IntEncoding())
	l := layouts[1]
	assert.Equal(t, wire.Header{
		Size:           uint64(l.Chunk.Size),
		Checkpoint:     uint64(l.Checkpoints[0].Offset - l.Chunk.Offset),
		Metadata:       uint64(l.Metadata[0].Offset - l.Chunk.Offset),
		StartNanos:     1_600_000_000_000_000_123,
		DurationNanos:  456,
		StartTicks:     -789,
		TicksPerSecond: 2_700_000_000,
		Major:          2,
		Minor:          0,
		Flags:          3,
	}, x.Chunks()[1].Header())
}

func TestChunkTableOfRecordings(t *testing.T) {
	eachRecording(t, func(t *testing.T, data []byte) {
		x := newIndex(t, data)
		rec, err := jfrtest.Decode(data)
		require.Len(t, x.Chunks(), len(rec.Chunks))
		for i, c := range x.Chunks() {
			want := rec.Chunks[i]
			assert.Equal(t, uint64(want.Offset), c.Offset())
			assert.Equal(t, uint64(want.Header.Size), uint64(len(c.Data())))
			assert.NoError(t, c.LeadingErr())
			if want.Header.State == 0 {
				assert.NoError(t, c.TrailingErr())
			} else {
				wantFault(t, c.TrailingErr(), index.ErrUnfinished, i, uint64(want.Offset))
			}
		}
		if err == nil {
			assert.NoError(t, x.TrailingErr())
		}
	})
}

func TestNewRejects(t *testing.T) {
	chunk := small(1).Bytes()
	old := func(major, minor byte) []byte {
		data := append([]byte(nil), chunk...)
		data[majorAt+1], data[majorAt+3] = major, minor
		return data
	}
	tests := []struct {
		name  string
		data  []byte
		want  error
		words string
	}{
		{"empty", nil, index.ErrEmpty, "empty"},
		{"text", []byte("hello, world"), index.ErrNotRecording, "does not begin with 46 4c 52 00"},
		{"one other byte", []byte("G"), index.ErrNotRecording, "does not begin with 46 4c 52 00"},
		{"gzip", []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00"), index.ErrNotRecording, "gzip"},
		{"zip", []byte("PK\x03\x04\x14\x00"), index.ErrNotRecording, "zip"},
		{"zstd", []byte("\x28\xb5\x2f\xfd\x04"), index.ErrNotRecording, "zstd"},
		{"lz4", []byte("\x04\x22\x4d\x18"), index.ErrNotRecording, "lz4"},
		{"xz", []byte("\xfd7zXZ\x00"), index.ErrNotRecording, "xz"},
		{"almost the magic", []byte("FLR\x01" + string(chunk[4:])), index.ErrNotRecording, "does not begin with 46 4c 52 00"},
		{"a part of the magic", chunk[:3], index.ErrTruncated, "3 bytes"},
		{"a part of the header", chunk[:67], index.ErrTruncated, "67 bytes"},
		{"version 0.9", old(0, 9), index.ErrUnsupported, "unsupported: format version 0.9 of Oracle JDK 7 or 8, only 1.x and 2.x can be read; open it with JDK Mission Control, or record with OpenJDK 8u262, JDK 9 or later"},
		{"version 0.0", old(0, 0), index.ErrUnsupported, "0.0"},
		{"version 3.7", old(3, 7), index.ErrUnsupported, "unsupported: format version 3.7, only 1.x and 2.x can be read; it is damaged, or newer than this reader"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x, err := index.New(tt.data)
			assert.Nil(t, x)
			wantFault(t, err, tt.want, 0, 0)
			assert.ErrorContains(t, err, tt.words)
			for _, other := range sentinels {
				if other != tt.want {
					assert.NotErrorIs(t, err, other)
				}
			}
		})
	}
}

func TestTrailingBytes(t *testing.T) {
	chunk := small(2).Bytes()
	end := uint64(len(chunk))
	unsupported := small(1).Bytes()
	unsupported[majorAt+1] = 3
	for name, tt := range map[string]struct {
		after []byte
		want  error
	}{
		"one byte":                  {[]byte{0}, index.ErrTrailing},
		"zeros":                     {make([]byte, 100), index.ErrTrailing},
		"a header cut off":          {chunk[:40], index.ErrTrailing},
		"a chunk of another format": {unsupported, index.ErrUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			x := newIndex(t, join(chunk, tt.after))
			require.Len(t, x.Chunks(), 1)
			assert.NoError(t, x.Chunks()[0].TrailingErr())
			assert.Equal(t, chunk, x.Chunks()[0].Data())
			wantFault(t, x.TrailingErr(), tt.want, 1, end)
		})
	}
}

func TestGarbageBetweenChunks(t *testing.T) {
	one, two := small(1).Bytes(), small(2).Bytes()
	fake := append([]byte("FLR\x00\x00\x02\x00\x01"), make([]byte, 60)...) // no clock, no start
	old := append([]byte(nil), one...)
	old[majorAt+1] = 3
	for name, tt := range map[string]struct {
		between []byte
		want    error
	}{
		"text":                         {[]byte("not a chunk"), index.ErrTrailing},
		"a magic and no version":       {[]byte("FLR\x00"), index.ErrUnsupported},
		"what only begins as a header": {join([]byte("x"), fake), index.ErrTrailing},
		"a chunk of another format":    {old, index.ErrUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			x := newIndex(t, join(one, tt.between, two))
			require.Len(t, x.Chunks(), 2)
			assert.NoError(t, x.TrailingErr())
			assert.Equal(t, one, x.Chunks()[0].Data())
			assert.NoError(t, x.Chunks()[0].TrailingErr())
			c := x.Chunks()[1]
			assert.Equal(t, uint64(len(one)+len(tt.between)), c.Offset())
			assert.Equal(t, two, c.Data())
			wantFault(t, c.LeadingErr(), tt.want, 1, uint64(len(one)))
		})
	}
}

func TestUnsupportedChunkBeforeASupportedOne(t *testing.T) {
	old, chunk := small(1).Bytes(), small(2).Bytes()
	old[majorAt+1] = 3
	x := newIndex(t, join(old, chunk))
	require.Len(t, x.Chunks(), 1)
	assert.Equal(t, uint64(len(old)), x.Chunks()[0].Offset())
	wantFault(t, x.Chunks()[0].LeadingErr(), index.ErrUnsupported, 0, 0)
}

func TestTruncatedLastChunk(t *testing.T) {
	one, two := small(1).Bytes(), small(20).Bytes()
	for cutAt := wire.HeaderLen; cutAt < len(two); cutAt++ {
		x := newIndex(t, join(one, two[:cutAt]))
		require.Len(t, x.Chunks(), 2)
		require.NoError(t, x.Chunks()[0].TrailingErr())
		c := x.Chunks()[1]
		require.Equal(t, two[:cutAt], c.Data())
		wantFault(t, c.TrailingErr(), index.ErrTruncated, 1, uint64(len(one)))
		require.NoError(t, x.TrailingErr())
	}
}

func TestDamagedChunkSize(t *testing.T) {
	one, two := small(20).Bytes(), small(2).Bytes()
	n := uint64(len(one))
	tests := []struct {
		name        string
		size        uint64
		end         uint64 // what is believed of the chunk
		trail, lead error
		leadAt      uint64
	}{
		{"zero", 0, n, index.ErrCorrupt, nil, 0},
		{"less than a header", 67, n, index.ErrCorrupt, nil, 0},
		{"more than the file", 1 << 40, n, index.ErrCorrupt, nil, 0},
		{"all bits", 1<<64 - 1, n, index.ErrCorrupt, nil, 0},
		{"one byte more than the file", n + uint64(len(two)) + 1, n, index.ErrCorrupt, nil, 0},
		{"in the middle of the next", n + 10, n, index.ErrCorrupt, nil, 0},
		{"a header and no more", 68, 68, nil, index.ErrTrailing, 68},
		{"too small by one", n - 1, n - 1, nil, index.ErrTrailing, n - 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := newIndex(t, join(put(one, sizeAt, tt.size), two))
			require.Len(t, x.Chunks(), 2)
			require.NoError(t, x.TrailingErr())
			c := x.Chunks()[0]
			assert.Equal(t, tt.end, uint64(len(c.Data())))
			if tt.trail != nil {
				wantFault(t, c.TrailingErr(), tt.trail, 0, 0)
			} else {
				assert.NoError(t, c.TrailingErr())
			}
			c = x.Chunks()[1]
			assert.Equal(t, n, c.Offset())
			assert.Equal(t, two, c.Data())
			assert.NoError(t, c.TrailingErr())
			if tt.lead != nil {
				wantFault(t, c.LeadingErr(), tt.lead, 1, tt.leadAt)
			} else {
				assert.NoError(t, c.LeadingErr())
			}
		})
	}
}

// A chunk that is still being written, or was when its machine was killed.
func TestUnfinishedChunk(t *testing.T) {
	whole := small(20).Bytes()
	n := uint64(len(whole))
	next := small(2).Bytes()
	started := put(put(put(setState(whole[:68], 1), sizeAt, 68), checkpointAt, 0), metadataAt, 0)
	gib := put(put(put(whole, sizeAt, 1<<30), checkpointAt, 0), metadataAt, 0)
	tests := []struct {
		name   string
		data   []byte
		end    uint64
		chunks int
	}{
		{"flushed", setState(whole, 1), n, 1},
		{"header being rewritten", setState(whole, 255), n, 1},
		{"flushed, more after", join(setState(whole, 7), []byte("an event of which not all is there")), n, 1},
		{"before the first flush", started, 68, 1},
		{"before the first flush, more after", join(started, whole[68:]), 68, 1},
		{"a huge size and no offsets", gib, n, 1},
		{"a huge size, flushed", put(setState(whole, 3), sizeAt, 1<<30), n, 1},
		{"another recording after", join(setState(whole, 1), next), n, 2},
		{"another recording after what is not flushed", join(setState(whole, 1), []byte("rest"), next), n, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := newIndex(t, tt.data)
			require.Len(t, x.Chunks(), tt.chunks)
			require.NoError(t, x.TrailingErr())
			c := x.Chunks()[0]
			assert.Equal(t, tt.end, uint64(len(c.Data())))
			wantFault(t, c.TrailingErr(), index.ErrUnfinished, 0, 0)
			assert.NotErrorIs(t, c.TrailingErr(), index.ErrTruncated)
			if tt.chunks == 2 {
				assert.Equal(t, next, x.Chunks()[1].Data())
				assert.NoError(t, x.Chunks()[1].LeadingErr())
			}
		})
	}
}

func TestChunkBeforeItsFirstFlush(t *testing.T) {
	data := put(put(put(setState(small(20).Bytes(), 1), sizeAt, 68), checkpointAt, 0), metadataAt, 0)
	c := newIndex(t, data).Chunks()[0]
	_, err := c.Types()
	wantFault(t, err, index.ErrUnfinished, 0, 0)
	_, err = c.Constants()
	wantFault(t, err, index.ErrUnfinished, 0, 0)
	assert.Empty(t, records(t, c))
	assert.Zero(t, c.Blocks().Events())
	assert.NoError(t, c.Blocks().Err())
}
