package stream

import (
	"testing"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// SetSilence changes for how long nobody has written to a file that nobody is writing to.
func SetSilence(t testing.TB, d time.Duration) {
	t.Helper()
	old := silence
	silence = d
	t.Cleanup(func() { silence = old })
}

// SetPatience changes how long a wait for more takes at most.
func SetPatience(t testing.TB, d time.Duration) {
	t.Helper()
	old := patience
	patience = d
	t.Cleanup(func() { patience = old })
}

// ScanAlways has repositories look for more chunks before each part, however short the time.
func ScanAlways(t testing.TB) {
	t.Helper()
	old := scanEvery
	scanEvery = 0
	t.Cleanup(func() { scanEvery = old })
}

// Follow follows the chunk in a file until it fails, and returns how many parts it had. gone
// tells whether whoever wrote it has gone.
func Follow(t testing.TB, path string, gone func() bool) (parts int) {
	t.Helper()
	live, err := mmapjfr.FollowChunk(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	watch := repository.NewWatch(path)
	defer func() { _ = watch.Close(); _ = live.Close() }()
	f := follower{live: live, watch: watch, stay: func() bool { return false }, gone: gone}
	for {
		p, err := f.next(t.Context())
		if err != nil {
			return parts
		}
		if p.live != nil {
			parts++
		}
	}
}
