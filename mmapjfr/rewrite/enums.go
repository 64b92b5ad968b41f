package rewrite

import (
	"bytes"
	"maps"
	"slices"

	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index/schema"
)

// isEnum reports whether readers know constants of a type by their keys. async-profiler's takes 5 for a kernel's frame,
// whatever the constant says, and looks whether there is such a constant at all. So these pools are copied as they are.
func isEnum(t *schema.Type) bool {
	name := t.CurrentName()
	return name == "jdk.types.FrameType" || name == "jdk.types.ThreadState"
}

// enumKeys are the types of which no two virtual machines have different constants under one key, by name: only there
// they can stay, since the JDK's reader keeps constants by their keys from chunk to chunk.
type enumKeys map[string]bool

// newEnumKeys compares the pools of chunks, of which there is one of each virtual machine.
func newEnumKeys(chunks map[*describe.JVM]*inputChunk) enumKeys {
	type constant struct {
		name string
		key  int64
	}
	agreed, known := make(enumKeys), make(map[constant][]byte)
	for _, c := range chunks {
		constants, err := engine.ChunkIndex(c.Chunk).Constants()
		if err != nil {
			continue // nothing of the chunk is copied
		}
		for _, t := range c.types.Types {
			if !isEnum(t) {
				continue
			}
			name := t.CurrentName()
			if _, seen := agreed[name]; !seen {
				agreed[name] = true
			}
			constants.All(t, func(key int64, offset uint64) bool {
				value := valueAt(engine.ChunkIndex(c.Chunk), t, offset)
				before, seen := known[constant{name, key}]
				if value == nil || seen && !bytes.Equal(before, value) {
					agreed[name] = false
				}
				known[constant{name, key}] = value
				return agreed[name]
			})
		}
		engine.ChunkDropPages(c.Chunk)
	}
	return agreed
}

// keepEnum copies the pool of a type whose constants keep their keys.
func (s *source) keepEnum(t *schema.Type, depth int) {
	p := s.out.pool(s.jvm.ID(t.ID))
	offsets := make(map[int64]uint64)
	s.constants.All(t, func(key int64, offset uint64) bool {
		offsets[key] = offset
		return true
	})
	for _, key := range slices.Sorted(maps.Keys(offsets)) {
		if body, ok := s.constantValue(t, offsets[key], depth); ok {
			s.out.internAs(p, key, body)
			s.keys[t.Ordinal()].set(key, key)
		}
	}
}

// isKeptEnum reports whether constants of a type keep their keys in a chunk that is made anew.
func (s *source) isKeptEnum(t *schema.Type) bool {
	return isEnum(t) && s.enums[t.CurrentName()] && s.described.Pools(t)
}
