package corrupt

import (
	"bytes"
	"fmt"
	"sort"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/wire"
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

// frame is where an event lies, or one of the two structures that are framed like
// events.
type frame struct {
	start, end int
	typ        int64
	size       place
}

// place is where a number stands.
type place struct {
	what    string
	at, len int
	// varint tells that it is a compressed integer; else it is a big-endian one.
	varint bool
	value  uint64
	// frame is the number of the frame it stands in; -1 in a header.
	frame int
}

// NewAtlas finds where everything is in a recording, going through it number by number
// as the description of the format says. It fails if the recording is not a good one.
func NewAtlas(name string, data []byte) (a *Atlas, err error) {
	rec, err := jfrtest.Decode(data)
	if err != nil {
		return nil, err
	}
	a = &Atlas{Name: name, data: data}
	defer func() {
		// What the reference decoder has read is not to be checked once more.
		if p := recover(); p != nil {
			a, err = nil, fmt.Errorf("damage: %s cannot be read: %v", name, p)
		}
	}()
	for _, c := range rec.Chunks {
		w := &walker{atlas: a, chunk: c, data: data, pos: int(c.Offset)}
		w.walk()
	}
	return a, nil
}

// least returns the least offset that an error about damage from there on may name; see
// [Case.From].
func (a *Atlas) least(at int) uint64 {
	c := a.chunkOf(at)
	i := sort.Search(len(a.frames), func(i int) bool { return a.frames[i].end > at })
	if c.finished && i < len(a.frames) && a.frames[i].start <= at && a.frames[i].typ > jfrtest.CheckpointTypeID {
		return uint64(a.frames[i].start)
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
		other(c.start, c.start+wire.HeaderLen)
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
