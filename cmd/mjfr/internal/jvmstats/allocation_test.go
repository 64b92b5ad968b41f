package jvmstats_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/profiletest"
)

// TestAllocated shows what JVMs of all kinds allocated since the recording began, and not what they did before.
func TestAllocated(t *testing.T) {
	for _, p := range profiletest.AllocatingPrograms() {
		data, _, right := p.Recording(rand.New(rand.NewPCG(1, 2)))
		v := observed(t, inOrder(t, data))
		assert.InEpsilon(t, right, v.Snapshot().Alloc.Recent, 0.2, p.Name)
	}
}
