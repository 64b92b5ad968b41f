package main

import (
	"fmt"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// The names of the two structures that are framed like events.
const (
	metadataName   = "jdk.Metadata"
	checkpointName = "jdk.Checkpoint"
)

// tally is the events of a recording by the name of their type: ids mean nothing
// across chunks.
type tally struct {
	byName map[string]index.Count
	// events is the number of all but metadata and checkpoints.
	events uint64
	// broken is what ended the walk over each chunk too early, or nil.
	broken []error
}

// count goes through the frames of all events.
func count(rec *mmapjfr.Recording, progress func(bytes uint64)) *tally {
	t := &tally{byName: make(map[string]index.Count)}
	for c, census := range rec.Index().Census(rec.Workers(), progress) {
		t.add(c, &census)
		t.broken = append(t.broken, census.Err)
	}
	return t
}

// add adds what a chunk holds, of each type that it describes, if only that there
// are no events.
func (t *tally) add(c *index.Chunk, census *index.Census) {
	types, _ := c.Types() // without types all are unknown
	if types != nil {
		for _, class := range types.Classes {
			if class.IsEvent() {
				t.join(class.Name, index.Count{})
			}
		}
	}
	t.join(metadataName, index.Count{})
	t.join(checkpointName, index.Count{})
	for i, id := range census.IDs {
		n := census.Counts[i]
		switch id {
		case index.MetadataID:
			t.join(metadataName, n)
			continue
		case index.CheckpointID:
			t.join(checkpointName, n)
			continue
		}
		t.events += n.Events
		if types != nil && types.Class(id) == nil {
			// Older metadata of the chunk may still describe it.
			if complete, err := c.CompleteTypes(); err == nil {
				types = complete
			}
		}
		name := fmt.Sprintf("%d (missing event metadata)", id)
		if types != nil {
			if class := types.Class(id); class != nil {
				name = class.Name
			}
		}
		t.join(name, n)
	}
}

func (t *tally) join(name string, n index.Count) {
	sum := t.byName[name]
	sum.Add(n)
	t.byName[name] = sum
}
