package summary

import (
	"context"
	"errors"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Count counts the events of recordings by their types. It walks over the headers of all
// events, on several goroutines at once, see [mmapjfr.Workers], and decodes nothing else. If it
// is not nil, progress is called, by any of the goroutines, with numbers of bytes that have
// been counted.
//
// It fails only when the context is cancelled, with the cause. What is wrong in a recording,
// also that it is closed, is in [Summary.Faults].
func Count(ctx context.Context, recordings []*mmapjfr.Recording, progress func(bytes uint64)) (*Summary, error) {
	b := &collector{sum: &Summary{Recordings: recordings}, types: make(map[nameRank]*Type), java: newJavaMap()}
	if len(recordings) > 0 {
		b.prefix = prefixOf(recordings[0])
	}
	b.newJVM() // so that there are metadata and checkpoints if there is nothing else
	for _, rec := range recordings {
		err := rec.Protect(func() error {
			passed := func(from, to uint64) {
				rec.DropPages(from, to)
				if progress != nil {
					progress(to - from)
				}
			}
			for counts := range rec.CountEvents(ctx, passed) {
				b.add(rec, &counts)
			}
			return rec.TrailingErr()
		})
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		b.fault(rec, err)
	}
	b.sum.sort(&b.java)
	return b.sum, nil
}

// collector makes a summary.
type collector struct {
	sum    *Summary
	types  map[nameRank]*Type
	jvm    *jvm // that wrote the last chunk whose types are known
	java   javaMap
	prefix string // of the names of the format's structures
}

// prefixOf returns the prefix of the names of the format's structures: the version of the
// first chunk decides.
func prefixOf(rec *mmapjfr.Recording) string {
	if chunks := rec.Chunks(); len(chunks) > 0 {
		if major, _ := chunks[0].Version(); major == 1 {
			return OldPrefix
		}
	}
	return ""
}

func (b *collector) fault(rec *mmapjfr.Recording, err error) {
	if err != nil {
		b.sum.Faults = append(b.sum.Faults, Fault{rec, err})
	}
}

// add adds the content of a chunk.
func (b *collector) add(rec *mmapjfr.Recording, counts *mmapjfr.ChunkCounts) {
	c := counts.Chunk
	types, typesErr := c.Types() // without types all are unknown
	m := b.jvmOf(c, types)
	sum := Chunk{Recording: rec, Chunk: c, jvm: m, headers: c.EventsOffset()}
	for _, n := range counts.Types {
		t := b.find(m, c, n.TypeID)
		t.Add(n.EventCount)
		switch {
		case n.IsMetadata():
			sum.Metadata = n.EventCount
		case n.IsCheckpoint():
			sum.Checkpoints = n.EventCount
		case t.Type.IsEvent() || typesErr != nil:
			sum.Events.Add(n.EventCount)
		default:
			sum.Unknown.Add(n.EventCount)
		}
	}
	b.sum.Events += sum.Events.Events
	b.sum.Chunks = append(b.sum.Chunks, sum)
	for _, err := range counts.Errors {
		b.fault(rec, err)
	}
}

// find returns the type that a number stands for in a chunk.
func (b *collector) find(m *jvm, c mmapjfr.Chunk, id int64) *Type {
	if t := m.types[id]; t != nil {
		return t
	}
	defer b.java.grow()
	// Older metadata of the chunk may still describe it.
	typ, err := c.EventType(id)
	if err != nil {
		return b.unknown(id)
	}
	t := b.enter(m, id, typ.Name())
	t.Type = typ
	return t
}

// addFaults adds errors that have been joined, without those about unknown types: these types
// have rows of their own.
func (s *Summary) addFaults(rec *mmapjfr.Recording, err error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		s.addFault(rec, err)
		return
	}
	for _, e := range joined.Unwrap() {
		s.addFault(rec, e)
	}
}

// addFault adds an error unless the summary has it already.
func (s *Summary) addFault(rec *mmapjfr.Recording, err error) {
	if err == nil || errors.Is(err, mmapjfr.ErrUnknownType) {
		return
	}
	for _, f := range s.Faults {
		if f.Recording == rec && f.Err.Error() == err.Error() {
			return
		}
	}
	s.Faults = append(s.Faults, Fault{rec, err})
}
