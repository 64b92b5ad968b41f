package constants

import (
	"cmp"
	"errors"
	"slices"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Pool is what there is of the constants of a type.
type Pool struct {
	// Type is the name of the type.
	Type string `json:"type"`
	// Constants is how many there are, and Copies how many more that are copies of
	// these.
	Constants uint64 `json:"constants"`
	Copies    uint64 `json:"copies"`
	// Bytes is how many bytes all take.
	Bytes uint64 `json:"bytes"`
	// Checkpoints is in how many checkpoints they are.
	Checkpoints uint64 `json:"checkpoints"`
}

// Table is the pools of recordings, by type. The zero Table is empty.
type Table struct {
	pools map[string]*Pool
}

// Add adds the pools of a recording. The error tells of chunks whose checkpoints could
// not be read, or not all of them; the others are added all the same.
func (t *Table) Add(rec *mmapjfr.Recording, wants func(mmapjfr.Type) bool) error {
	var errs []error
	for _, chunk := range rec.Chunks() {
		errs = append(errs, rec.Protect(func() error {
			p, err := newPools(chunk)
			if err != nil {
				return err
			}
			t.add(p, wants)
			return p.k.Err()
		}))
	}
	return errors.Join(errs...)
}

func (t *Table) add(p *pools, wants func(mmapjfr.Type) bool) {
	if t.pools == nil {
		t.pools = make(map[string]*Pool)
	}
	seen := make(map[schema.TypeID]bool)
	all := p.k.Pools()
	for _, cp := range p.k.Checkpoints() {
		here := make(map[schema.TypeID]bool)
		for _, pool := range all[cp.FirstPool : cp.FirstPool+cp.Pools] {
			typ, ok := p.types[int64(pool.Type)]
			if !ok || wants != nil && !wants(typ) {
				continue
			}
			sum := t.pools[typ.Name()]
			if sum == nil {
				sum = &Pool{Type: typ.Name()}
				t.pools[typ.Name()] = sum
			}
			if !here[pool.Type] {
				here[pool.Type] = true
				sum.Checkpoints++
			}
			if !seen[pool.Type] {
				seen[pool.Type] = true
				n := uint64(p.k.Len(p.k.Type(pool.Type)))
				sum.Constants += n
				sum.Copies -= n // added below with the copies
			}
			sum.Copies += pool.Count
			sum.Bytes += pool.Size
		}
	}
}

// Pools returns the pools, those that take most bytes first.
func (t *Table) Pools() []Pool {
	list := make([]Pool, 0, len(t.pools))
	for _, p := range t.pools {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b Pool) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Type, b.Type))
	})
	return list
}

// Named returns which types fit one of the names: full or simple ones, in which *
// stands for any characters and ? for one.
func Named(names ...string) func(mmapjfr.Type) bool {
	filter := mmapjfr.Types(names...)
	return func(t mmapjfr.Type) bool { return mmapjfr.MatchesType(filter, t) }
}
