package repair_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jvmtest"
)

var leftovers = flag.Int("leftovers", 0, "the number of random leftovers to repair besides all of the others; the JDK is asked about each of them")

// sample returns a recording of testdata.
func sample(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", name+".jfr"))
	require.NoError(t, err)
	return data
}

// unfinishedProfile is what async-profiler leaves when it is killed: no checkpoint, and a
// header that has never been completed. Without the recording it is nil.
func unfinishedProfile(t *testing.T) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "recordings", "async-profiler.jfr.gz"))
	if err != nil {
		return nil
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	data, err := io.ReadAll(z)
	require.NoError(t, err)
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(data))
		require.NoError(t, err)
		data, err = io.ReadAll(z)
		require.NoError(t, err)
	}
	data = data[:binary.BigEndian.Uint64(data[16:])]
	binary.BigEndian.PutUint64(data[8:], 1<<30)
	clear(data[16:32])
	return data
}

// damage changes a recording in place, or returns another one.
type damage func(r *rand.Rand, data []byte) []byte

// spoil puts something in the place of n bytes somewhere.
func spoil(n int, with func(r *rand.Rand) byte) damage {
	return func(r *rand.Rand, data []byte) []byte {
		at := r.IntN(len(data))
		for i := at; i < min(at+n, len(data)); i++ {
			data[i] = with(r)
		}
		return data
	}
}

func zero(*rand.Rand) byte { return 0 }

func random(r *rand.Rand) byte { return byte(r.Uint32()) }

// damages are what happens to recordings.
var damages = []struct {
	name string
	do   damage
}{
	{"cut", func(r *rand.Rand, data []byte) []byte { return data[:1+r.IntN(len(data))] }},
	{"without its beginning", func(r *rand.Rand, data []byte) []byte { return data[r.IntN(len(data)):] }},
	{"a zeroed sector", func(r *rand.Rand, data []byte) []byte {
		at := r.IntN(len(data)) &^ 511
		clear(data[at:min(at+512, len(data))])
		return data
	}},
	{"a zeroed page", func(r *rand.Rand, data []byte) []byte {
		at := r.IntN(len(data)) &^ 4095
		clear(data[at:min(at+4096, len(data))])
		return data
	}},
	{"a zeroed tail", func(r *rand.Rand, data []byte) []byte {
		clear(data[r.IntN(len(data)):])
		return data
	}},
	{"a byte", spoil(1, random)},
	{"a few bytes", spoil(16, random)},
	{"a random sector", spoil(512, random)},
	{"a few zeroes", spoil(16, zero)},
	{"a flipped bit", func(r *rand.Rand, data []byte) []byte {
		data[r.IntN(len(data))] ^= 1 << r.IntN(8)
		return data
	}},
	{"bytes missing", func(r *rand.Rand, data []byte) []byte {
		at := r.IntN(len(data))
		return slices.Delete(data, at, min(at+1+r.IntN(3000), len(data)))
	}},
	{"bytes twice", func(r *rand.Rand, data []byte) []byte {
		at := r.IntN(len(data))
		return slices.Insert(data, at, slices.Clone(data[at:min(at+1+r.IntN(3000), len(data))])...)
	}},
	{"bytes between", func(r *rand.Rand, data []byte) []byte {
		more := make([]byte, 1+r.IntN(3000))
		for i := range more {
			more[i] = random(r)
		}
		return slices.Insert(data, r.IntN(len(data)), more...)
	}},
	{"a header", func(r *rand.Rand, data []byte) []byte {
		headers := chunkOffsets(data)
		at := headers[r.IntN(len(headers))]
		data[at+4+r.IntN(64)] = random(r)
		return data
	}},
	{"a header's number", func(r *rand.Rand, data []byte) []byte {
		headers := chunkOffsets(data)
		at := headers[r.IntN(len(headers))] + 8 + 8*r.IntN(7)
		odd := []uint64{0, 1, 68, 1 << 30, 1 << 31, 1 << 63, 1<<64 - 1}
		binary.BigEndian.PutUint64(data[at:], odd[r.IntN(len(odd))])
		return data
	}},
	{"metadata", func(r *rand.Rand, data []byte) []byte {
		headers := chunkOffsets(data)
		at := headers[r.IntN(len(headers))]
		from := uint64(at) + binary.BigEndian.Uint64(data[at+24:]) + uint64(r.IntN(90_000))
		if from < uint64(len(data)) {
			data[from] ^= 1 << r.IntN(8)
		}
		return data
	}},
}

// chunkOffsets returns where the chunks of a recording begin that is whole.
func chunkOffsets(data []byte) (list []int) {
	for at := uint64(0); at+68 <= uint64(len(data)); {
		list = append(list, int(at))
		size := binary.BigEndian.Uint64(data[at+8:])
		if size < 68 || size > uint64(len(data)) {
			break
		}
		at += size
	}
	return list
}

// damagedOnes are recordings that are damaged in some way.
var damagedOnes = []string{
	"jdk17-chunks", "jdk25-chunks", "jdk25-profile", "jdk17-profile", "jdk25-flushed", "jdk25-live-2", "jdk17-flushed",
	"jdk25-killed", "jdk17-live", "concat-jdk25-jdk25", "concat-jdk17-jdk25", "jdk25-strings", "jdk25-oldobjects", "jdk25-virtual",
}

// randomLeftover returns one that a number stands for.
func randomLeftover(t *testing.T, seed uint64) leftover {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 6))
	name := damagedOnes[r.IntN(len(damagedOnes))]
	data := sample(t, name)
	l := leftover{name: fmt.Sprintf("%d: %s", seed, name)}
	for range 1 + r.IntN(2) {
		d := damages[r.IntN(len(damages))]
		l.name += ", " + d.name
		if len(chunkOffsets(data)) > 0 && len(data) > 1000 {
			data = d.do(r, data)
		}
	}
	l.files = [][]byte{data}
	if r.IntN(6) == 0 { // joined with another
		other := damagedOnes[r.IntN(len(damagedOnes))]
		l.name += " and " + other
		l.files = append(l.files, sample(t, other))
		if r.IntN(2) == 0 {
			slices.Reverse(l.files)
		}
	}
	return l
}

// repositories are what is left of recorded repositories when they were killed.
func repositories(t *testing.T) (list []leftover) {
	t.Helper()
	for _, scenario := range jvmtest.Scenarios(t) {
		replay := jvmtest.NewReplay(t, scenario)
		for range replay.Steps() {
			require.NoError(t, replay.Step())
		}
		files, err := filepath.Glob(filepath.Join(replay.Dir, "*", "*.jfr"))
		require.NoError(t, err)
		slices.Sort(files)
		l := leftover{name: scenario}
		for _, path := range files {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			l.files = append(l.files, data)
		}
		if len(files) > 0 {
			list = append(list, l)
		}
	}
	return list
}

// fixed are leftovers of all kinds that are always the same.
func fixed(t *testing.T) []leftover {
	t.Helper()
	list := repositories(t)
	for _, name := range []string{"jdk17-live", "jdk25-killed", "jdk25-live-1", "concat-jdk17-jdk25"} {
		list = append(list, leftover{name + ".jfr", [][]byte{sample(t, name)}})
	}
	if data := unfinishedProfile(t); data != nil {
		list = append(list, leftover{"async-profiler", [][]byte{data}})
	}
	return list
}

// asked are those of the fixed leftovers by which the JDK is asked each time.
var asked = []string{"jdk25-killed", "jdk25-unflushed", "concat-jdk17-jdk25.jfr", "async-profiler"}

// TestJDKReadsRepositories repairs what real virtual machines left.
func TestJDKReadsRepositories(t *testing.T) {
	home := jdk25(t)
	all := fixed(t)
	if *leftovers == 0 {
		all = slices.DeleteFunc(all, func(l leftover) bool { return !slices.Contains(asked, l.name) })
	}
	for _, l := range all {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			requireReads(t, home, l)
		})
	}
}

// TestJDKReadsLeftovers repairs random ones.
func TestJDKReadsLeftovers(t *testing.T) {
	home := jdk25(t)
	n := 3
	if *leftovers > 0 {
		n = *leftovers
	}
	for seed := range uint64(n) {
		l := randomLeftover(t, seed)
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			requireReads(t, home, l)
		})
	}
}
