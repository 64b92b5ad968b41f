package main

import (
	"fmt"
	"math"

	"github.com/mmapjfr/jfr/index"
)

// The names of the two structures that are framed like events.
const (
	metadataName   = "jdk.Metadata"
	checkpointName = "jdk.Checkpoint"
)

// count is how many events there are of a type, and how many bytes they take.
type count struct {
	events, bytes uint64
}

func (c *count) add(d count) {
	c.events += d.events
	c.bytes += d.bytes
}

// tally counts the events of a recording by the name of their type. What is in a
// chunk is counted by the ordinal of the class, and added up by name behind the
// chunk's end: ids mean nothing across chunks.
type tally struct {
	byName map[string]count
	// events is the number of all but metadata and checkpoints.
	events uint64

	batch [512]index.Record

	// Of the chunk that is being counted:
	chunk      *index.Chunk
	types      *index.Types // nil if the chunk has none
	completed  bool         // whether types hold those of older metadata, too
	byOrdinal  []count
	unknown    map[index.ClassID]count
	metadata   count
	checkpoint count
}

func newTally() *tally {
	return &tally{byName: make(map[string]count), unknown: make(map[index.ClassID]count)}
}

// add counts the events of a chunk as far as they can be read. It tells at, from
// time to time, how far it is.
func (t *tally) add(c *index.Chunk, at func(offset uint64)) {
	t.begin(c)
	for offset, more := c.Events(), true; more; {
		n, next, err := c.Records(offset, math.MaxUint64, t.batch[:])
		for i := range t.batch[:n] {
			t.record(&t.batch[i])
		}
		at(c.Offset() + next)
		offset, more = next, err == nil && n == len(t.batch)
	}
	t.end()
}

func (t *tally) begin(c *index.Chunk) {
	t.chunk, t.completed = c, false
	t.types, _ = c.Types() // without types all are unknown; the cursor tells why
	t.byOrdinal = t.byOrdinal[:0]
	t.grow()
	clear(t.unknown)
	t.metadata, t.checkpoint = count{}, count{}
}

// grow makes room for all classes.
func (t *tally) grow() {
	if t.types == nil {
		return
	}
	if more := len(t.types.Classes) - len(t.byOrdinal); more > 0 {
		t.byOrdinal = append(t.byOrdinal, make([]count, more)...)
	}
}

func (t *tally) record(rec *index.Record) {
	one := count{1, uint64(rec.Size)}
	switch {
	case rec.IsEvent():
		if t.types != nil {
			if class := t.types.Class(rec.Type); class != nil {
				t.byOrdinal[class.Ordinal()].add(one)
				return
			}
		}
		t.forgotten(rec.Type, one)
	case rec.Type == index.MetadataID:
		t.metadata.add(one)
	default:
		t.checkpoint.add(one)
	}
}

// forgotten counts an event whose class is not in the chunk's newest metadata;
// older metadata may still have it.
func (t *tally) forgotten(id index.ClassID, one count) {
	if t.types != nil && !t.completed {
		t.completed = true
		if types, err := t.chunk.CompleteTypes(); err == nil {
			t.types = types
			t.grow()
			if class := types.Class(id); class != nil {
				t.byOrdinal[class.Ordinal()].add(one)
				return
			}
		}
	}
	n := t.unknown[id]
	n.add(one)
	t.unknown[id] = n
}

// end joins what was counted with what the chunks before had.
func (t *tally) end() {
	t.join(metadataName, t.metadata)
	t.join(checkpointName, t.checkpoint)
	for id, n := range t.unknown {
		t.join(fmt.Sprintf("%d (missing event metadata)", id), n)
		t.events += n.events
	}
	for ordinal, n := range t.byOrdinal {
		class := t.types.Classes[ordinal]
		if n.events > 0 || class.IsEvent() {
			t.join(class.Name, n)
			t.events += n.events
		}
	}
}

func (t *tally) join(name string, n count) {
	sum := t.byName[name]
	sum.add(n)
	t.byName[name] = sum
}
