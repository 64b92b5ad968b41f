package constants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/constants"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestUsageIsWhatSomeEventsReferTo takes each seventh event of the recordings, and compares
// with what the reference finds by following everything in these.
func TestUsageIsWhatSomeEventsReferTo(t *testing.T) {
	sum, all := 0, 0
	each(t, func(t *testing.T, rec *mmapjfr.Recording, want *jfrtest.Recording) {
		some := make(map[uint64]bool)
		var wants []id
		for i, c := range want.Chunks {
			part := *c
			part.Events = nil
			for n := 0; n < len(c.Events); n += 7 {
				part.Events = append(part.Events, c.Events[n])
				some[uint64(c.Events[n].Offset)] = true
			}
			for constant := range naivelyUsed(&part) {
				wants = append(wants, id{i, constant.Class, constant.Key})
			}
			for _, pool := range c.Pools {
				all += len(pool)
			}
		}
		u := constants.NewUsage(rec)
		n := 0
		for ev, err := range rec.Events() {
			if err == nil && some[ev.Offset()] {
				u.Add(n%engine.RecordingWorkers(rec), ev)
				n++
			}
		}
		var got []id
		for c, err := range u.Constants() {
			require.NoError(t, err)
			assert.False(t, c.Shadowed)
			got = append(got, idOf(c))
		}
		assert.ElementsMatch(t, wants, got)
		sum += len(got)
	})
	assert.Greater(t, sum, 100)
	assert.Less(t, sum, all/2)
}

func TestUsageOfNoEvents(t *testing.T) {
	for range constants.NewUsage(open(t, "jdk25-profile.jfr")).Constants() {
		assert.Fail(t, "nothing is referred to")
	}
}
