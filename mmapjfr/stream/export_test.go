package stream

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// SetSilence changes for how long nobody has written to a file that nobody is writing to.
func SetSilence(t testing.TB, d time.Duration) {
	t.Helper()
	old := idleAfter
	idleAfter = d
	t.Cleanup(func() { idleAfter = old })
}

// SetPatience changes how long a wait for more takes at most.
func SetPatience(t testing.TB, d time.Duration) {
	t.Helper()
	old := maxWait
	maxWait = d
	t.Cleanup(func() { maxWait = old })
}

// SetRenewal changes how often recordings are renewed, and how long they go on after two renewals.
func SetRenewal(t testing.TB, interval, slack time.Duration) {
	t.Helper()
	oldInterval, oldSlack := renewInterval, renewSlack
	renewInterval, renewSlack = interval, slack
	t.Cleanup(func() { renewInterval, renewSlack = oldInterval, oldSlack })
}

// ScanAlways has repositories look for more chunks before each part, however short the time.
func ScanAlways(t testing.TB) {
	t.Helper()
	old := scanInterval
	scanInterval = 0
	t.Cleanup(func() { scanInterval = old })
}

// Follow follows the chunk in a file until it fails, and returns how many parts it had. gone
// reports whether its writer has gone.
func Follow(t testing.TB, path string, gone func() bool) (parts int) {
	t.Helper()
	live, err := engine.FollowChunk(path, 0)
	require.NoError(t, err)
	watch := repository.NewWatch(path)
	defer func() { _ = watch.Close(); _ = engine.ChunkFollowerClose(live) }()
	f := fileFollower{chunk: live, watch: watch, noFollow: func() bool { return false }, writerGone: gone}
	for {
		p, err := f.next(t.Context())
		if err != nil {
			return parts
		}
		if p.chunk != nil {
			parts++
		}
	}
}
