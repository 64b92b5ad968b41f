package summary

import (
	"context"
	"errors"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Count counts the events of recordings by their types. It goes through the frames
// of all events, on so many goroutines at once as the recordings' [mmapjfr.Workers]
// say, and decodes none of them. If it is not nil, progress is called, by any of the
// goroutines, with numbers of bytes that have been gone through.
//
// The error is the cause for which the context was cancelled; nothing else makes it
// fail. What is wrong in a recording is in [Summary.Faults], also that it is closed.
func Count(ctx context.Context, recordings []*mmapjfr.Recording, progress func(bytes uint64)) (*Summary, error) {
	b := &collector{sum: &Summary{Recordings: recordings}, types: make(map[nameRank]*Type), java: newJavaMap()}
	if len(recordings) > 0 {
		b.prefix = prefixOf(recordings[0])
	}
	b.newMachine() // so that there are metadata and checkpoints if there is nothing else
	for _, rec := range recordings {
		views := rec.Chunks()
		err := rec.Protect(func() error {
			passed := func(from, to uint64) {
				rec.DropPages(from, to)
				if progress != nil {
					progress(to - from)
				}
			}
			for c, census := range rec.Index().CountEvents(ctx, rec.Workers(), passed) {
				b.add(rec, c, views[c.Number()], &census)
			}
			return rec.Index().TrailingErr()
		})
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		b.blame(rec, err)
	}
	b.sum.sort(&b.java)
	return b.sum, nil
}

// collector makes a summary.
type collector struct {
	sum     *Summary
	types   map[nameRank]*Type
	machine *machine // that wrote the last chunk whose types are known
	java    javaMap
	prefix  string // of the names of the format's structures
}

// prefixOf returns what stands before the names of the format's structures: the first
// chunk decides.
func prefixOf(rec *mmapjfr.Recording) string {
	if chunks := rec.Chunks(); len(chunks) > 0 {
		if major, _ := chunks[0].Version(); major == 1 {
			return OldPrefix
		}
	}
	return ""
}

func (b *collector) blame(rec *mmapjfr.Recording, err error) {
	if err != nil {
		b.sum.Faults = append(b.sum.Faults, Fault{rec, err})
	}
}

// add adds what a chunk holds.
func (b *collector) add(rec *mmapjfr.Recording, c *index.Chunk, view mmapjfr.Chunk, census *index.TypeCounts) {
	types, _ := c.Types() // without types all are unknown
	m := b.machineOf(c, view, types)
	sum := Chunk{
		Recording: rec, Chunk: view, machine: m, headers: c.FirstEvent(),
		blank: errors.Is(c.TrailingErr(), mmapjfr.ErrUnfinished) && c.Header().Metadata == 0,
	}
	for i, id := range census.IDs {
		n := census.Counts[i]
		t := b.find(m, c, view, id)
		t.Add(n)
		switch {
		case id == schema.MetadataID:
			sum.Metadata = n
		case id == schema.CheckpointID:
			sum.Checkpoints = n
		case t.Type.IsEvent() || types == nil:
			sum.Events.Add(n)
		default:
			sum.Unknown.Add(n)
		}
	}
	b.sum.Events += sum.Events.Events
	b.sum.Chunks = append(b.sum.Chunks, sum)
	for _, err := range ChunkErrors(c, census.Err) {
		b.blame(rec, err)
	}
}

// find returns the type that a number stands for in a chunk.
func (b *collector) find(m *machine, c *index.Chunk, view mmapjfr.Chunk, id schema.TypeID) *Type {
	if t := m.types[id]; t != nil {
		return t
	}
	defer b.java.grow()
	// Older metadata of the chunk may still describe it.
	types, err := c.AllTypes()
	if err != nil {
		return b.unknown(id)
	}
	class := types.EventType(id)
	if class == nil {
		return b.unknown(id)
	}
	t := b.enter(m, id, class.Name)
	if described, err := view.Types(); err == nil && class.Ordinal() < len(described) {
		t.Type = described[class.Ordinal()]
	}
	return t
}
