package cli_test

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
)

// gcPercent returns how much garbage there may be.
func gcPercent() uint64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// TestDelayGC begins with much garbage, and has what was asked for from the first collection on.
func TestDelayGC(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	t.Setenv("GOGC", "100")
	cli.DelayGC()
	cli.SetGCPercent(30)()
	assert.EqualValues(t, 100, gcPercent(), "the environment has its way")

	t.Setenv("GOGC", "")
	cli.DelayGC()
	undo := cli.SetGCPercent(30)
	require.Eventually(t, func() bool {
		runtime.GC()
		return gcPercent() == 30
	}, time.Minute, time.Millisecond)
	undo()
	assert.EqualValues(t, 100, gcPercent())
	undo = cli.SetGCPercent(40)
	assert.EqualValues(t, 40, gcPercent())
	undo()
	assert.EqualValues(t, 100, gcPercent())
}

// TestLimitMemory has a limit while little is in use, and none while much is.
func TestLimitMemory(t *testing.T) {
	none := debug.SetMemoryLimit(-1)
	t.Setenv("GOMEMLIMIT", "")
	undo := cli.LimitMemory(64 << 20)
	assert.EqualValues(t, 64<<20, debug.SetMemoryLimit(-1))
	reaches := func(limit int64) {
		t.Helper()
		require.Eventually(t, func() bool {
			runtime.GC()
			return debug.SetMemoryLimit(-1) == limit
		}, time.Minute, time.Millisecond)
	}
	much := make([]byte, 70<<20)
	reaches(none)
	runtime.KeepAlive(much)
	much = nil
	reaches(64 << 20)
	undo()
	runtime.GC()
	assert.Equal(t, none, debug.SetMemoryLimit(-1))

	t.Setenv("GOMEMLIMIT", "1GiB")
	cli.LimitMemory(64 << 20)()
	assert.Equal(t, none, debug.SetMemoryLimit(-1))
}
