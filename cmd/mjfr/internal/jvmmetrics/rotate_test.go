package jvmmetrics_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmmetrics"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// TestMetricsOfChunksThatRotate counts through chunks that go, and scrapes when they have
// gone. Labels and names that were kept are read again with each event.
func TestMetricsOfChunksThatRotate(t *testing.T) {
	const chunks = 3
	profile := "../../../../testdata/jdk25-profile.jfr"
	s, err := stream.OpenRepository(jvmtest.Rotated(t, profile, chunks))
	require.NoError(t, err)
	require.NoError(t, s.SetStartTime(time.Unix(0, 0)))
	require.NoError(t, s.SetFollow(false))
	s.OnError(func(err error) { assert.NoError(t, err) })
	m := jvmmetrics.New()
	for _, h := range m.Handlers() {
		s.OnEventType(h.Type, h.Handle)
	}
	require.NoError(t, s.Start(t.Context()))

	one := jvmmetrics.New()
	feed(t, one, open(t, "jdk25-profile.jfr"))
	got, want := scrape(t, m), scrape(t, one)
	assert.Len(t, got, len(want))
	for name, value := range want {
		switch kind := name[:min(len(name), 11)]; {
		case kind == "mjfr_events":
			assert.InDelta(t, chunks*value, got[name], 0, name)
		case kind == "jvm_memory_" || kind == "jvm_code_ca" || kind == "jvm_runtime":
			assert.InDelta(t, value, got[name], 0, name)
		default:
			assert.Contains(t, got, name)
		}
	}
}

// TestSampledBytesOfEachJVM feeds recordings of two JVMs of one host, whose clocks agree and whose threads have the same numbers.
func TestSampledBytesOfEachJVM(t *testing.T) {
	const name = "jvm_allocation_sampled_bytes_total"
	both, want := jvmmetrics.New(), 0.0
	for pid := 1; pid <= 2; pid++ {
		p := profiletest.Allocating{Old: 12_000, Long: 1000, Chunks: 1, Threads: 3, Every: 5, Earlier: []int{0}, PID: pid}
		data, _, _ := p.Recording(rand.New(rand.NewPCG(1, uint64(pid))))
		rec, err := mmapjfr.OpenBytes(data)
		require.NoError(t, err)
		defer rec.Close()
		one := jvmmetrics.New()
		feed(t, one, rec)
		feed(t, both, rec)
		want += scrape(t, one)[name]
	}
	assert.Equal(t, want, scrape(t, both)[name])
}
