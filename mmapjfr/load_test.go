package mmapjfr_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// loadFor is for how long the tests named Load go on, all together. Without it each does
// its work once, which takes seconds.
var loadFor = flag.Duration("load", 0, "for how long the tests of load go on, all together")

// loadRounds calls round once, or again and again for a share of the time that was asked
// for. It returns how often.
func loadRounds(t *testing.T, share float64, round func(r *rand.Rand)) (n int) {
	t.Helper()
	end := time.Now().Add(time.Duration(float64(*loadFor) * share))
	for ; n == 0 || time.Now().Before(end) && !t.Failed(); n++ {
		round(rand.New(rand.NewPCG(uint64(n), 6)))
	}
	return n
}

// loadCount is what the tests of load have done.
var loadCount struct {
	opens, reads, cancels, closes, events atomic.Int64
}

// loadReport says how much a test has done.
func loadReport(t *testing.T, rounds int) {
	t.Helper()
	c := &loadCount
	t.Logf("%d rounds; %d opened, %d read and compared, %d cancelled, %d closed in the middle, %d events",
		rounds, c.opens.Swap(0), c.reads.Swap(0), c.cancels.Swap(0), c.closes.Swap(0), c.events.Swap(0))
}

// loadFile is a recording, what there is to ask of it, and what one goroutine that had it to
// itself was answered.
type loadFile struct {
	name, path string
	data       []byte

	offsets []uint64 // of some events, and of some places where none begins
	events  uint64
	types   []string // the most common type, and the rarest
	threads []string
	times   []time.Time
	want    []uint64 // by way
}

// loadFiles returns recordings of the repository, and damaged copies of them, in a folder of
// the test.
func loadFiles(t *testing.T) (list []*loadFile) {
	t.Helper()
	dir := t.TempDir()
	add := func(name string, data []byte) {
		f := &loadFile{name: name, path: filepath.Join(dir, name), data: data}
		require.NoError(t, os.WriteFile(f.path, data, 0o600))
		f.explore(t)
		for _, way := range loadWays {
			rec, err := mmapjfr.OpenBytes(data, mmapjfr.Workers(1))
			require.NoError(t, err)
			f.want = append(f.want, way.read(f, rec))
			require.NoError(t, rec.Close())
		}
		list = append(list, f)
	}
	files := recordings(t)
	if *loadFor == 0 {
		files = files[:0]
		for _, name := range []string{"jdk25-killed", "jdk25-kinds", "jdk17-live", "jdk25-chunks", "concat-jdk17-jdk25"}[:longtest.Cases(2, 5)] {
			files = append(files, "../testdata/"+name+".jfr")
		}
	}
	for i, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		add(filepath.Base(file), data)
		for kind, damage := range loadDamages {
			if kind == i%len(loadDamages) || *loadFor > 0 && kind%2 == i%2 {
				add(fmt.Sprintf("%s-%d.jfr", filepath.Base(file), kind), damage(slices.Clone(data), rand.New(rand.NewPCG(uint64(i), uint64(kind)))))
			}
		}
	}
	// One with several parts for those who read it in parallel.
	add("long.jfr", slices.Concat(longChunk(1, 9000).Bytes(), forgetful().Bytes(), longChunk(3, 2000).Uncompressed().Bytes()))
	return list
}

// loadDamages are ways to damage a recording so that it can still be opened.
var loadDamages = []func(data []byte, r *rand.Rand) []byte{
	func(data []byte, r *rand.Rand) []byte { return data[:68+r.IntN(len(data)-68)] },
	func(data []byte, r *rand.Rand) []byte {
		for range 40 {
			data[68+r.IntN(len(data)-68)] ^= 1 << r.IntN(8)
		}
		return data
	},
	func(data []byte, r *rand.Rand) []byte {
		at := 68 + r.IntN(len(data)-5000)
		clear(data[at : at+4000])
		return data
	},
	func(data []byte, r *rand.Rand) []byte { // never finished, and shorter than it was
		size := min(binary.BigEndian.Uint64(data[8:]), uint64(len(data)))
		binary.BigEndian.PutUint64(data[8:], 68+r.Uint64N(size-68))
		data[64] = 3
		return data
	},
	func(data []byte, _ *rand.Rand) []byte { return append(data, "something after the end"...) },
}

// explore finds what there is to ask for.
func (f *loadFile) explore(t *testing.T) {
	t.Helper()
	rec, err := mmapjfr.OpenBytes(f.data)
	require.NoError(t, err)
	defer func() { require.NoError(t, rec.Close()) }()
	r := rand.New(rand.NewPCG(uint64(len(f.data)), 7))
	counts, threads := map[string]int{}, map[string]bool{}
	for ev := range rec.Events() {
		if ev.IsZero() {
			continue
		}
		f.events++
		counts[ev.Type().Name()]++
		if f.events%64 == 1 {
			f.offsets = append(f.offsets, ev.Offset(), r.Uint64N(uint64(len(f.data))))
			f.times = append(f.times, ev.Start())
			if th := ev.Thread(); th.JavaName() != "" {
				threads[th.JavaName()] = true
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[a] - counts[b]
		}
		return len(a) - len(b)
	})
	if len(names) > 0 {
		f.types = []string{names[0], names[len(names)-1]}
	}
	f.threads = slices.Sorted(maps.Keys(threads))
	f.times = append(f.times, rec.Start())
	f.offsets = append(f.offsets, 0, 1, 67, 68, uint64(len(f.data)))
}

// read reads a recording in some way, and compares it with what it was.
func (f *loadFile) read(t *testing.T, rec *mmapjfr.Recording, way int, when string) {
	t.Helper()
	loadCount.reads.Add(1)
	if got := loadWays[way].read(f, rec); got != f.want[way] {
		t.Errorf("%s: %s differs, %s", f.name, loadWays[way].name, when)
	}
}

// together calls do in that many goroutines, which all begin at once.
func together(n int, do func(i int)) {
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-begin
			do(i)
		})
	}
	close(begin)
	wg.Wait()
}
