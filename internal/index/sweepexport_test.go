package index

import "fmt"

// Dump tells all that is known of the constants, and in which order.
func Dump(k *Constants) string {
	s := fmt.Sprintf("%v %v %v %v %v\n", k.checkpoints, k.pools, k.tableOf, k.newest, k.err)
	for i := range k.tables {
		s += fmt.Sprintf("%d %v\n", i, k.tables[i])
	}
	return s
}
