package corrupt

import (
	"bytes"
	"sort"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// Atlas is where things are in a good recording.
type Atlas struct {
	// Name is the name of the recording.
	Name string
	data []byte

	chunks []chunk
	frames []frame
	places []place
}

// chunk is where a chunk lies, and whether it has been finished.
type chunk struct {
	start, end int
	finished   bool
}

// frame is where an event lies, or one of the two structures that are framed like events.
type frame struct {
	start, end int
	typ        int64
	size       place
}

// place is where a number stands.
type place struct {
	what    string
	at, len int
	// varint is set for a compressed integer; else it is a big-endian one.
	varint bool
	value  uint64
}

// NewAtlas finds where everything is in a recording, as the reference decoder reads it. It
// fails if the recording is not a good one.
func NewAtlas(name string, data []byte) (*Atlas, error) {
	rec, numbers, err := jfrtest.DecodeNumbers(data)
	if err != nil {
		return nil, err
	}
	a := &Atlas{Name: name, data: data}
	for _, c := range rec.Chunks {
		a.chunks = append(a.chunks, chunk{int(c.Offset), int(c.Offset + c.Header.Size), c.Header.State == 0})
	}
	for _, n := range numbers {
		p := place{n.What, int(n.Offset), int(n.Size), n.Varint, n.Value}
		a.places = append(a.places, p)
		switch p.what {
		case "event size":
			a.frames = append(a.frames, frame{start: p.at, end: p.at + int(p.value), size: p})
		case "event type":
			a.frames[len(a.frames)-1].typ = int64(p.value)
		}
	}
	return a, nil
}

// frameOf returns the frame that holds a byte, or the one after it.
func (a *Atlas) frameOf(at int) (f frame, ok bool) {
	i := sort.Search(len(a.frames), func(i int) bool { return a.frames[i].end > at })
	if i == len(a.frames) {
		return frame{}, false
	}
	return a.frames[i], a.frames[i].start <= at
}

// least returns the least offset that an error about damage from there on may name; see
// [Case.From].
func (a *Atlas) least(at int) uint64 {
	c := a.chunkOf(at)
	if f, ok := a.frameOf(at); ok && c.finished && f.typ > jfrtest.CheckpointTypeID {
		return uint64(f.start)
	}
	return uint64(c.start) // also of one that has not been finished, which is an error by itself
}

// leastOf is least for bytes of which any may have become others.
func (a *Atlas) leastOf(data []byte) uint64 {
	least := uint64(len(data))
	other := func(start, end int) {
		if !bytes.Equal(data[start:end], a.data[start:end]) {
			least = min(least, a.least(start))
		}
	}
	for _, c := range a.chunks {
		other(c.start, c.start+jfrtest.HeaderSize)
		if !c.finished {
			least = min(least, uint64(c.start)) // that is an error by itself
		}
	}
	for _, f := range a.frames {
		other(f.start, f.end)
	}
	return least
}

// chunkOf returns the chunk that holds a byte, or the last one.
func (a *Atlas) chunkOf(at int) chunk {
	i := sort.Search(len(a.chunks), func(i int) bool { return a.chunks[i].end > at })
	return a.chunks[min(i, len(a.chunks)-1)]
}
