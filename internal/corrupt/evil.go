package corrupt

import (
	"strconv"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Evil is a recording that nobody but an enemy would write.
type Evil struct {
	// Name says what is evil about it.
	Name string
	// Make makes the recording. n is how deep it nests, or how many there are of what
	// it has many of.
	Make func(n int) []byte
}

// startTicks is when all events begin.
const startTicks = 1_000_000

// key is a key that both a constant has and those who refer to it.
const key = 1

// numbered returns a recording whose one chunk begins as that of numberedChunk.
func numbered(name string, add func(b *jfrtest.Builder, n int)) Evil {
	return Evil{name, func(n int) []byte {
		b := numberedChunk()
		add(b, n)
		return b.Bytes()
	}}
}

// tree returns a recording whose one chunk begins as that of treeChunk.
func tree(name string, add func(b *jfrtest.Builder, metadata *jfrtest.Element, n int)) Evil {
	return Evil{name, func(n int) []byte {
		b, metadata := treeChunk()
		add(b, metadata, n)
		return b.Bytes()
	}}
}

// numberedChunk returns a chunk with the standard classes and an event that is to be
// readable whatever else is in the chunk.
func numberedChunk() *jfrtest.Builder {
	b := jfrtest.NewChunk()
	b.Emit(b.Event("damage.Number", jfrtest.Of("n", "int")), startTicks, 7)
	return b
}

// treeChunk returns a chunk with a metadata event of the test's own, which begins with a
// long and an int, and the element that holds its classes.
func treeChunk() (b *jfrtest.Builder, metadata *jfrtest.Element) {
	b = jfrtest.NewEmptyChunk()
	root := &jfrtest.Element{Name: "root"}
	metadata = root.Child("metadata")
	b.Metadata(&jfrtest.Metadata{Root: root})
	metadata.Child("class").Attr("id", "2").Attr("name", "long")
	metadata.Child("class").Attr("id", "3").Attr("name", "int")
	metadata.Child("class").Attr("id", "4").Attr("name", jfrtest.StringClass)
	return b, metadata
}

// firstID is the first id of the classes of a tree that are evil.
const firstID = 10

func decimal(n int) string { return strconv.Itoa(n) }

// eventClass adds an event type with a start time.
func eventClass(metadata *jfrtest.Element, id int, name string) *jfrtest.Element {
	class := metadata.Child("class").Attr("id", decimal(id)).Attr("name", name).Attr("superType", jfrtest.EventSuperType)
	class.Child("field").Attr("name", "startTime").Attr("class", "2")
	return class
}

// varint appends compressed integers.
func varint(dst []byte, values ...uint64) []byte {
	for _, v := range values {
		dst = wire.AppendVarint(dst, v, 1)
	}
	return dst
}
