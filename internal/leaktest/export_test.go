package leaktest

import (
	"testing"
	"time"
)

// SetPatience sets for how long what is to go may be there, until the test ends.
func SetPatience(t *testing.T, d time.Duration) {
	before := patience
	patience = d
	t.Cleanup(func() { patience = before })
}
