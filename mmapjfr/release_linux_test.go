package mmapjfr_test

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// residentOf returns how many kilobytes of a map of the file the program has.
func residentOf(t *testing.T, name string) (kB int) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	found := ""
	for line := range strings.Lines(string(maps)) {
		if strings.Contains(line, name) {
			found = line
		}
		if rss, ok := strings.CutPrefix(line, "Rss:"); ok && found != "" {
			kB, err = strconv.Atoi(strings.Fields(rss)[0])
			require.NoError(t, err)
			return kB
		}
	}
	return 0
}

// hasResident fails unless the number of kilobytes is within bounds in one of many
// readings: the system does not tell about all maps of one moment.
func hasResident(t *testing.T, name string, least, most int) {
	t.Helper()
	var kB int
	for range 100 {
		if kB = residentOf(t, name); least <= kB && kB <= most {
			return
		}
	}
	t.Errorf("%d kB of %s are in memory, not %d to %d", kB, name, least, most)
}

func TestReleaseGivesPagesBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "released.jfr")
	data := profile(t)
	require.NoError(t, os.WriteFile(file, data, 0o600))
	rec := opentest.File(t, file)
	events := all(t, rec)
	before := events[1000].String() + string(engine.EventBytes(events[1000]))
	require.Equal(t, data, engine.RecordingIndex(rec).Data(), "all pages have been read")
	whole := len(data) / 1024
	hasResident(t, "released.jfr", whole*9/10, whole+4)
	engine.RecordingDropPages(rec, 100_000, 300_000)
	hasResident(t, "released.jfr", whole*9/10-200, whole-180)
	engine.RecordingDropPages(rec, 0, math.MaxUint64)
	hasResident(t, "released.jfr", 0, 4) // the last page is not whole
	engine.RecordingDropPages(rec, 5, 3)
	engine.RecordingDropPages(rec, 1<<40, 1<<50)
	assert.Equal(t, before, events[1000].String()+string(engine.EventBytes(events[1000])))
	assert.Len(t, all(t, rec), len(events))
}

// TestDropPassed reads 80 MB, with and without giving back what has been read.
func TestDropPassed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "passed.jfr")
	data := longTexts(400)
	require.NoError(t, os.WriteFile(file, append(data, data...), 0o600))
	for _, drop := range []bool{false, true} {
		rec, err := mmapjfr.Open(file)
		require.NoError(t, err)
		if drop {
			engine.RecordingDropPassed(rec)
		}
		for ev, err := range rec.Events() {
			require.NoError(t, err)
			require.Len(t, ev.StrView(mmapjfr.Path("text")), 100_000)
		}
		if drop {
			hasResident(t, "passed.jfr", 0, 1000)
		} else {
			hasResident(t, "passed.jfr", 75_000, 80_000)
		}
		require.NoError(t, rec.Close())
	}
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
		engine.RecordingDropPages(rec, 0, math.MaxUint64)
		assert.Equal(t, data, engine.RecordingIndex(rec).Data())
		assert.Len(t, all(t, rec), n)
		require.NoError(t, rec.Close())
		engine.RecordingDropPages(rec, 0, math.MaxUint64)
	}
}
