package summary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
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
	b := &collector{sum: &Summary{Recordings: recordings}, types: make(map[nameRank]*Type), java: javaMap{places: 16}}
	// The version of the first chunk decides on the names of the format's structures.
	if len(recordings) > 0 && len(recordings[0].Chunks()) > 0 {
		if major, _ := recordings[0].Chunks()[0].Version(); major == 1 {
			b.prefix = OldPrefix
		}
	}
	b.newJVM() // so that there are metadata and checkpoints if there is nothing else
	for _, rec := range recordings {
		err := rec.Protect(func() error {
			passed := func(from, to uint64) {
				engine.RecordingDropPages(rec, from, to)
				if progress != nil {
					progress(to - from)
				}
			}
			for c, counts := range engine.RecordingCountEvents(rec, ctx, passed) {
				b.add(rec, c, counts)
			}
			return engine.RecordingTrailingErr(rec)
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

func (b *collector) fault(rec *mmapjfr.Recording, err error) {
	if err != nil {
		b.sum.Faults = append(b.sum.Faults, Fault{rec, err})
	}
}

// add adds the content of a chunk.
func (b *collector) add(rec *mmapjfr.Recording, c mmapjfr.Chunk, counts index.TypeCounts) {
	types, typesErr := c.Types() // without types all are unknown
	m := b.jvmOf(c, types)
	sum := Chunk{Recording: rec, Chunk: c, jvm: m, headers: engine.ChunkEventsOffset(c)}
	for i, id := range counts.IDs {
		t, n := b.find(m, c, int64(id)), counts.Counts[i]
		t.Add(n)
		switch {
		case id == schema.MetadataID:
			sum.Metadata = n
		case id == schema.CheckpointID:
			sum.Checkpoints = n
		case t.Type.IsEvent() || typesErr != nil:
			sum.Events.Add(n)
		default:
			sum.Unknown.Add(n)
		}
	}
	b.sum.Events += sum.Events.Events
	b.sum.Chunks = append(b.sum.Chunks, sum)
	for _, err := range c.Errors(counts.Err) {
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
	typ, err := engine.ChunkEventType(c, id)
	if err != nil {
		return b.typeOf(nameRank{name: fmt.Sprintf("%d (missing event metadata)", id)}, id)
	}
	t := b.enter(m, id, engine.TypeRecordedName(typ))
	t.Type = typ
	return t
}

// addFaults adds errors that have been joined, without those about unknown types: these types
// have rows of their own.
func (s *Summary) addFaults(rec *mmapjfr.Recording, err error) {
	for _, e := range errtree.Each(err) {
		s.addFault(rec, e)
	}
}

// addFault adds an error unless the summary has it already.
func (s *Summary) addFault(rec *mmapjfr.Recording, err error) {
	if err == nil || errors.Is(err, mmapjfr.ErrUnknownType) {
		return
	}
	if s.known == nil {
		s.known = make(map[faultKey]bool)
	}
	for ; s.compared < len(s.Faults); s.compared++ {
		f := s.Faults[s.compared]
		s.known[faultKey{f.Recording, errtree.Key(f.Err)}] = true
	}
	if !s.known[faultKey{rec, errtree.Key(err)}] {
		s.Faults = append(s.Faults, Fault{rec, err})
	}
}

// faultKey identifies a fault.
type faultKey struct {
	rec *mmapjfr.Recording
	err any // see [errtree.Key]
}

// jvm is a virtual machine, by the numbers that it gives to types. It never gives one number
// to two types.
type jvm struct {
	types map[int64]*Type
	// ranks is how many types there are of each name.
	ranks map[string]int
	// last is the last chunk whose types have been entered, and lastTypes are these.
	last      mmapjfr.Chunk
	lastTypes []mmapjfr.Type
}

// nameRank identifies a type across machines: the first of its name in a machine, or the
// second and so on.
type nameRank struct {
	name string
	rank int
}

// structures are the two structures of the format that no metadata describes.
var structures = []struct {
	id   int64
	name string
	is   structure
}{{int64(schema.MetadataID), MetadataName, metadataStructure}, {int64(schema.CheckpointID), CheckpointName, checkpointStructure}}

func (b *collector) newJVM() *jvm {
	m := &jvm{types: make(map[int64]*Type), ranks: make(map[string]int)}
	for _, s := range structures {
		b.enter(m, s.id, b.prefix+s.name).structure = s.is
	}
	return m
}

// jvmOf returns the virtual machine that wrote a chunk with these types. It is the one that
// wrote the chunk before unless something contradicts that.
func (b *collector) jvmOf(c mmapjfr.Chunk, types []mmapjfr.Type) *jvm {
	if types == nil {
		return b.newJVM() // nothing says what its numbers mean
	}
	b.java.grow()
	m := b.jvm
	if m != nil && len(types) > 0 && len(types) == len(m.lastTypes) && types[0] == m.lastTypes[0] {
		m.last = c
		return m // the metadata is the same: so are the numbers
	}
	if m == nil || engine.ChunkFinal(m.last) || !engine.ChunkSameJVM(m.last, c) || !m.agrees(types) {
		m = b.newJVM()
		b.jvm = m
	}
	m.last, m.lastTypes = c, types
	for _, typ := range types {
		if !typ.IsEvent() {
			continue
		}
		b.java.grow()
		t := m.types[typ.ID()]
		if t == nil {
			t = b.enter(m, typ.ID(), engine.TypeRecordedName(typ))
		}
		t.Type = typ
	}
	return m
}

// agrees reports whether the machine gives none of the numbers of these types to a type of
// another name.
func (m *jvm) agrees(types []mmapjfr.Type) bool {
	for _, typ := range types {
		if !typ.IsEvent() {
			continue
		}
		if t := m.types[typ.ID()]; t != nil && t.structure == noStructure && t.Name != engine.TypeRecordedName(typ) {
			return false
		}
	}
	return true
}

// enter adds a type to those of the machine.
func (b *collector) enter(m *jvm, id int64, name string) *Type {
	t := b.typeOf(nameRank{name, m.ranks[name]}, id)
	m.ranks[name]++
	m.types[id] = t
	return t
}

func (b *collector) typeOf(at nameRank, id int64) *Type {
	t := b.types[at]
	if t == nil {
		b.java.entries++
		t = &Type{Name: at.name, ID: id}
		b.types[at] = t
		b.sum.Types = append(b.sum.Types, t)
	}
	if t.ID != id {
		t.Renumbered = true
	}
	return t
}

// Pool is all constants of a type.
type Pool struct {
	// Type is the name of the type.
	Type string `json:"type"`
	// Pools is the number of pools of the type: a chunk mostly has several.
	Pools uint64 `json:"pools"`
	// Constants is the number of constants in them. A constant that is in several pools is
	// counted in each.
	Constants uint64 `json:"constants"`
	// Bytes is how many bytes they take.
	Bytes uint64 `json:"bytes"`
}

// ReadPools reads the constant pools and fills in Pools of the summary, and Pools and
// Constants of the chunks. Like events, the pools of chunks that repeat others count once, see
// engine.CountOnce. Its cost is that of reading all checkpoints. Faults in
// checkpoints are added to those of the summary. For progress and the error see [Count].
func (s *Summary) ReadPools(ctx context.Context, progress func(bytes uint64)) error {
	pools := make(map[string]*Pool)
	chunks := s.Chunks
	for _, rec := range s.Recordings {
		var own []Chunk
		own, chunks = s.split(chunks, rec)
		err := rec.Protect(func() error {
			for some := range slices.Chunk(own, loadedTogether) {
				if err := s.readPools(ctx, rec, some, pools, progress); err != nil {
					return err
				}
			}
			return nil
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.addFault(rec, err)
	}
	s.Pools = nil
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		s.Pools = append(s.Pools, *pools[name])
	}
	slices.SortStableFunc(s.Pools, func(a, b Pool) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return nil
}

// split returns the chunks at the beginning of the list that are of the recording, and the
// others.
func (s *Summary) split(chunks []Chunk, rec *mmapjfr.Recording) (own, rest []Chunk) {
	n := 0
	for n < len(chunks) && chunks[n].Recording == rec {
		n++
	}
	return chunks[:n], chunks[n:]
}

// loadedTogether is how many chunks are read at a time: of so few the constants stay in
// memory, see engine.RecordingLoadConstants.
const loadedTogether = 16

// readPools adds the pools of some chunks of a recording.
func (s *Summary) readPools(ctx context.Context, rec *mmapjfr.Recording, chunks []Chunk, pools map[string]*Pool, progress func(bytes uint64)) error {
	list := make([]mmapjfr.Chunk, len(chunks))
	for i := range chunks {
		list[i] = chunks[i].Chunk
	}
	if err := engine.RecordingLoadConstants(rec, ctx, list); err != nil {
		return err
	}
	for i := range chunks {
		if _, repeats := engine.ChunkRepeats(chunks[i].Chunk); !repeats {
			s.addFault(rec, chunks[i].addPools(pools))
		}
		if progress != nil {
			progress(chunks[i].Chunk.Size())
		}
	}
	return nil
}

// addPools adds the pools of a chunk. It returns an error for what cannot be read of them.
func (c *Chunk) addPools(pools map[string]*Pool) error {
	r, err := engine.ChunkConstantReader(c.Chunk)
	if err != nil {
		return err
	}
	c.Pools, c.Constants = 0, 0
	for _, cp := range engine.ConstantReaderCheckpoints(r) {
		for _, p := range cp.Pools {
			c.Pools++
			c.Constants += p.Count
			if p.Type.IsZero() {
				continue
			}
			sum := pools[engine.TypeRecordedName(p.Type)]
			if sum == nil {
				sum = &Pool{Type: engine.TypeRecordedName(p.Type)}
				pools[engine.TypeRecordedName(p.Type)] = sum
			}
			sum.Pools++
			sum.Constants += p.Count
			sum.Bytes += p.Size
		}
	}
	return engine.ConstantReaderErr(r)
}
