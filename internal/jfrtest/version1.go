package jfrtest

import (
	"encoding/binary"
	"strings"
)

// Version1 returns a finished recording of format 2.x as JDK 9 and 10 would have written
// it, in format 1.0: the names of event types and types begin as they did then, the mask
// of checkpoints is a boolean, no checkpoint has a copy of the header, and the last byte
// of the header says no more than that integers are compressed. What lies in events and
// constants stays as it is. Of an unfinished chunk nothing but the name is that of 1.0.
func Version1(recording []byte) []byte {
	e := &editor{}
	e.open(recording)
	for _, c := range e.chunks {
		binary.BigEndian.PutUint16(c.header[4:], 1)
		binary.BigEndian.PutUint16(c.header[6:], 0)
		c.header[67] &= FlagCompressed
		kept := c.frames[:0]
		for _, f := range c.frames {
			if c.headerCopy(f) {
				c.unlink(f)
				continue
			}
			f.width = max(f.width, 4) // as 2.0 pads them
			if f.typ == MetadataTypeID {
				f.oldNames(c.compressed)
			}
			kept = append(kept, f)
		}
		c.frames = kept
	}
	return e.close()
}

// headerCopy says whether the frame is a checkpoint with nothing but a copy of the header,
// and makes a boolean of the mask of others.
func (c *editChunk) headerCopy(f *editFrame) bool {
	mask := int(f.delta.End())
	if f.typ != CheckpointTypeID || mask >= len(f.body) {
		return false
	}
	if f.body[mask]&MaskHeader != 0 {
		return true
	}
	f.body[mask] &= MaskFlush
	return false
}

// unlink takes a checkpoint off the chain.
func (c *editChunk) unlink(gone *editFrame) {
	if c.checkpoint == gone {
		c.checkpoint = gone.prev
	}
	for _, f := range c.frames {
		if f.prev == gone {
			f.prev = gone.prev
		}
	}
}

// oldNames puts the names that JDK 9 and 10 have into the table of strings of a metadata event.
func (f *editFrame) oldNames(compressed bool) {
	r := &refReader{data: f.body, end: len(f.body), compressed: compressed}
	for range 4 { // type, start, duration, id
		r.long("")
	}
	count := r.count("strings")
	enc := &encoder{compressed: compressed}
	enc.buf = append(enc.buf, f.body[:r.pos]...)
	for range count {
		from := r.pos
		if s, ok := r.str(0).(string); ok && OldName(s) != s {
			enc.text(UTF8(OldName(s)), nil)
			continue
		}
		enc.buf = append(enc.buf, f.body[from:r.pos]...)
	}
	f.body = append(enc.buf, f.body[r.pos:]...)
}

// OldName returns the name that JDK 9 and 10 give to a class of later ones.
func OldName(name string) string {
	rest, ok := strings.CutPrefix(name, "jdk.")
	switch {
	case !ok, strings.HasPrefix(rest, "jfr."):
		return name
	case strings.HasPrefix(rest, "types."):
		return "com.oracle.jfr." + rest
	case rest == "AllocationRequiringGC":
		return "com.oracle.jdk.AllocationRequiringGc"
	case rest == "G1MMU":
		return "com.oracle.jdk.GCG1MMU"
	case strings.HasPrefix(rest, "settings."), !strings.Contains(rest, "."):
		return "com.oracle.jdk." + rest
	}
	return name
}
