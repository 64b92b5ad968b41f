package batch_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/views"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// statements are questions whose values have kinds that depend on the recordings.
var statements = []string{
	"select @thread, count(*), p99(duration), max(startTime), first(@class), last(duration) from jdk.* group by @thread",
	"select stackTrace.topFrame as m, count(*), list(eventThread), rate() from ExecutionSample, CPUTimeSample group by m order by m",
	"from * during GarbageCollection as g select g.gcId, count(*), top_k(@type, 3), stdev(duration) group by g.gcId",
	"select sum(@weight.alloc), set(objectClass) from ObjectAllocationSample",
}

// questions returns a fresh question for each statement, some views, and profiles.
func questions(t *testing.T) []batch.Question {
	t.Helper()
	list := []batch.Question{&batch.Profile{}, &batch.Profile{Options: profile.Options{Kinds: []string{"alloc"}, Times: time.Second}}}
	add := func(st *query.Statement, o query.Options) {
		q, err := batch.NewQuery(st, o, batch.Selection{})
		require.NoError(t, err)
		list = append(list, q)
	}
	for _, text := range statements {
		st, err := query.Parse(text, query.Options{})
		require.NoError(t, err)
		add(st, query.Options{})
	}
	for _, v := range views.All() {
		if v.Name == "hot-methods" || v.Name == "gc-pauses" || v.Name == "contention-by-site" {
			st, err := v.Statement(nil, query.Options{JDK: true})
			require.NoError(t, err)
			add(st, query.Options{JDK: true})
		}
	}
	return list
}

// listed returns the files that names lead to.
func listed(t *testing.T, names ...string) []batch.Object {
	t.Helper()
	list, err := new(batch.Store).List(t.Context(), names)
	require.NoError(t, err)
	return list
}

// mapped returns the partial results of items as bytes.
func mapped(t *testing.T, q batch.Question, items []batch.Item) (list [][]byte) {
	t.Helper()
	for p, err := range batch.Map(t.Context(), q, nil, items, nil) {
		require.NoError(t, err)
		list = append(list, marshalled(t, p))
	}
	return list
}

// answers merges partial results in an order.
func answers(t *testing.T, q batch.Question, parts [][]byte, order func(list []*batch.Partial)) *batch.Partial {
	t.Helper()
	var list []*batch.Partial
	for _, data := range parts {
		p, err := batch.Unmarshal(data, q)
		require.NoError(t, err)
		list = append(list, p)
	}
	order(list)
	for len(list) > 1 { // as a tree: each with its neighbour
		var next []*batch.Partial
		for i := 0; i < len(list); i += 2 {
			if i+1 < len(list) {
				require.NoError(t, list[i].Merge(list[i+1]))
			}
			next = append(next, list[i])
		}
		list = next
	}
	return list[0]
}

func marshalled(t *testing.T, p interface{ MarshalBinary() ([]byte, error) }) []byte {
	t.Helper()
	data, err := p.MarshalBinary()
	require.NoError(t, err)
	return data
}

// TestAnyDivisionGivesTheSameBytes divides recordings of two JDKs, damaged ones among them, into one item, into items of
// one file or more, and into ranges, and merges them in several orders. The answers are those of one program.
func TestAnyDivisionGivesTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	var names []string
	names = append(names, longtest.Recordings(t)...)
	names = names[:longtest.Cases(2, len(names))] // of two JDKs
	whole, err := os.ReadFile("../../testdata/jdk17-chunks.jfr")
	require.NoError(t, err)
	changed := slices.Clone(whole)
	for i := 40_000; i < len(changed); i += 997 {
		changed[i]++
	}
	for name, data := range map[string][]byte{"cut.jfr": whole[:len(whole)/2], "changed.jfr": changed, "none.jfr": []byte("no recording"), "copy.jfr": whole} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	objects := listed(t, append(names, dir)...)
	require.Len(t, objects, len(names)+4)
	for i, q := range questions(t) {
		if !longtest.Every(i, 2) {
			continue
		}
		var answer []byte
		var first *batch.Partial
		for _, size := range []int64{1 << 30, 50_000} {
			items := batch.Plan(q, objects, batch.PlanOptions{Size: size})
			if size == 50_000 && batch.IsDivisible(q) {
				require.Greater(t, len(items), 2*len(objects))
			}
			parts := mapped(t, q, items)
			asItIs := answers(t, q, parts, func([]*batch.Partial) {})
			data := marshalled(t, asItIs)
			assert.Equal(t, data, marshalled(t, answers(t, q, parts, slices.Reverse)), "backwards: %s", q.Text())
			twice := answers(t, q, parts, func([]*batch.Partial) {})
			require.NoError(t, twice.Merge(asItIs))
			assert.Equal(t, data, marshalled(t, twice), "twice: %s", q.Text())
			if first == nil {
				answer, first = marshalled(t, twice.Answer()), twice
				continue
			}
			assert.Equal(t, answer, marshalled(t, twice.Answer()), "%d bytes: %s", size, q.Text())
			assert.Equal(t, first.Damage(), twice.Damage())
			assert.Equal(t, first.Start, twice.Start)
		}
		assert.Equal(t, len(objects), first.Objects())
		assert.True(t, slices.ContainsFunc(first.Damage(), func(d batch.Damage) bool { return d.Unread && strings.HasSuffix(d.Object, "none.jfr") }))
		assertAnswer(t, q, first, objects)
	}
}

// assertAnswer compares an answer with what one program finds in all recordings.
func assertAnswer(t *testing.T, q batch.Question, p *batch.Partial, objects []batch.Object) {
	t.Helper()
	var names []string
	for _, o := range objects {
		if !strings.HasSuffix(o.Name, "none.jfr") {
			names = append(names, o.Name)
		}
	}
	set, err := input.Open(t.Context(), names, input.Options{})
	require.NoError(t, err)
	defer set.Close()
	ignore := func(*mmapjfr.Recording, error) {}
	switch q := q.(type) {
	case *batch.Profile:
		o := q.Options
		o.OnError = ignore
		want, err := profile.Read(t.Context(), set.Recordings, o)
		require.NoError(t, err)
		assert.Equal(t, marshalled(t, want), marshalled(t, p.Answer()), q.Text())
	case *batch.Query:
		types, _ := mmapjfr.EventTypes(set.Recordings)
		plan, err := q.Statement.Plan(types, q.Options)
		require.NoError(t, err)
		want, err := query.Read(t.Context(), set.Recordings, []*query.Plan{plan}, query.ReadOptions{OnError: ignore})
		require.NoError(t, err)
		got, err := p.Result()
		require.NoError(t, err)
		assert.Equal(t, rows(t, want[0]), rows(t, got), q.Text())
	}
}

func rows(t *testing.T, p *query.Partial) (list []string) {
	t.Helper()
	r := p.Result()
	for _, c := range r.Columns {
		list = append(list, c.Title)
	}
	for row, err := range r.Rows {
		require.NoError(t, err)
		var text []string
		for _, v := range row {
			text = append(text, v.String())
		}
		list = append(list, strings.Join(text, "\t"))
	}
	return list
}

// work is a batch of a few recordings, in items of one recording.
func work(t *testing.T, dir string, names ...string) *batch.Work {
	t.Helper()
	objects := listed(t, names...)
	return &batch.Work{Question: &batch.Profile{}, Items: batch.Plan(&batch.Profile{}, objects, batch.PlanOptions{Size: 1, CanDivide: func(batch.Object) bool { return false }}), Dir: dir}
}

func merged(t *testing.T, dirs ...string) ([]byte, *batch.Folder) {
	t.Helper()
	f, err := batch.OpenFolders(dirs)
	require.NoError(t, err)
	list, err := f.Merge(t.Context(), &batch.Profile{})
	require.NoError(t, err)
	require.Len(t, list, 1)
	return marshalled(t, list[0]), f
}

// TestWorkThatIsDoneIsNotDoneAgain runs shards one after the other, and all once more.
func TestWorkThatIsDoneIsNotDoneAgain(t *testing.T) {
	names := []string{"../../testdata/jdk25-kinds.jfr", "../../testdata/jdk17-kinds.jfr", "../../testdata/jdk25-empty.jfr", "../../testdata/jdk25-ticks.jfr"}
	one := work(t, t.TempDir(), names...)
	require.NoError(t, one.Run(t.Context()))
	want, f := merged(t, one.Dir)
	assert.Zero(t, f.Missing)
	assert.Equal(t, 4, f.Objects)

	dir, opened := t.TempDir(), 0
	shard := func(i int) {
		w := work(t, dir, names...)
		w.Shard, w.Shards = i, 3
		w.Open = func(ctx context.Context, p batch.Part, onError func(error)) (*input.Set, error) {
			opened++
			return new(batch.Store).Open(ctx, p, onError)
		}
		require.NoError(t, w.Run(t.Context()))
	}
	shard(2)
	shard(0)
	_, f = merged(t, dir)
	assert.Equal(t, 1, f.Missing)
	shard(1)
	got, f := merged(t, dir)
	assert.Zero(t, f.Missing)
	assert.Equal(t, want, got)
	assert.Equal(t, 4, opened)
	for i := range 3 {
		shard(i)
	}
	assert.Equal(t, 4, opened)
	both, _ := merged(t, dir, one.Dir)
	assert.Equal(t, want, both)

	files, err := filepath.Glob(filepath.Join(dir, "*.partial"))
	require.NoError(t, err)
	require.NoError(t, os.Truncate(files[0], 100))
	for i := range 3 {
		shard(i)
	}
	assert.Equal(t, 5, opened, "what is no whole result is made again")
	got, _ = merged(t, dir)
	assert.Equal(t, want, got)
}

// TestResultsThatDoNotBelongTogether are refused.
func TestResultsThatDoNotBelongTogether(t *testing.T) {
	const a, b = "../../testdata/jdk25-kinds.jfr", "../../testdata/jdk17-kinds.jfr"
	dir := t.TempDir()
	require.NoError(t, work(t, dir, a, b).Run(t.Context()))
	objects := listed(t, a, b)
	three := listed(t, a, b, "../../testdata/jdk25-empty.jfr")
	both := work(t, dir)
	both.Items = batch.Plan(both.Question, three, batch.PlanOptions{})
	err := both.Run(t.Context())
	require.ErrorIs(t, err, batch.ErrMixed, "at once")
	require.ErrorContains(t, err, "-kinds.jfr is in both; use a folder for each")
	_, before := merged(t, dir)
	assert.Equal(t, 2, before.Objects, "nothing was written")
	more := work(t, dir)
	more.Items = batch.Plan(more.Question, three, batch.PlanOptions{Size: 1, CanDivide: func(batch.Object) bool { return false }})
	require.NoError(t, more.Run(t.Context()), "items of others are the same")
	both.Dir = t.TempDir()
	require.NoError(t, both.Run(t.Context()))
	two := work(t, t.TempDir(), a, b) // all three, one by one, can be the same as all three at once
	require.NoError(t, two.Run(t.Context()))
	f, err := batch.OpenFolders([]string{two.Dir, both.Dir})
	require.NoError(t, err)
	_, err = f.Merge(t.Context(), &batch.Profile{})
	require.ErrorIs(t, err, batch.ErrMixed)

	objects[0].Version = "another"
	dir = t.TempDir()
	require.NoError(t, work(t, dir, a, b).Run(t.Context()))
	newer := work(t, t.TempDir())
	newer.Items = batch.Plan(newer.Question, objects, batch.PlanOptions{Size: 1, CanDivide: func(batch.Object) bool { return false }})
	require.NoError(t, newer.Run(t.Context()))
	f, err = batch.OpenFolders([]string{dir, newer.Dir})
	require.NoError(t, err)
	_, err = f.Merge(t.Context(), &batch.Profile{})
	require.ErrorContains(t, err, "two versions")

	other := work(t, dir, a)
	other.Question = &batch.Profile{Options: profile.Options{Kinds: []string{"cpu"}}}
	require.ErrorIs(t, other.Run(t.Context()), batch.ErrMixed, "at once")
	noted := work(t, dir, a)
	noted.Note = []string{"of another program"}
	require.ErrorIs(t, noted.Run(t.Context()), batch.ErrMixed)
	other.Dir = t.TempDir()
	require.NoError(t, other.Run(t.Context()))
	_, err = batch.OpenFolders([]string{dir, other.Dir})
	require.ErrorIs(t, err, batch.ErrMixed)
	_, err = batch.OpenFolders([]string{t.TempDir()})
	require.ErrorIs(t, err, batch.ErrNothing)
}

// TestDamagedPartialResultsAreRefused cuts one at each byte, and turns each byte; and it cuts answers, which no
// checksum protects by themselves.
func TestDamagedPartialResultsAreRefused(t *testing.T) {
	objects := listed(t, "../../testdata/jdk25-kinds.jfr")
	for _, q := range []batch.Question{questions(t)[2], questions(t)[0]} {
		data := mapped(t, q, batch.Plan(q, objects, batch.PlanOptions{}))[0]
		p, err := batch.Unmarshal(data, q)
		require.NoError(t, err)
		answer := marshalled(t, p.Answer())
		for i := 0; i < len(data); i += longtest.Cases(97, 1) {
			_, err := batch.Unmarshal(data[:i], q)
			require.ErrorIs(t, err, batch.ErrFormat)
			changed := slices.Clone(data)
			changed[i] ^= 1
			_, err = batch.Unmarshal(changed, q)
			require.ErrorIs(t, err, batch.ErrFormat)
		}
		for i := 0; i < len(answer); i += longtest.Cases(97, 1) {
			require.Error(t, batch.UnmarshalAnswer(q, answer[:i]))
		}
	}
}
