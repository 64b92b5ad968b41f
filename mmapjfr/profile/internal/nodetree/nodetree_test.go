package nodetree_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/profile/internal/nodetree"
)

// TestTree compares trees with a map of their nodes, and their order with that of the paths of names.
func TestTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		names, kinds := 1+rng.IntN(40), 1+rng.IntN(3)
		tree, known := nodetree.New(0), make(map[nodetree.Node]int32)
		for range rng.IntN(5000) {
			parent := int32(rng.IntN(len(tree.Nodes)))
			if rng.IntN(3) > 0 {
				parent = int32(len(tree.Nodes) - 1 - rng.IntN(min(3, len(tree.Nodes))))
			}
			n := nodetree.Node{Parent: parent, Name: uint32(rng.IntN(names)), Kind: uint8(5 * rng.IntN(kinds))}
			want, ok := known[n]
			if !ok {
				want = int32(len(tree.Nodes))
				known[n] = want
			}
			require.Equal(t, want, tree.Child(n))
		}
		require.Len(t, tree.Nodes, 1+len(known))

		ranks := make([]uint32, names)
		for i, rank := range rng.Perm(names) {
			ranks[i] = uint32(rank)
		}
		before := slices.Clone(tree.Nodes)
		// path returns the names and kinds from the root to a node.
		path := func(nodes []nodetree.Node, id int32, rank func(uint32) uint32) (list []uint32) {
			for ; id > 0; id = nodes[id].Parent {
				list = append(list, uint32(nodes[id].Kind), rank(nodes[id].Name))
			}
			slices.Reverse(list)
			return list
		}
		numbers := tree.Sort(ranks)
		for old, id := range numbers {
			old := path(before, int32(old), func(name uint32) uint32 { return ranks[name] })
			require.Equal(t, old, path(tree.Nodes, id, func(name uint32) uint32 { return name }))
		}
		var last []uint32
		for i := range tree.Nodes {
			now := path(tree.Nodes, int32(i), func(name uint32) uint32 { return name })
			if i > 0 {
				require.Negative(t, slices.Compare(last, now), "%v is before %v", last, now)
			}
			last = now
		}
	}
}
