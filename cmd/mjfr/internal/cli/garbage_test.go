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
