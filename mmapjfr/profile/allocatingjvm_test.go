package profile_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// TestAllocatedByJVMs compares what samples weigh with what programs say that they have allocated while samples were
// taken: between when they asked for them and when that had returned, up to the end of the recording.
func TestAllocatedByJVMs(t *testing.T) {
	type program struct {
		major      int
		kind, when string
		file       string
	}
	var list []program
	for _, major := range []int{17, 25} {
		jvmtest.Need(t, major)
		for _, kind := range []string{"one", "pool", "short", "virtual"} {
			for _, when := range []string{"early", "late", "dumped", "beside", "again", "monitored", "enabled"} {
				if kind == "pool" || major > 17 && (when == "early" || when == "late" || when == "dumped") {
					list = append(list, program{major, kind, when, filepath.Join(t.TempDir(), "a.jfr")})
				}
			}
		}
	}
	parallel.ForEach(4, len(list), func(_, i int) { jvmtest.Allocate(t, list[i].major, list[i].kind, list[i].when, list[i].file) })
	for _, p := range list {
		name := fmt.Sprint(p.kind, " ", p.when, " ", p.major)
		rec, err := mmapjfr.Open(p.file)
		require.NoError(t, err, name)
		var least, most float64
		for ev, err := range rec.Select(mmapjfr.Types("test.Allocated")).Events() {
			require.NoError(t, err)
			end := ev.Int(mmapjfr.Path("end"))
			least, most = float64(end-ev.Int(mmapjfr.Path("sampled"))), float64(end-ev.Int(mmapjfr.Path("asked")))
		}
		raw := 0.0 // a JVM that is short of processors takes too few samples of virtual threads
		for ev, err := range rec.Select(mmapjfr.Types("jdk.ObjectAllocationSample")).Events() {
			require.NoError(t, err)
			raw += float64(ev.Int(mmapjfr.Path("weight")))
		}
		got, live := float64(allocated(t, rec, profile.Options{})), float64(streamed(t, rec))
		t.Logf("%-20s allocated %4.0f to %4.0f MB, profile %4.0f, stream %4.0f", name, least/1e6, most/1e6, got/1e6, live/1e6)
		if p.kind == "short" { // JVMs sample one in eight of what such threads allocate
			least /= 30
		}
		least = min(least, raw)
		for _, x := range []float64{got, live} {
			assert.Greater(t, x, least/1.3, name)
			assert.Less(t, x, most*1.3, name)
		}
		assert.NoError(t, rec.Close())
	}
}
