package constants

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Group is constants of one type and one chunk that are equal and have different keys.
type Group struct {
	// Constants are at least two, in the order of the file.
	Constants []Constant
}

// WastedBytes returns how many bytes would not be needed if there were only the first of the
// constants.
func (g *Group) WastedBytes() (bytes uint64) {
	for _, c := range g.Constants[1:] {
		bytes += c.Bytes
	}
	return bytes
}

// Duplicates returns the groups of equal constants, chunk by chunk and type by type. Two
// constants are equal if their bytes are, except for keys that lead to equal constants. A
// chain of constants of the same type is followed 32 links deep; constants in a ring are
// equal only if somewhere in it the keys are. Shadowed constants are left out.
//
// It needs 16 bytes for each constant of the type that a chunk has most of, and 16 for each
// constant that equals an earlier one. If it is not nil, progress is called with numbers of
// bytes that have been compared: those of all chunks that count, in the end.
func Duplicates(ctx context.Context, rec *mmapjfr.Recording, progress func(bytes uint64)) iter.Seq2[Group, error] {
	return func(yield func(Group, error) bool) {
		for _, chunk := range counted(rec) {
			more := true
			err := rec.Protect(func() error {
				r, err := newReader(chunk)
				if err != nil {
					return err
				}
				f := newFinder(r)
				if err := f.find(ctx); err != nil {
					return err
				}
				more = f.groups(yield)
				return engine.ConstantReaderErr(r.ConstantReader)
			})
			if ctx.Err() != nil {
				yield(Group{}, context.Cause(ctx))
				return
			}
			if !more || err != nil && !yield(Group{}, err) {
				return
			}
			if progress != nil {
				progress(chunk.Size())
			}
		}
	}
}

// finder finds equal constants of a chunk.
type finder struct {
	*reader
	data []byte
	base uint64 // offset of data in the recording
	seed maphash.Seed
	// pools are the constants by type. Each type comes after those that it refers to,
	// unless they refer to one another.
	pools []*typePools
	// first leads from each constant that equals an earlier one to the first of them. Both
	// are given by where their values begin.
	first map[uint64]uint64
	// sums are those of the constants of the type that is being compared.
	sums []sum
}

// typePools are the constants of a type.
type typePools struct {
	typ   mmapjfr.Type
	pools []mmapjfr.Pool
	// users are the types that refer to this one.
	users []*typePools
	// groups are equal constants, by where their values begin.
	groups [][]uint64
	// stale says that the constants must be compared (again), and rounds how often they have been.
	stale  bool
	rounds int
}

// maxRounds bounds how often the constants of a type are compared. A type that refers to
// itself can take one round for each link of its longest chain.
const maxRounds = 32

// sum is a hash of the content of a constant.
type sum struct {
	hash  uint64
	value uint64
}

func newFinder(r *reader) *finder {
	f := &finder{
		reader: r, data: engine.ChunkBytes(r.chunk), base: r.chunk.Offset(),
		seed: maphash.MakeSeed(), first: make(map[uint64]uint64),
	}
	byType := make(map[mmapjfr.Type]*typePools)
	var all []*typePools
	for _, cp := range engine.ConstantReaderCheckpoints(r.ConstantReader) {
		for _, p := range cp.Pools {
			if p.Type.IsZero() {
				continue
			}
			of := byType[p.Type]
			if of == nil {
				of = &typePools{typ: p.Type, stale: true}
				byType[p.Type], all = of, append(all, of)
			}
			of.pools = append(of.pools, p)
		}
	}
	done := make(map[*typePools]bool)
	var add func(of *typePools)
	add = func(of *typePools) {
		if done[of] {
			return
		}
		done[of] = true
		engine.ConstantReaderReferredTypes(f.reader.ConstantReader, of.typ, func(t mmapjfr.Type) {
			to := byType[t]
			if to == nil {
				return
			}
			if !slices.Contains(to.users, of) {
				to.users = append(to.users, of)
			}
			add(to)
		})
		f.pools = append(f.pools, of)
	}
	for _, of := range all {
		add(of)
	}
	return f
}

// find compares the constants. Constants that turn out to be equal can make others equal that
// refer to them: the types of these are compared again, until nothing changes.
func (f *finder) find(ctx context.Context) error {
	for changed := true; changed; {
		changed = false
		for _, of := range f.pools {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if !of.stale {
				continue
			}
			of.stale = false
			of.rounds++
			if !f.compare(of) {
				continue
			}
			for _, user := range of.users {
				if user.rounds < maxRounds {
					user.stale, changed = true, true
				}
			}
		}
	}
	return nil
}

// compare groups the equal constants of a type. It reports whether there are more of them
// than before.
func (f *finder) compare(of *typePools) bool {
	before := count(of.groups)
	of.groups = nil
	f.sums = f.sums[:0]
	var content []byte
	f.eachOf(of, func(c Constant) bool {
		if !c.Shadowed {
			content = f.content(content[:0], of.typ, c.value)
			f.sums = append(f.sums, sum{maphash.Bytes(f.seed, content), c.value})
		}
		return true
	})
	slices.SortFunc(f.sums, func(a, b sum) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.value, b.value)) })
	for rest := f.sums; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].hash == rest[0].hash {
			n++
		}
		f.group(of, rest[:n])
		rest = rest[n:]
	}
	slices.SortFunc(of.groups, func(a, b []uint64) int { return cmp.Compare(a[0], b[0]) })
	for _, g := range of.groups {
		for _, value := range g[1:] {
			f.first[value] = g[0]
		}
	}
	return count(of.groups) > before
}

// count returns how many constants equal an earlier one.
func count(groups [][]uint64) (n int) {
	for _, g := range groups {
		n += len(g) - 1
	}
	return n
}

// group finds the equal constants among those with the same hash.
func (f *finder) group(of *typePools, same []sum) {
	var content []byte
	for len(same) > 1 {
		want := f.content(nil, of.typ, same[0].value)
		g := []uint64{same[0].value}
		var others []sum
		for _, s := range same[1:] {
			if content = f.content(content[:0], of.typ, s.value); bytes.Equal(content, want) {
				g = append(g, s.value)
			} else {
				others = append(others, s)
			}
		}
		if len(g) > 1 {
			of.groups = append(of.groups, g)
		}
		same = others
	}
}

// content appends the bytes of a value. It replaces each key by where the first of the
// constants lies that equal the one which the key leads to.
func (f *finder) content(dst []byte, t mmapjfr.Type, value uint64) []byte {
	size, pos := len(dst), value
	end, ok := engine.ConstantReaderReferences(f.reader.ConstantReader, t, value, func(ref mmapjfr.Reference) {
		dst = append(dst, f.data[pos-f.base:ref.Offset-f.base]...)
		pos = ref.Offset + ref.Size
		to, ok := engine.ConstantReaderLookup(f.reader.ConstantReader, ref.Type, ref.Key)
		if !ok {
			dst = append(dst, 0) // no constant begins at 0
			dst = binary.AppendVarint(dst, ref.Key)
			return
		}
		if first, ok := f.first[to]; ok {
			to = first
		}
		dst = binary.AppendUvarint(dst, to)
	})
	if !ok {
		return dst[:size]
	}
	return append(dst, f.data[pos-f.base:end-f.base]...)
}

func (f *finder) eachOf(of *typePools, visit func(Constant) bool) {
	for _, p := range of.pools {
		if !f.eachIn(p, visit) {
			return
		}
	}
}

// groups yields the groups. It returns false if yield has.
func (f *finder) groups(yield func(Group, error) bool) bool {
	for _, of := range f.pools {
		if len(of.groups) == 0 {
			continue
		}
		number := make(map[uint64]int) // of the group, by where the values begin
		for i, g := range of.groups {
			for _, value := range g {
				number[value] = i
			}
		}
		groups := make([]Group, len(of.groups))
		f.eachOf(of, func(c Constant) bool {
			if i, ok := number[c.value]; ok && !c.Shadowed {
				groups[i].Constants = append(groups[i].Constants, c)
			}
			return true
		})
		for _, g := range groups {
			if !yield(g, nil) {
				return false
			}
		}
	}
	return true
}
