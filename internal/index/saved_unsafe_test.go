//go:build !nounsafe

package index_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestColumnsAreUsedInPlace: nothing is copied that can be large.
func TestColumnsAreUsedInPlace(t *testing.T) {
	data := testdata(t, "jdk25-profile")
	saved := savedIndex(t, data)
	base := reflect.ValueOf(saved).Pointer()
	for _, c := range loaded(t, data, saved).Chunks() {
		for _, first := range c.Blocks().Columns() {
			assert.Less(t, reflect.ValueOf(first).Pointer()-base, uintptr(len(saved)))
		}
	}
}
