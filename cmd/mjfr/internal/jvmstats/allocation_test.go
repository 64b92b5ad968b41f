package jvmstats_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/internal/opentest"
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

// TestSampledBytesOfEachJVM observes recordings of two JVMs of one host, whose clocks agree and whose threads have the same numbers.
func TestSampledBytesOfEachJVM(t *testing.T) {
	const name = "jvm_allocation_sampled_bytes_total"
	both, want := jvmstats.New(), 0.0
	for pid := 1; pid <= 2; pid++ {
		p := profiletest.Allocating{Old: 12_000, Long: 1000, Chunks: 1, Threads: 3, Every: 5, Earlier: []int{0}, PID: pid}
		data, _, _ := p.Recording(rand.New(rand.NewPCG(1, uint64(pid))))
		rec := opentest.Bytes(t, data)
		one := jvmstats.New()
		feed(t, one, rec)
		feed(t, both, rec)
		want += scrape(t, one)[name]
	}
	assert.Equal(t, want, scrape(t, both)[name])
}
