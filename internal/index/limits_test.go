package index_test

import (
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// perByte bounds the memory that a byte of a file may cost at any time.
const perByte = 1000

// Checkpoints that lie in one another: each of them reads the rest of the file.
func TestOverlappingCheckpointsAreRefused(t *testing.T) {
	const (
		heads = 400
		width = 16
		tail  = 1000
	)
	b := jfrtest.NewChunk()
	varint4 := func(v int) []byte {
		return []byte{byte(v) | 0x80, byte(v>>7) | 0x80, byte(v>>14) | 0x80, byte(v >> 21)}
	}
	var raw []byte
	for i := range heads {
		left := heads*width + tail - i*width
		delta := byte(width) // to the next, which lies inside this one
		if i == heads-1 {
			delta = 0
		}
		raw = append(raw, varint4(left)...)
		raw = append(raw, jfrtest.CheckpointTypeID, 0, 0, delta, 0, 1, byte(b.Lookup("byte").ID))
		raw = append(raw, varint4(left/3)...) // constants of two or three bytes
		raw = append(raw, 0)
	}
	b.Insert(append(raw, make([]byte, tail)...))
	b.ForceCheckpointOffset = new(int64(jfrtest.HeaderSize))
	data := b.Bytes()
	c := onlyChunk(t, data)
	typesOf(t, c)
	var k *index.Constants
	got := allocated(func() { k = constantsOf(t, c) })
	assert.ErrorIs(t, k.Err(), index.ErrCorrupt)
	assert.Less(t, got, uint64(perByte*len(data)), "of a file of %d bytes", len(data))
	sum := uint64(0)
	for _, p := range k.Pools() {
		sum += p.Size
	}
	assert.LessOrEqual(t, sum, uint64(len(data)), "bytes in pools")
}

// Classes nested in place deeper than any stack. Go's ends at 1 GB, and with it
// the program: 2.6 million classes, 56 MB of metadata, are enough.
func TestPlansRejectDeepNesting(t *testing.T) {
	const depth = 20_000
	b := jfrtest.NewEmptyChunk()
	root := &jfrtest.Element{Name: "root"}
	metadata := root.Child("metadata")
	for i := range depth {
		class := metadata.Child("class").Attr("id", strconv.Itoa(i+100))
		class.Child("field").Attr("class", strconv.Itoa(i+101))
	}
	metadata.Child("class").Attr("id", strconv.Itoa(depth+100)).Attr("name", "int")
	b.Metadata(&jfrtest.Metadata{Root: root})
	types := typesOf(t, onlyChunk(t, b.Bytes()))
	require.Len(t, types.Types, depth+1)
	_, err := types.Types[0].Plan()
	assert.ErrorIs(t, err, index.ErrUnsupported)
	_, err = types.Types[depth-50].Plan()
	assert.NoError(t, err)
}

// The same with arrays, over which Skip goes by calling itself.
func TestPlansRejectDeepArrays(t *testing.T) {
	const depth = 20_000
	b := jfrtest.NewEmptyChunk()
	root := &jfrtest.Element{Name: "root"}
	metadata := root.Child("metadata")
	for i := range depth {
		class := metadata.Child("class").Attr("id", strconv.Itoa(i+100))
		class.Child("field").Attr("class", strconv.Itoa(i+101)).Attr("dimension", "1")
	}
	metadata.Child("class").Attr("id", strconv.Itoa(depth+100)).Attr("name", "int")
	b.Metadata(&jfrtest.Metadata{Root: root})
	types := typesOf(t, onlyChunk(t, b.Bytes()))
	_, err := types.Types[0].Plan()
	assert.ErrorIs(t, err, index.ErrUnsupported)
}
