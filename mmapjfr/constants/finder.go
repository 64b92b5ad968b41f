package constants

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// finder finds constants of a chunk that say the same.
type finder struct {
	*pools
	refs *references
	seed maphash.Seed
	// kinds are the classes that there are constants of. Each comes behind those that
	// it refers to, unless they refer to one another.
	kinds []*kind
	// first is, of each constant that says the same as one before it, where that is.
	first map[int]int
	// sums is where the constants of a class are written that are compared.
	sums []sum
}

// kind is the constants of a class.
type kind struct {
	class *schema.Type
	typ   mmapjfr.Type
	pools []index.Pool
	// users are the kinds that refer to this one.
	users []*kind
	// groups are the constants that say the same, by where their values begin.
	groups [][]int
	// again tells that the constants are to be compared, or compared again, and rounds
	// how often they have been.
	again  bool
	rounds int
}

// maxRounds is how often the constants of a class are compared: what refers to itself
// can take one round for each link of its longest chain.
const maxRounds = 32

// sum is a hash of what a constant says.
type sum struct {
	hash uint64
	at   int
}

func newFinder(p *pools) *finder {
	f := &finder{pools: p, refs: newReferences(p), seed: maphash.MakeSeed(), first: make(map[int]int)}
	of := make(map[*schema.Type]*kind)
	var classes []*schema.Type
	for _, pool := range p.k.Pools() {
		class := p.k.Type(pool.Type)
		t, ok := p.types[int64(pool.Type)]
		if class == nil || !ok {
			continue
		}
		if of[class] == nil {
			of[class] = &kind{class: class, typ: t, again: true}
			classes = append(classes, class)
		}
		of[class].pools = append(of[class].pools, pool)
	}
	done := make(map[*kind]bool)
	var visit func(k *kind)
	visit = func(k *kind) {
		done[k] = true
		f.refs.classes(k.class, func(class *schema.Type) {
			to := of[class]
			if to == nil {
				return
			}
			if !slices.Contains(to.users, k) {
				to.users = append(to.users, k)
			}
			if !done[to] {
				visit(to)
			}
		})
		f.kinds = append(f.kinds, k)
	}
	for _, class := range classes {
		if !done[of[class]] {
			visit(of[class])
		}
	}
	return f
}

// find compares the constants. What says the same can make others say the same that
// refer to it: those are compared again, until nothing changes.
func (f *finder) find(ctx context.Context) error {
	for changed := true; changed; {
		changed = false
		for _, k := range f.kinds {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if !k.again {
				continue
			}
			k.again = false
			k.rounds++
			if !f.compare(k) {
				continue
			}
			for _, user := range k.users {
				if user.rounds < maxRounds {
					user.again, changed = true, true
				}
			}
		}
	}
	return nil
}

// compare finds which constants of a class say the same. It tells whether these are
// more than before.
func (f *finder) compare(k *kind) bool {
	before := count(k.groups)
	k.groups = nil
	f.sums = f.sums[:0]
	var said []byte
	f.eachOf(k, func(c Constant) bool {
		if !c.Shadowed {
			said = f.says(said[:0], k.class, c.at)
			f.sums = append(f.sums, sum{maphash.Bytes(f.seed, said), c.at})
		}
		return true
	})
	slices.SortFunc(f.sums, func(a, b sum) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.at, b.at)) })
	for rest := f.sums; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].hash == rest[0].hash {
			n++
		}
		f.group(k, rest[:n])
		rest = rest[n:]
	}
	slices.SortFunc(k.groups, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	for _, g := range k.groups {
		for _, at := range g[1:] {
			f.first[at] = g[0]
		}
	}
	return count(k.groups) > before
}

// count returns how many constants say the same as one before them.
func count(groups [][]int) (n int) {
	for _, g := range groups {
		n += len(g) - 1
	}
	return n
}

// group puts constants together that say the same, out of some with the same hash.
func (f *finder) group(k *kind, same []sum) {
	for len(same) > 1 {
		want := f.says(nil, k.class, same[0].at)
		g := []int{same[0].at}
		var others []sum
		var said []byte
		for _, s := range same[1:] {
			said = f.says(said[:0], k.class, s.at)
			if bytes.Equal(said, want) {
				g = append(g, s.at)
			} else {
				others = append(others, s)
			}
		}
		if len(g) > 1 {
			k.groups = append(k.groups, g)
		}
		same = others
	}
}

// says appends what a constant says: its bytes, with keys replaced by where the first
// of the constants lies that say the same as that which the key leads to.
func (f *finder) says(dst []byte, class *schema.Type, at int) []byte {
	plan, err := class.Plan()
	if err != nil {
		return dst
	}
	end, ok := plan.Skip(f.data, at)
	if !ok {
		return dst
	}
	pos := at
	f.refs.each(class, at, end, func(ref reference) {
		dst = append(dst, f.data[pos:ref.at]...)
		pos = ref.next
		to, ok := f.k.Lookup(ref.class, ref.key)
		if !ok {
			// No constant begins at 0.
			dst = append(dst, 0)
			dst = binary.AppendVarint(dst, ref.key)
			return
		}
		if first, ok := f.first[int(to)]; ok {
			to = uint64(first)
		}
		dst = binary.AppendUvarint(dst, to)
	})
	return append(dst, f.data[pos:end]...)
}

// eachOf calls do with the constants of a class.
func (f *finder) eachOf(k *kind, do func(Constant) bool) {
	for _, pool := range k.pools {
		if !f.eachIn(pool, k.typ, do) {
			return
		}
	}
}

// groups yields what has been found.
func (f *finder) groups(yield func(Group, error) bool) bool {
	for _, k := range f.kinds {
		if len(k.groups) == 0 {
			continue
		}
		of := make(map[int]int) // the number of the group by where constants begin
		for i, g := range k.groups {
			for _, at := range g {
				of[at] = i
			}
		}
		groups := make([]Group, len(k.groups))
		f.eachOf(k, func(c Constant) bool {
			if i, ok := of[c.at]; ok && !c.Shadowed {
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
