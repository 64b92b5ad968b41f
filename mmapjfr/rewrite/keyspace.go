package rewrite

import (
	"slices"

	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// keySpace is how the constants of a chunk get their keys. The JDK's reader takes a constant for that of an earlier
// chunk if its key is the same, and its views count constants with different keys apart. So a constant of a virtual
// machine must have one key in all chunks, and no other may have it.
type keySpace struct {
	// spaces is how many there are, and number is that of this one. Keys are numbers of spaces.
	spaces, number int64
	// keeps says that keys stay, but for being spread over the spaces. Otherwise a key stands for different constants in
	// different chunks, as those of async-profiler do: then each chunk has a space of its own.
	keeps bool
}

// key returns the new key of a constant; false if it must get another one.
func (k *keySpace) key(key int64) (int64, bool) {
	if k.spaces == 1 {
		return key, k.keeps
	}
	return key*k.spaces + k.number, k.keeps && key >= 0 && key < firstFree/k.spaces
}

// firstFree is where keys begin that constants get which cannot keep theirs.
const firstFree = 1 << 60

// agree decides which keys constants get. If copies says that some chunks are copied as they are, all others keep theirs,
// too.
func agree(all []*inputChunk, anew map[*describe.JVM]bool, copies bool) {
	of := make(map[*describe.JVM][]*inputChunk)
	var jvms []*describe.JVM
	for _, c := range all {
		if of[c.jvm] == nil {
			jvms = append(jvms, c.jvm)
		}
		of[c.jvm] = append(of[c.jvm], c)
	}
	firsts := make(map[*describe.JVM]*inputChunk)
	spaces := int64(0)
	for _, jvm := range jvms {
		chunks := of[jvm]
		firsts[jvm] = chunks[0]
		keeps := len(chunks) == 1 || sameConstants(chunks[0], chunks[1])
		for i, c := range chunks {
			if i == 0 || !keeps {
				spaces++
			}
			c.space = keySpace{number: spaces - 1, keeps: keeps}
		}
	}
	enums := newEnumKeys(firsts)
	for _, c := range all {
		c.enums, c.keeps = enums, len(jvms) == 1 && !anew[c.jvm]
		if c.space.spaces = spaces; copies || c.keeps {
			c.space = keySpace{spaces: 1, keeps: true}
		}
	}
}

// sameConstants reports whether keys of two chunks of a virtual machine stand for the same classes, methods, packages
// and symbols. What these refer to may have other keys.
func sameConstants(a, b *inputChunk) bool {
	first, err := a.Types()
	second, err2 := b.Types()
	if err != nil || err2 != nil {
		return true // nothing of one of them is copied
	}
	same, all := 0, 0
	for _, t := range first {
		i := slices.IndexFunc(second, func(o mmapjfr.Type) bool { return o.ID() == t.ID() && o.Name() == t.Name() })
		if i < 0 || !slices.Contains(knownByKey, t.Name()) {
			continue
		}
		for key, value := range engine.ChunkConstants(a.Chunk, t) {
			other := engine.ChunkConstant(b.Chunk, second[i], key)
			if other.IsAbsent() || other.IsMissing() {
				continue
			}
			if all++; other.String() == value.String() {
				same++
			}
			if all%mostCompared == 0 {
				break
			}
		}
	}
	return 10*(all-same) <= all
}

// knownByKey are types whose constants are compared, and mostCompared is how many of each are, more or less.
var knownByKey = []string{jdktypes.Class, jdktypes.Method, jdktypes.Package, jdktypes.Symbol}

const mostCompared = 256

// valueAt returns the bytes of a constant; nil if it does not fit its type.
func valueAt(c *index.Chunk, t *schema.Type, offset uint64) []byte {
	plan, err := t.Plan()
	if err != nil {
		return nil
	}
	end, ok := plan.Skip(c.Data(), int(offset))
	if !ok {
		return nil
	}
	return c.Data()[offset:end]
}
