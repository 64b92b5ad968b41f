package batch

import (
	"hash/maphash"
	"iter"
	"maps"
	glob "path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/metatree"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// schemas makes descriptions of event types: recordings without events that have the types that a statement can read,
// and those that these are made of, with new numbers. Virtual machines number types as they please, so most
// recordings of one release have the same description.
type schemas struct {
	mu    sync.Mutex
	known map[uint64][]byte // chunks, by the hash of the metadata that they were made of
	seed  maphash.Seed
}

// of returns the description for a recording: a chunk for each metadata that differs; empty if none can be read.
func (s *schemas) of(rec *mmapjfr.Recording, st *query.Statement) []byte {
	var chunks [][]byte
	for _, c := range rec.Chunks() {
		chunk := s.ofChunk(c, st)
		if chunk != nil && !slices.ContainsFunc(chunks, func(o []byte) bool { return string(o) == string(chunk) }) {
			chunks = append(chunks, chunk)
		}
	}
	return slices.Concat(chunks...)
}

// ofChunk returns a chunk with the types of another one; nil if its metadata cannot be read.
func (s *schemas) ofChunk(c mmapjfr.Chunk, st *query.Statement) (chunk []byte) {
	if _, err := c.Types(); err != nil {
		return nil
	}
	_ = c.Protect(func() error {
		chunk = s.ofTrees(engine.ChunkIndex(c).MetadataTrees(), engine.ChunkIndex(c).Header(), engine.ChunkIndex(c).IntEncoding(), st)
		return nil
	})
	return chunk
}

// ofTrees returns a chunk with the types of trees, of which the first ones count most.
func (s *schemas) ofTrees(trees [][]byte, h wire.Header, form wire.IntEncoding, st *query.Statement) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known, s.seed = make(map[uint64][]byte), maphash.MakeSeed()
	}
	var sum maphash.Hash
	sum.SetSeed(s.seed)
	for _, tree := range trees {
		_, _ = sum.Write(tree) // it takes all
	}
	hash := sum.Sum64()
	if chunk := s.known[hash]; chunk != nil {
		return chunk
	}
	var roots []*metatree.Element
	for _, tree := range trees {
		cur := wire.NewCursor(tree, 0, form)
		if root, wrong := metatree.Read(&cur, func(int, int, wire.Text) {}); wrong == "" {
			roots = append(roots, root)
		}
	}
	if len(roots) == 0 {
		return nil
	}
	a := wire.Appender{Encoding: form}
	head := wire.Header{Major: h.Major, Minor: h.Minor, TicksPerSecond: 1e9, StartNanos: 1, Metadata: wire.HeaderLen, Flags: h.Flags &^ wire.FlagFinal}
	a.Header(head)
	metatree.AppendEvent(&a, 0, 1, pruned(roots, st))
	head.Size = uint64(len(a.Bytes))
	b := wire.Appender{Encoding: form}
	b.Header(head)
	copy(a.Bytes, b.Bytes)
	s.known[hash] = a.Bytes
	return a.Bytes
}

// pruned returns the tree of the event types that a statement can read, and of the types that these need. The first
// tree that describes a type counts, and in a tree the last description.
func pruned(roots []*metatree.Element, st *query.Statement) *metatree.Element {
	classes := make(map[string]*metatree.Element) // by number
	var todo []*metatree.Element
	for _, root := range roots {
		last := maps.Collect(classesOf(root))
		for id, c := range classesOf(root) {
			if classes[id] != nil || last[id] != c {
				continue
			}
			classes[id] = c
			if name, _ := c.Get("name"); isRead(name, st) {
				todo = append(todo, c)
			}
		}
	}
	numbers := make(map[string]string) // new ones; the first hundred are left to what is no type of events
	number := func(id string) string {
		if numbers[id] == "" && classes[id] != nil {
			numbers[id] = strconv.Itoa(100 + len(numbers))
			todo = append(todo, classes[id])
		}
		return numbers[id]
	}
	for _, c := range slices.Clone(todo) {
		id, _ := c.Get("id")
		numbers[id] = strconv.Itoa(100 + len(numbers))
	}
	out := &metatree.Element{Name: "root"}
	metadata := out.Add("metadata")
	for i := 0; i < len(todo); i++ {
		metadata.Children = append(metadata.Children, numbered(todo[i], number))
	}
	return out
}

// classesOf returns the elements of types with their numbers.
func classesOf(root *metatree.Element) iter.Seq2[string, *metatree.Element] {
	return func(yield func(string, *metatree.Element) bool) {
		for m := range root.Named("metadata") {
			for c := range m.Named("class") {
				if id, _ := c.Get("id"); !yield(id, c) {
					return
				}
			}
		}
	}
}

// numbered returns a copy of an element with new numbers of types, without settings.
func numbered(e *metatree.Element, number func(id string) string) *metatree.Element {
	c := &metatree.Element{Name: e.Name}
	for _, a := range e.Attrs {
		if a.Name == "class" || a.Name == "id" && e.Name == "class" {
			a.Value = number(a.Value)
		}
		c.Attrs = append(c.Attrs, a)
	}
	for _, child := range e.Children {
		if child.Name != "setting" {
			c.Children = append(c.Children, numbered(child, number))
		}
	}
	return c
}

// isRead reports whether a statement can read events of a type, or names it, by the name that a
// recording has or by that of today.
func isRead(name string, st *query.Statement) bool {
	current := schema.CurrentName(name)
	names := []string{name, current, name[strings.LastIndexByte(name, '.')+1:], current[strings.LastIndexByte(current, '.')+1:]}
	return strings.Contains(st.String(), name) || strings.Contains(st.String(), current) || slices.ContainsFunc(st.EventTypes(), func(pattern string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			fits, _ := glob.Match(pattern, name)
			return fits || strings.EqualFold(pattern, name) || schema.CurrentName(pattern) == name
		})
	})
}
