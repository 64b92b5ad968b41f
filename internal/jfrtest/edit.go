package jfrtest

import (
	"encoding/binary"
	"slices"
)

// Edit returns a recording as any bytes change it. Each few of them are an edit: of a
// byte, a number or a region inside of an event, of events as wholes, or of a header. What
// depends on where things are and how long is made right again: sizes of events and chunks,
// the offsets in headers, the ways from checkpoint to checkpoint. So the edit is all that
// is wrong, if anything is. Bytes that are no chunk stay as they are.
func Edit(recording, edits []byte) []byte {
	e := &editor{choices: choices{left: edits}}
	e.open(recording)
	for n := 0; len(e.left) > 0 && n < 16 && len(e.chunks) > 0; n++ {
		e.edit(e.chunks[e.upTo(len(e.chunks))])
	}
	return e.close()
}

// editor is a recording in parts.
type editor struct {
	choices
	chunks []*editChunk
	rest   []byte // after the last chunk
}

type editChunk struct {
	header               []byte
	compressed           bool
	frames               []*editFrame
	checkpoint, metadata *editFrame // those that the header names
	// lies are bytes of the header that are changed in the end.
	lies map[int]byte
}

// editFrame is an event, without its size.
type editFrame struct {
	width int // of the size
	typ   int64
	body  []byte
	size  *int64 // what the size is to be instead of the true one
	at    int    // in the chunk, once that is known
	// prev is the checkpoint that this one names, and delta where it does so in the body.
	prev  *editFrame
	delta Span
}

func (e *editor) open(data []byte) {
	for at := 0; at < len(data); {
		c, err := decodeHeader(data, at, nil)
		if err != nil {
			e.rest = data[at:]
			return
		}
		spans, _ := c.findEvents(data)
		ec := &editChunk{
			header:     slices.Clone(data[at : at+HeaderSize]),
			compressed: c.Header.Flags&FlagCompressed != 0, lies: map[int]byte{},
		}
		byOffset := map[int64]*editFrame{}
		for _, s := range spans {
			r := c.reader(data, s.at, s.end)
			r.integer("", 4)
			f := &editFrame{width: r.pos - s.at, typ: s.typ, body: slices.Clone(data[r.pos:s.end])}
			ec.frames = append(ec.frames, f)
			byOffset[int64(s.at-at)] = f
		}
		for i, s := range spans {
			if s.typ != CheckpointTypeID {
				continue
			}
			r := c.reader(data, s.body, s.end)
			r.long("")
			r.long("")
			from := r.pos
			delta := r.long("")
			f := ec.frames[i]
			f.prev = byOffset[int64(s.at-at)+delta]
			f.delta = Span{int64(from - s.end + len(f.body)), int64(r.pos - from)}
			if r.err != nil || f.prev == f {
				f.prev = nil
			}
		}
		ec.checkpoint, ec.metadata = byOffset[c.Header.CheckpointOffset], byOffset[c.Header.MetadataOffset]
		e.chunks = append(e.chunks, ec)
		at = c.end()
	}
}

// edit does the next thing to a chunk.
func (e *editor) edit(c *editChunk) {
	if len(c.frames) == 0 {
		return
	}
	i, j := e.upTo(256)*e.upTo(256)%len(c.frames), e.upTo(len(c.frames)%256+1)%len(c.frames)
	f := c.frames[i]
	pos := int(e.byte())<<8 | int(e.byte())
	pos %= len(f.body) + 1
	switch e.upTo(12) {
	case 0:
		f.replace(pos, 1, []byte{e.byte()})
	case 1:
		f.replace(pos, 1, []byte{at(f.body, pos) ^ 1<<e.upTo(8)})
	case 2:
		f.replace(pos, 0, []byte{e.byte(), e.byte()})
	case 3:
		f.replace(pos, e.upTo(16), nil)
	case 4, 5:
		n := &encoder{compressed: c.compressed}
		n.integer(uint64(e.integer()), 4, []int{0, 9}[e.rarely(1)])
		r := &refReader{data: f.body, pos: pos, end: len(f.body), compressed: c.compressed}
		r.integer("", 4)
		f.replace(pos, r.pos-pos, n.buf)
	case 6:
		other := c.frames[j].body
		from := e.upTo(256) % (len(other) + 1)
		f.replace(pos, e.upTo(16), slices.Clone(other[from:min(len(other), from+e.upTo(64))]))
	case 7:
		copied := *f
		copied.body = slices.Clone(f.body)
		c.frames = slices.Insert(c.frames, j, &copied)
	case 8:
		c.frames = slices.Delete(c.frames, i, i+1)
	case 9:
		c.frames[i], c.frames[j] = c.frames[j], c.frames[i]
	case 10:
		f.size = new(e.integer())
	case 11:
		c.lies[e.upTo(HeaderSize)] = e.byte()
	}
}

func at(b []byte, pos int) byte {
	if pos < len(b) {
		return b[pos]
	}
	return 0
}

// replace puts other bytes in the place of n.
func (f *editFrame) replace(pos, n int, by []byte) {
	end := min(pos+n, len(f.body))
	if int64(pos) < f.delta.End() {
		f.prev = nil // what it says from now on is not to be made right
	}
	f.body = slices.Concat(f.body[:pos], by, f.body[end:])
}

// close returns the recording.
func (e *editor) close() []byte {
	var all []byte
	for _, c := range e.chunks {
		all = append(all, c.bytes()...)
	}
	return append(all, e.rest...)
}

func (c *editChunk) bytes() []byte {
	enc := &encoder{compressed: c.compressed}
	for range 2 { // the first time is for the places
		enc.buf = append(enc.buf[:0], c.header...)
		for _, f := range c.frames {
			f.write(enc)
		}
	}
	data := enc.buf
	binary.BigEndian.PutUint64(data[8:], uint64(len(data)))
	for _, named := range []struct {
		at int
		f  *editFrame
	}{{16, c.checkpoint}, {24, c.metadata}} {
		if named.f != nil {
			binary.BigEndian.PutUint64(data[named.at:], uint64(named.f.at))
		}
	}
	for i, b := range c.lies {
		data[i] = b
	}
	return data
}

func (f *editFrame) write(e *encoder) {
	f.at = len(e.buf)
	body := f.body
	if f.prev != nil {
		delta := &encoder{compressed: e.compressed}
		delta.integer(uint64(f.prev.at-f.at), 8, 9)
		body = slices.Concat(body[:f.delta.Offset], delta.buf, body[f.delta.End():])
	}
	width := f.width
	if size := uint64(f.width + len(body)); f.size != nil || varintLen(size) > width {
		width = 9
	}
	e.record(body, width, f.size)
}
