package index

import (
	"crypto/sha256"
	"runtime"
	"sync"
	"weak"

	"github.com/mmapjfr/jfr/internal/index/schema"
)

// treeSum is the SHA-256 of a metadata tree and of how it writes integers.
type treeSum [sha256.Size]byte

func treeSumOf(encoding schema.IntEncoding, tree []byte) (sum treeSum) {
	h := sha256.New()
	h.Write([]byte{byte(encoding)})
	h.Write(tree)
	h.Sum(sum[:0])
	return sum
}

// sharedTypes finds the types of metadata that another recording had, as long as anybody uses them:
// recordings of a fleet mostly have the same metadata, to read it takes milliseconds, and its types
// take megabytes. A set of types holds nothing of a recording. That two trees have one sum by
// chance or on purpose need not be thought of.
var sharedTypes = struct {
	mu  sync.Mutex
	all map[treeSum]weak.Pointer[schema.TypeSet]
}{all: make(map[treeSum]weak.Pointer[schema.TypeSet])}

// typesOfSum returns the types of a tree, or nil.
func typesOfSum(sum treeSum) *schema.TypeSet {
	sharedTypes.mu.Lock()
	defer sharedTypes.mu.Unlock()
	return sharedTypes.all[sum].Value()
}

// shareTypes lets others find types, which must be linked, and returns them, or those of the same
// tree that another reader has shared meanwhile: recordings that are open at the same time have the
// same types, not only equal ones.
func shareTypes(sum treeSum, types *schema.TypeSet) *schema.TypeSet {
	sharedTypes.mu.Lock()
	defer sharedTypes.mu.Unlock()
	if first := sharedTypes.all[sum].Value(); first != nil {
		return first
	}
	sharedTypes.all[sum] = weak.Make(types)
	runtime.AddCleanup(types, func(sum treeSum) {
		sharedTypes.mu.Lock()
		defer sharedTypes.mu.Unlock()
		if sharedTypes.all[sum].Value() == nil { // nobody has put others there
			delete(sharedTypes.all, sum)
		}
	}, sum)
	return types
}
