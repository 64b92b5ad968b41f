package index_test

import (
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
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

// A class with many members and many annotations of it: few bytes, but members
// times annotations values.
func TestAnnotationsDoNotMultiply(t *testing.T) {
	for name, dimension := range map[string]string{"values": "0", "arrays": "1"} {
		t.Run(name, func(t *testing.T) {
			b := jfrtest.NewEmptyChunk()
			root := &jfrtest.Element{Name: "root"}
			metadata := root.Child("metadata")
			annotation := metadata.Child("class").Attr("id", "1")
			user := metadata.Child("class").Attr("id", "2")
			for range 600 {
				annotation.Child("field").Attr("name", "a").Attr("dimension", dimension)
				user.Child("annotation").Attr("class", "1").Attr("a-0", "x").Attr("a", "y")
			}
			b.Metadata(&jfrtest.Metadata{Root: root})
			data := b.Bytes()
			got := allocated(func() { _, _ = onlyChunk(t, data).Types() })
			assert.Less(t, got, uint64(perByte*len(data)), "of a file of %d bytes", len(data))
		})
	}
}

// Checkpoints that lie in one another: each of them reads the rest of the
// file.
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

// Many metadata events that add nothing: what they cost must not grow with the
// square of their number.
func TestManyMetadataEvents(t *testing.T) {
	cost := func(n int) float64 {
		b := jfrtest.NewChunk()
		for range n {
			b.EmitRaw(jfrtest.EventOptions{}, jfrtest.MetadataTypeID, []byte{
				0, 0, 0, // start, duration, id
				2, 1, 3, 8, 'm', 'e', 't', 'a', 'd', 'a', 't', 'a', // strings
				0, 0, 1, 1, 0, 0, // root, metadata
			})
		}
		c := onlyChunk(t, b.Bytes())
		typesOf(t, c)
		return float64(allocated(func() {
			types, err := c.AllTypes()
			require.NoError(t, err)
			require.Len(t, types.Types, len(b.Classes()))
		}))
	}
	few, many := cost(50), cost(400)
	assert.Less(t, many/few, 16.0, "eight times as many events")
}

// And many of which each describes one class more.
func TestManyMetadataEventsWithAClassEach(t *testing.T) {
	cost := func(n int) float64 {
		b := jfrtest.NewEmptyChunk()
		for i := range n {
			class := &jfrtest.Class{ID: int64(i + 100), Name: "C" + strconv.Itoa(i)}
			b.Add(class)
			b.Metadata(&jfrtest.Metadata{ID: int64(i), SizeWidth: -1, Classes: []*jfrtest.Class{class}})
		}
		c := onlyChunk(t, b.Bytes())
		typesOf(t, c)
		return float64(allocated(func() {
			types, err := c.AllTypes()
			require.NoError(t, err)
			require.Len(t, types.Types, n)
		}))
	}
	few, many := cost(100), cost(800)
	assert.Less(t, many/few, 16.0, "eight times as many events")
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

// Other things of which a file can have many.
func TestMemoryIsInProportionToTheFile(t *testing.T) {
	many := func(change func(b *jfrtest.Builder)) []byte {
		b := jfrtest.NewChunk()
		change(b)
		return b.Bytes()
	}
	tests := map[string][]byte{
		"strings": many(func(b *jfrtest.Builder) {
			b.EmitRaw(jfrtest.EventOptions{}, jfrtest.MetadataTypeID, join([]byte{0, 0, 0, 0xa0, 0x9c, 1}, make([]byte, 20_000), []byte{0, 0, 0}))
			b.ForceMetadataOffset = new(int64(jfrtest.HeaderSize))
		}),
		"elements": many(func(b *jfrtest.Builder) {
			root := b.Tree(b.Classes())
			for range 5000 {
				root.Child("x")
			}
			b.Metadata(&jfrtest.Metadata{Root: root})
		}),
		"constants": many(func(b *jfrtest.Builder) {
			for i := range 5000 {
				b.Constant("byte", i*5, 1)
			}
		}),
		"constants that take nothing but a key": many(func(b *jfrtest.Builder) {
			b.Class("test.Nothing")
			cp := b.Checkpoint(0)
			cp.Pool("test.Nothing").Count = new(int64(5000))
			cp.Trailing = make([]byte, 5000)
		}),
		"empty pools": many(func(b *jfrtest.Builder) {
			cp := b.Checkpoint(0)
			for range 5000 {
				cp.Pool("byte")
			}
		}),
		"checkpoints": many(func(b *jfrtest.Builder) {
			for range 1000 {
				b.Checkpoint(0)
			}
		}),
		"headers": join(many(func(*jfrtest.Builder) {}), func() (all []byte) {
			head := put(put(small(0).Bytes()[:68], sizeAt, 68), metadataAt, 0)
			for range 500 {
				all = append(all, head...)
			}
			return all
		}()),
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) {
			got := allocated(func() {
				x := newIndex(t, data)
				for _, c := range x.Chunks() {
					_, _ = c.Types()
					_, _ = c.Constants()
					_ = c.Blocks()
				}
			})
			assert.Less(t, got, uint64(perByte*len(data)), "of a file of %d bytes", len(data))
		})
	}
}
