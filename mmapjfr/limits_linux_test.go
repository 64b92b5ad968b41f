package mmapjfr_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/leaktest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// limit lowers a limit of this process, which must be one of crash's.
func limit(t *testing.T, which int, n uint64) {
	t.Helper()
	var l unix.Rlimit
	require.NoError(t, unix.Getrlimit(which, &l))
	l.Cur = min(n, l.Max)
	require.NoError(t, unix.Setrlimit(which, &l))
}

// fill opens files until there are only that many descriptors left.
func fill(t *testing.T, left int) (release func()) {
	t.Helper()
	var files []*os.File
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		files = append(files, f)
	}
	require.Greater(t, len(files), left)
	for range left {
		require.NoError(t, files[0].Close())
		files = files[1:]
	}
	return func() {
		for _, f := range files {
			_ = f.Close()
		}
	}
}

// TestWithoutDescriptors: where there are too few it fails, or does without an index, and
// gives back those it got.
func TestWithoutDescriptors(t *testing.T) {
	crash(t, func(t *testing.T) {
		mmapjfr.SetSmallIndex(t, 0)
		whole := placed(t, used())
		with := placed(t, used())
		save(t, with)
		live := placed(t, flushes(3, 5, "").Bytes())
		_, err := os.ReadFile("/proc/self/maps") // what the runtime opens once is open
		require.NoError(t, err)
		limit(t, unix.RLIMIT_NOFILE, 40)
		for left := range 4 {
			opened := 0
			leaktest.Check(t, func() {
				release := fill(t, left)
				defer release()
				for _, opts := range openings(t) {
					for _, file := range []string{whole, with} {
						rec, err := mmapjfr.Open(file, opts...)
						if err != nil {
							continue
						}
						opened++
						for _, err := range rec.Events() {
							assert.NoError(t, err)
						}
						assert.NoError(t, rec.Close())
					}
				}
				for _, form := range liveForms {
					f, err := engine.FollowChunk(live, 0, form.opts...)
					if err != nil {
						assert.ErrorIs(t, err, unix.EMFILE)
						continue
					}
					opened++
					_, err = engine.ChunkFollowerAdvance(f)
					assert.NoError(t, err)
					assert.NoError(t, engine.ChunkFollowerClose(f))
				}
			})
			assert.Equal(t, left == 0, opened == 0, "%d descriptors, %d opened", left, opened)
			onlyRecordings(t, filepath.Dir(whole))
		}
	})
}

// addresses returns how many bytes of addresses this process has taken.
func addresses(t *testing.T) (n uint64) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	for _, digit := range strings.Fields(string(status))[0] {
		n = 10*n + uint64(digit-'0')
	}
	return n * uint64(os.Getpagesize())
}

// TestWithoutAddresses: what is too large for what a process may have is refused by name, and
// the rest goes on.
func TestWithoutAddresses(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector takes addresses as it goes")
	}
	const room, size = 256 << 20, 1 << 30
	crash(t, func(t *testing.T) {
		dir := t.TempDir()
		small := placed(t, used())
		large := sparse(t, filepath.Join(dir, "large.jfr"), used(), size)
		limit(t, unix.RLIMIT_AS, addresses(t)+room)
		for with, opts := range openings(t) {
			if with == "not an option" {
				continue
			}
			leaktest.Check(t, func() {
				_, err := mmapjfr.Open(large, opts...)
				refused(t, err, large, size)
				require.ErrorIs(t, err, unix.ENOMEM)
				rec, err := mmapjfr.Open(small, opts...)
				require.NoError(t, err)
				assert.NotEmpty(t, all(t, rec))
				require.NoError(t, rec.Close())
			})
		}
	})
}

// TestCopiesOfAnySizeWithoutAddresses: there is no size for which the system says that there
// is room, and the program ends because there was not.
func TestCopiesOfAnySizeWithoutAddresses(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector takes addresses as it goes")
	}
	const room = 400 << 20
	crash(t, func(t *testing.T) {
		dir := t.TempDir()
		limit(t, unix.RLIMIT_AS, addresses(t)+room)
		copied := 0
		for size := int64(10 << 20); size < 2*room; size += size / int64(longtest.Cases(1, 4)) {
			file := sparse(t, filepath.Join(dir, "it.jfr"), used(), size)
			rec, err := mmapjfr.Open(file, mmapjfr.CopyOnOpen())
			if err != nil {
				refused(t, err, file, size)
				continue
			}
			copied++
			assert.Equal(t, size, rec.Size())
			require.NoError(t, rec.Close())
		}
		assert.NotZero(t, copied) // how many depends on the addresses that the runtime takes meanwhile
	})
}

// TestLiveFilesWithoutAddresses: one that cannot be mapped is refused, and one of which no
// more than what there is can be mapped is not.
func TestLiveFilesWithoutAddresses(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector takes addresses as it goes")
	}
	crash(t, func(t *testing.T) {
		// The runtime itself takes some hundred megabytes of addresses, now and then.
		for _, size := range []uint64{150 << 20, 2 << 30} {
			fits := size < 1<<30
			w := newLiveWriter(t, flushes(2, 5, "").Bytes(), 0)
			w.flush()
			sparse(t, filepath.Join(t.TempDir(), "probe"), nil, int64(size))
			require.NoError(t, os.Truncate(w.path, int64(size)))
			end := w.ends[0]
			end.size = size
			w.header(end, 3)
			limit(t, unix.RLIMIT_AS, addresses(t)+1<<30)
			leaktest.Check(t, func() {
				f, err := engine.FollowChunk(w.path, 0)
				require.NoError(t, err)
				_, err = engine.ChunkFollowerAdvance(f)
				if fits {
					assert.NotErrorIs(t, err, mmapjfr.ErrUnsupported)
				} else {
					refused(t, err, w.path, int64(size))
				}
				assert.Equal(t, fits, engine.ChunkFollowerHasHeader(f))
				require.NoError(t, engine.ChunkFollowerClose(f))
			})
		}
	})
}
