package mmapjfr_test

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// residentOf returns how many kilobytes of a map of the file the program has.
func residentOf(t *testing.T, name string) (kB int) {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	require.NoError(t, err)
	defer f.Close()
	within := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if strings.Contains(line, name) {
			within = true
		}
		if rss, ok := strings.CutPrefix(line, "Rss:"); ok && within {
			n, err := strconv.Atoi(strings.Fields(rss)[0])
			require.NoError(t, err)
			kB, within = kB+n, false
		}
	}
	return kB
}

func TestReleaseGivesPagesBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "released.jfr")
	data := profile(t)
	require.NoError(t, os.WriteFile(file, data, 0o600))
	rec, err := mmapjfr.Open(file)
	require.NoError(t, err)
	defer rec.Close()
	events := all(t, rec)
	before := events[1000].String() + string(events[1000].Bytes())
	whole := residentOf(t, "released.jfr")
	require.Greater(t, whole, len(data)/1024*9/10)
	// The system may take pages by itself, but not give back what was not asked for.
	rec.Release(100_000, 300_000)
	half := residentOf(t, "released.jfr")
	assert.Less(t, half, whole-150, "of 195 kB most")
	assert.Greater(t, half, whole/4)
	rec.Release(0, math.MaxUint64)
	assert.Less(t, residentOf(t, "released.jfr"), 5, "no more than the last page")
	rec.Release(5, 3)
	rec.Release(1<<40, 1<<50)
	assert.Equal(t, before, events[1000].String()+string(events[1000].Bytes()))
	assert.Len(t, all(t, rec), len(events))
}

// Memory that was read, and not mapped, must not be given back: it would be lost.
func TestReleaseKeepsWhatIsNotMapped(t *testing.T) {
	data := profile(t)
	copied, err := mmapjfr.Open("../testdata/jdk25-profile.jfr", mmapjfr.CopyOnOpen())
	require.NoError(t, err)
	inMemory, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	for _, rec := range []*mmapjfr.Recording{copied, inMemory} {
		n := len(all(t, rec))
		rec.Release(0, math.MaxUint64)
		assert.Equal(t, data, rec.Index().Data())
		assert.Len(t, all(t, rec), n)
		require.NoError(t, rec.Close())
		rec.Release(0, math.MaxUint64)
	}
}
