package corrupt

import (
	"encoding/binary"
	"math"
	"unicode/utf16"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// walker reads a chunk and notes where numbers stand. It knows nothing of limits
// and panics where a recording is not good.
type walker struct {
	atlas *Atlas
	chunk *jfrtest.Chunk
	data  []byte
	pos   int
	frame int
	// strings are those of the metadata event that is being read.
	strings []string
}

// headerFields are the numbers of a chunk header, and how many bytes they take.
var headerFields = []struct {
	what string
	len  int
}{
	{"major version", 2}, {"minor version", 2}, {whatChunkSize, 8}, {whatCheckpoint, 8}, {whatMetadata, 8}, {"start", 8},
	{"duration", 8}, {"start ticks", 8}, {"ticks per second", 8}, {"state", 1}, {"padding", 2}, {"flags", 1},
}

// Numbers that have to be right where others become longer.
const (
	whatChunkSize  = "chunk size"
	whatCheckpoint = "checkpoint offset"
	whatMetadata   = "metadata offset"
	whatDelta      = "delta"
)

// whatClass is the value of the attribute that says what number a class has.
const whatClass = "class number"

func (w *walker) walk() {
	end := w.pos + int(w.chunk.Header.Size)
	w.atlas.chunks = append(w.atlas.chunks, chunk{w.pos, end, w.chunk.Header.State == 0})
	w.frame = -1
	w.pos += 4 // the magic
	for _, f := range headerFields {
		w.raw(f.what, f.len)
	}
	for w.pos < end {
		w.event()
	}
}

func (w *walker) note(what string, length int, varint bool, value uint64) {
	w.atlas.places = append(w.atlas.places, place{what, w.pos, length, varint, value, w.frame})
	w.pos += length
}

// raw reads a big-endian number.
func (w *walker) raw(what string, length int) (v uint64) {
	for _, b := range w.data[w.pos : w.pos+length] {
		v = v<<8 | uint64(b)
	}
	w.note(what, length, false, v)
	return v
}

// number reads an integer, which takes that many bytes where it is not compressed.
func (w *walker) number(what string, length int) (v uint64) {
	if w.chunk.Header.Flags&jfrtest.FlagCompressed == 0 {
		return w.raw(what, length)
	}
	n := 0
	for {
		b := w.data[w.pos+n]
		if n == 8 {
			v |= uint64(b) << 56
			n++
			break
		}
		v |= uint64(b&0x7f) << (7 * n)
		n++
		if b < 0x80 {
			break
		}
	}
	w.note(what, n, true, v)
	return v
}

func (w *walker) count(what string) int { return int(uint32(w.number(what, 4))) }

// long reads a number that takes eight bytes where it is not compressed.
func (w *walker) long(what string) int64 { return int64(w.number(what, 8)) }

func (w *walker) event() {
	w.frame = len(w.atlas.frames)
	start := w.pos
	size := w.count("event size")
	f := frame{start: start, end: start + size, size: w.atlas.places[len(w.atlas.places)-1]}
	f.typ = w.long("event type")
	w.atlas.frames = append(w.atlas.frames, f)
	switch {
	case f.typ == jfrtest.MetadataTypeID && w.isMetadata(start):
		w.metadata()
	case f.typ == jfrtest.CheckpointTypeID && w.isCheckpoint(start):
		w.checkpoint()
	default:
		if class := w.chunk.Classes[f.typ]; class != nil {
			w.fields(class)
		}
	}
	w.pos = f.end
}

// isMetadata and isCheckpoint tell whether the reference decoder has understood what
// lies there: some agents give events of their own these types.
func (w *walker) isMetadata(at int) bool {
	for _, m := range w.chunk.Metadata {
		if m.Offset == int64(at) {
			return m.Bad == nil
		}
	}
	return false
}

func (w *walker) isCheckpoint(at int) bool {
	for _, cp := range w.chunk.Checkpoints {
		if cp.Offset == int64(at) {
			return true
		}
	}
	return false
}

func (w *walker) metadata() {
	w.long("metadata start")
	w.long("metadata duration")
	w.long("metadata id")
	w.strings = nil
	for range w.count("string count") {
		w.strings = append(w.strings, w.text())
	}
	w.element()
}

func (w *walker) element() {
	element := w.strings[w.number("element name", 4)]
	for range w.count("attribute count") {
		what := "attribute value"
		if name := w.strings[w.number("attribute name", 4)]; element == "class" && name == "id" {
			what = whatClass
		}
		w.number(what, 4)
	}
	for range w.count("child count") {
		w.element()
	}
}

func (w *walker) checkpoint() {
	w.long("checkpoint start")
	w.long("checkpoint duration")
	w.long(whatDelta)
	w.raw("mask", 1)
	for range w.count("pool count") {
		class := w.chunk.Classes[w.long("pool class")]
		for range w.count("constant count") {
			w.long("key")
			w.value(class)
		}
	}
}

func (w *walker) fields(class *jfrtest.Class) {
	for _, f := range class.Fields {
		n := 1
		if f.Dimension > 0 {
			n = w.count("array count")
		}
		for range n {
			if f.ConstantPool {
				w.long("key of a constant")
				continue
			}
			w.value(w.chunk.Classes[f.ClassID])
		}
	}
}

func (w *walker) value(class *jfrtest.Class) {
	if len(class.Fields) > 0 {
		w.fields(class)
		return
	}
	switch class.Name {
	case "boolean", "byte":
		w.raw("byte", 1)
	case "char", "short":
		w.number("short", 2)
	case "int":
		w.number("int", 4)
	case "long":
		w.number("long", 8)
	case "float":
		w.raw("float", 4)
	case "double":
		w.raw("double", 8)
	case jfrtest.StringClass:
		w.text()
	}
}

// text reads a string, and returns it unless it is one of a pool.
func (w *walker) text() string {
	switch w.raw("encoding", 1) {
	case 2:
		w.long("key of a string")
	case 3, 5:
		n := w.count("string length")
		w.pos += n
		return string(w.data[w.pos-n : w.pos])
	case 4:
		n := w.count("string length")
		was := len(w.atlas.places)
		units := make([]uint16, n)
		for i := range units {
			units[i] = uint16(w.number("char", 2))
		}
		w.atlas.places = w.atlas.places[:was] // characters are not worth it
		return string(utf16.Decode(units))
	}
	return ""
}

// appendNumber appends a number in as few bytes as it takes, but no fewer than least.
func appendNumber(dst []byte, v uint64, varint bool, least int) []byte {
	if !varint {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], v)
		return append(dst, b[8-least:]...)
	}
	n := max(varintLen(v), least)
	for range n - 1 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

func varintLen(v uint64) int {
	for n := 1; n < 9; n++ {
		if v <= math.MaxUint64>>(64-7*n) {
			return n
		}
	}
	return 9
}
