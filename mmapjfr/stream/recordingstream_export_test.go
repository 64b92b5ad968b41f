package stream

import (
	"testing"
	"time"
)

// SetStopWithin changes how long stopping a recording may take when the stream has ended.
func SetStopWithin(t testing.TB, d time.Duration) {
	t.Helper()
	old := stopTimeout
	stopTimeout = d
	t.Cleanup(func() { stopTimeout = old })
}
