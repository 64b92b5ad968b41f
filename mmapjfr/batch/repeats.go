package batch

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// chunkID stands for a chunk that is finished, by a hash of its header and types, and the name of its object.
type chunkID struct{ content, object uint64 }

func (c chunkID) compare(o chunkID) int {
	return cmp.Or(cmp.Compare(c.content, o.content), cmp.Compare(c.object, o.object))
}

// chunkIDLen is how many bytes a chunkID has.
const chunkIDLen = 16

// idOf returns the ID of a chunk. A virtual machine begins no two chunks at one moment of its clock; programs that make
// recordings may, of other types.
func idOf(c mmapjfr.Chunk, types []mmapjfr.Type, object string) chunkID {
	h, head := fnv.New64a(), engine.ChunkIndex(c).Header()
	for _, v := range []uint64{head.Size, uint64(head.StartNanos), uint64(head.DurationNanos), uint64(head.StartTicks), head.Metadata, head.Checkpoint} {
		_ = binary.Write(h, binary.BigEndian, v) // it does not fail
	}
	for _, t := range types {
		_, _ = io.WriteString(h, t.Name())
		for _, f := range t.Fields() {
			_, _ = io.WriteString(h, f.Name()+f.Type().Name())
		}
	}
	return chunkID{h.Sum64(), hashOf(object)}
}

func hashOf(text string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, text)
	return h.Sum64()
}

// chunksOf returns the IDs of the chunks of a range that count.
func chunksOf(in *section) (list []chunkID) {
	for _, c := range in.recording.Chunks() {
		if _, repeats := engine.ChunkRepeats(c); repeats || !c.Finished() || !in.chunks.Has(c) {
			continue
		}
		if types, err := c.Types(); err == nil { // else it is damaged, and no dump has it again
			list = append(list, idOf(c, types, in.object))
		}
	}
	return list
}

func encodeChunks(list []chunkID) (b []byte) {
	for _, c := range list {
		b = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, c.content), c.object)
	}
	return b
}

func decodeChunks(b []byte) (list []chunkID) {
	for ; len(b) >= chunkIDLen; b = b[chunkIDLen:] {
		list = append(list, chunkID{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])})
	}
	return list
}

// repeats says of objects that chunks of theirs are in others, too: they were read apart, and their events count in each.
func (p *Partial) repeats() (notes []Damage) {
	all, shared := ordered(p.chunks, chunkID.compare), make(map[uint64]int)
	for i := range all {
		if i > 0 && all[i-1].content == all[i].content || i+1 < len(all) && all[i+1].content == all[i].content {
			shared[all[i].object]++
		}
	}
	if len(shared) == 0 {
		return nil
	}
	last := ""
	for _, part := range p.Parts() {
		if n := shared[hashOf(part.Object)]; n > 0 && part.Object != last {
			last = part.Object
			notes = append(notes, Damage{Object: part.Object, Note: true, Error: fmt.Sprintf(
				"%d of its chunks are in other recordings, too, and count in each: name dumps that do not overlap, or join them with mjfr merge first", n)})
		}
	}
	return notes
}
