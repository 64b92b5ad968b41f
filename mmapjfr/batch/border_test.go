package batch_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/internal/views"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestRangesThatEndAtAnyBorder divides recordings at each chunk header, a byte before and after
// it, and in between, and merges what the ranges have in any order. Recordings are real ones, made up ones, and such of which some
// bytes beside a chunk header are others.
func TestRangesThatEndAtAnyBorder(t *testing.T) {
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(1, 9))
	datas := make(map[string][]byte)
	for _, name := range []string{"jdk17-chunks", "jdk25-chunks", "concat-jdk17-jdk25", "concat-jdk25-jdk25"} {
		data, err := os.ReadFile("../../testdata/" + name + ".jfr")
		require.NoError(t, err)
		datas[name] = data
	}
	for i := range longtest.Cases(1, 40) {
		datas[fmt.Sprint("mixed", i)] = profiletest.Mixed(rng, 3+rng.IntN(5))
		datas[fmt.Sprint("crossing", i)] = profiletest.Crossing(rng, 3+rng.IntN(5))
	}
	for _, name := range slices.Sorted(maps.Keys(datas)) {
		data := datas[name]
		rec, err := mmapjfr.OpenBytes(data)
		require.NoError(t, err)
		borders := offsets(rec)
		require.NoError(t, rec.Close())
		require.NotEmpty(t, borders, name)
		for i, how := range []string{"", "-magic", "-size", "-event", "-cut"} {
			if i > 0 && !longtest.Every(i+rng.IntN(4), 8) {
				continue
			}
			assertDivisions(t, filepath.Join(dir, name+how+".jfr"), damaged(data, how, borders[rng.IntN(len(borders))]), borders, rng)
		}
	}
}

// offsets returns where the chunks begin but for the first one.
func offsets(rec *mmapjfr.Recording) (list []uint64) {
	for _, c := range rec.Chunks() {
		if c.Offset() > 0 {
			list = append(list, c.Offset())
		}
	}
	return list
}

// damaged returns bytes of which some beside a chunk header are others.
func damaged(data []byte, how string, header uint64) []byte {
	data = slices.Clone(data)
	switch how {
	case "-magic":
		data[header] ^= 1
	case "-size":
		data[header+8+6] ^= 1
	case "-event":
		for i := header - 40; i < header+68+40; i++ {
			if i < header || i >= header+68 {
				data[i] ^= 0x55
			}
		}
	case "-cut":
		data = data[:header+30]
	}
	return data
}

// assertDivisions compares the answers of divisions of a file with that of all of it.
func assertDivisions(t *testing.T, path string, data []byte, borders []uint64, rng *rand.Rand) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, data, 0o600))
	defer os.Remove(path) //nolint:errcheck // a temporary file
	objects := listed(t, path)
	between := slices.Clone(borders)
	for i := range between {
		between[i] = borders[i] - 1 - rng.Uint64N(20)
	}
	for n, q := range divisible(t) {
		if !longtest.Every(n+rng.IntN(8), 16) {
			continue
		}
		whole := answers(t, q, mapped(t, q, parts(objects[0], nil)), slices.Reverse)
		want := marshalled(t, whole.Answer())
		for _, d := range whole.Damage() {
			require.NotContains(t, d.Error, "does not fit", q.Text())
		}
		for i, ends := range [][]uint64{borders, plus(borders, 1), between, slices.Sorted(slices.Values(slices.Concat(borders, between)))} {
			list := mapped(t, q, parts(objects[0], ends))
			for range 2 {
				got := answers(t, q, list, func(list []*batch.Partial) {
					rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				})
				require.True(t, bytes.Equal(want, marshalled(t, got.Answer())), "%s %s %d", path, q.Text(), i)
				assert.Equal(t, whole.Damage(), got.Damage(), "%s %s %d", path, q.Text(), i)
			}
			if n := rng.IntN(len(list)); len(list) > 1 { // without one range the others have the same bytes in any order, too
				some := slices.Delete(slices.Clone(list), n, n+1)
				forward := answers(t, q, some, func([]*batch.Partial) {})
				backward := answers(t, q, some, slices.Reverse)
				require.True(t, bytes.Equal(marshalled(t, forward.Answer()), marshalled(t, backward.Answer())), "%s %s %d without %d", path, q.Text(), i, n)
			}
		}
	}
}

// additive are statements whose answers of ranges add up.
var additive = []string{
	"select @type, count(*), sum(duration), avg(size), stdev(duration), max(startTime), first(startTime), last(endTime) from * group by @type",
	"select @thread, count(*), p99(duration), unique(stackTrace), min(startTime), arg_max(@type, duration) from jdk.* group by @thread",
	"select time(1s), count(*), rate(), histogram(duration), last_batch(@type) from * group by 1",
	"select stackTrace.topFrame, count(*), top_k(@thread, 2), set(@type), list(startTime) from jdk.ExecutionSample, jdk.ThreadPark group by 1",
	"select @type, sum(@weight), sum(@weight.lock), max(@weight) from ThreadPark, JavaMonitorEnter group by 1",
	"select name, count(*), sum(n), diff(startTime) from test.Request group by name having count(*) > 1",
	"select count(*), sum(size * 2) from test.Step where size > 10",
}

// dependents are statements of which events in a range depend on others: on settings and samples, on the events that they are joined
// with, and on the virtual machine.
var dependents = []string{
	"select @thread, sum(@weight.cpu), avg(@weight.wall) from jdk.ExecutionSample, profiler.WallClockSample group by 1",
	"select @weight.leak, count(*) from profiler.Malloc, ThreadPark group by @weight.leak",
	"select @type, sum(coalesce(@weight.alloc, weight)) from * group by @type",
	"from * during GarbageCollection as g select g.gcId, @type, count(*) group by g.gcId, @type",
	"from test.Step within test.Request as r select r.name, count(*), sum(size) group by r.name",
	"from * asof CPULoad as l select l.machine, count(*) group by l.machine",
	"select gcId, count(*), sum(heapUsed) from GarbageCollection, GCHeapSummary group by gcId",
	"select address, count(*), sum(duration), list(@thread) from ThreadPark group by address",
}

// TestWhatDependsOnOtherChunksIsNotDivided plans items of a recording of several chunks.
func TestWhatDependsOnOtherChunksIsNotDivided(t *testing.T) {
	objects := listed(t, "../../testdata/jdk25-chunks.jfr")
	items := func(q batch.Question) int { return len(batch.Plan(q, objects, batch.PlanOptions{Size: 50_000})) }
	for _, q := range divisible(t) {
		assert.Greater(t, items(q), 3, q.Text())
	}
	for _, text := range dependents {
		assert.Equal(t, 1, items(statement(t, text, query.Options{})), text)
	}
	for _, kinds := range [][]string{nil, {"cpu"}, {"io", "alloc"}, {"leak"}} {
		assert.Equal(t, 1, items(&batch.Profile{Options: profile.Options{Kinds: kinds}}), kinds)
	}
	assert.Greater(t, items(&batch.Export{}), 3)
}

func statement(t *testing.T, text string, o query.Options) batch.Question {
	t.Helper()
	st, err := query.Parse(text, o)
	require.NoError(t, err)
	q, err := batch.NewQuery(st, o, batch.Selection{})
	require.NoError(t, err)
	return q
}

// divisible returns questions that ranges of a recording answer.
func divisible(t *testing.T) (list []batch.Question) {
	t.Helper()
	for _, o := range []profile.Options{{Kinds: []string{"lock", "park", "io"}}, {Kinds: []string{"native", "gc"}, Times: time.Second}, {Events: []profile.EventKind{{Type: "jdk.ThreadPark"}}}} {
		list = append(list, &batch.Profile{Options: o})
	}
	for i, text := range additive {
		list = append(list, statement(t, text, query.Options{JDK: i%3 == 2}))
	}
	for _, v := range views.All() {
		if slices.Contains([]string{"gc-pauses", "hot-methods", "contention-by-site"}, v.Name) {
			o := query.Options{JDK: v.IsStandard()}
			st, err := v.Statement(nil, o)
			require.NoError(t, err)
			q, err := batch.NewQuery(st, o, batch.Selection{})
			require.NoError(t, err)
			list = append(list, q)
		}
	}
	return list
}

func plus(list []uint64, n uint64) []uint64 {
	list = slices.Clone(list)
	for i := range list {
		list[i] += n
	}
	return list
}

// parts returns the items of an object that is divided at offsets.
func parts(o batch.Object, ends []uint64) (items []batch.Item) {
	from := uint64(0)
	for _, to := range append(slices.Clone(ends), 0) {
		if to <= from && to != 0 {
			continue
		}
		items = append(items, batch.Item{Parts: []batch.Part{{Object: o.Name, Version: o.Version, From: from, To: to}}})
		from = to
	}
	return items
}

// TestOtherVersionsAreRefused has results and lists of another version of the program.
func TestOtherVersionsAreRefused(t *testing.T) {
	w := work(t, t.TempDir(), "../../testdata/jdk25-kinds.jfr")
	require.NoError(t, w.Run(t.Context()))
	for _, c := range []struct {
		files string
		older func(data []byte) []byte
	}{
		{"*.partial", func(data []byte) []byte { data[8] = 1; return data }},
		{"*.plan", func(data []byte) []byte { return bytes.Replace(data, []byte(`"format":6`), []byte(`"format":1`), 1) }},
	} {
		files, err := filepath.Glob(filepath.Join(w.Dir, c.files))
		require.NoError(t, err)
		data, err := os.ReadFile(files[0])
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(files[0], c.older(data), 0o600))
		f, err := batch.OpenFolders([]string{w.Dir})
		if err == nil {
			_, err = f.Merge(t.Context(), w.Question)
		}
		require.ErrorIs(t, err, batch.ErrFormat)
		assert.ErrorContains(t, err, "the format is 1, not 6; read the recordings again, into another folder")
	}
}

// TestManyErrorsInAnyDivision has more errors than are listed, in several chunks. The list is the same however the file is divided.
func TestManyErrorsInAnyDivision(t *testing.T) {
	var data []byte
	var borders []uint64
	for i := range 4 {
		if i > 0 {
			borders = append(borders, uint64(len(data)))
		}
		b := jfrtest.NewChunk()
		a, other := b.Event("test.A", jfrtest.Of("n", "int")), b.Event("test.B", jfrtest.Of("n", "int"))
		for n := range 15 + 10*i {
			b.Emit(a, 1_000_000, n)
			b.Emit(other, 1_000_000, n)
			b.EmitRaw(jfrtest.EventOptions{}, int64(5000+n), []byte{1, 2, 3})
		}
		data = append(data, b.Bytes()...)
	}
	path, rng := filepath.Join(t.TempDir(), "a.jfr"), rand.New(rand.NewPCG(3, 4))
	require.NoError(t, os.WriteFile(path, data, 0o600))
	objects := listed(t, path)
	for _, q := range []batch.Question{
		statement(t, "select n, count(*) from A group by n", query.Options{}), statement(t, "select a.n, count(b.n) from A as a, B as b group by n", query.Options{}),
	} {
		want := answers(t, q, mapped(t, q, parts(objects[0], nil)), slices.Reverse).Damage()
		require.Len(t, want, 32+1)
		assert.Equal(t, 15+25+35+45-32, want[32].More, q.Text())
		assert.Equal(t, "there are 88 more errors", want[32].Error)
		for _, ends := range [][]uint64{borders, borders[:1], borders[1:2], plus(borders, 1)} {
			got := answers(t, q, mapped(t, q, parts(objects[0], ends)), func(list []*batch.Partial) {
				rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			})
			assert.Equal(t, want, got.Damage(), "%s %v", q.Text(), ends)
		}
	}
}
