package mmapjfr_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// salvageAll makes the sweep look at every cut and every sector; it takes minutes.
var salvageAll = flag.Bool("salvage.all", false, "salvage every cut and every damaged sector of the recordings")

const (
	cutStep        = 4 << 10
	salvagedSector = 512
)

// contents returns the bytes of each event of a recording by its place; nothing if it
// cannot be opened.
func contents(t testing.TB, data []byte, opts ...mmapjfr.Option) map[uint64]string {
	t.Helper()
	rec, err := mmapjfr.OpenBytes(data, opts...)
	if err != nil {
		return nil
	}
	defer func() { _ = rec.Close() }()
	found := make(map[uint64]string)
	for ev, err := range rec.Events() {
		if err == nil {
			found[ev.Offset()] = string(engine.EventBytes(ev))
		}
	}
	return found
}

// compareSalvaged checks that all events of the whole recording are salvaged that are read
// without, and that each is one of them, but for those that lie in the damage.
func compareSalvaged(t *testing.T, whole map[uint64]string, data []byte, from, to uint64) {
	t.Helper()
	got := contents(t, data, mmapjfr.Salvage())
	for at, ev := range contents(t, data) {
		if ev == whole[at] {
			require.Equal(t, ev, got[at], "the event at %#x", at)
		}
	}
	for at, ev := range got {
		if at >= to || at+uint64(len(ev)) <= from {
			require.Equal(t, whole[at], ev, "the event at %#x", at)
		}
	}
}

// TestSalvageOfCutsAndSectors cuts recordings at many places, and damages many sectors of
// them: with zeros, and with what lies elsewhere.
func TestSalvageOfCutsAndSectors(t *testing.T) {
	for name, spread := range map[string]int{"jdk17-chunks": 61, "jdk25-chunks": 67, "jdk25-profile": 331} {
		if *salvageAll {
			spread = 1
		} else if !longtest.Enabled() {
			spread *= 12
		}
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("../testdata/" + name + ".jfr")
			require.NoError(t, err)
			whole := contents(t, data)
			for at := 0; at < len(data); at += cutStep * (spread/4 + 1) {
				compareSalvaged(t, whole, data[:at:at], uint64(at), uint64(len(data)))
				// What is after the cut has its own chunks.
				tail := contents(t, data[at:], mmapjfr.Salvage())
				for offset, ev := range tail {
					require.Equal(t, whole[offset+uint64(at)], ev)
				}
			}
			sectors := 0
			for at := 0; at < len(data); at += salvagedSector * spread {
				bad := bytes.Clone(data)
				to := min(at+salvagedSector, len(data))
				clear(bad[at:to])
				compareSalvaged(t, whole, bad, uint64(at), uint64(to))
				copy(bad[at:to], data[len(data)/3:])
				compareSalvaged(t, whole, bad, uint64(at), uint64(to))
				sectors++
			}
			assert.Positive(t, sectors)
		})
	}
}
