package batch_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// BenchmarkMergeRanges merges the ranges of one recording, a chunk each, in three orders.
func BenchmarkMergeRanges(b *testing.B) {
	question := func(text string) batch.Question {
		st, err := query.Parse(text)
		require.NoError(b, err)
		q, err := batch.NewQuery(st, query.Options{}, batch.Selection{})
		require.NoError(b, err)
		return q
	}
	questions := []struct {
		name string
		batch.Question
	}{
		{"cpu", &batch.Profile{Options: profile.Options{Kinds: []string{"cpu"}}}},
		{"alloc", &batch.Profile{Options: profile.Options{Kinds: []string{"alloc"}}}},
		{"all", &batch.Profile{}},
		{"weight", question("select @type, stackTrace.topFrame, sum(@weight.cpu), sum(@weight.alloc), sum(@weight.leak) from jdk.*Sample, profiler.* group by 1, 2")},
		{"join", question("from * during ObjectAllocationSample as a select @type, count(*), sum(a.weight) group by @type")},
		{"jvm", question("select address, count(*) from profiler.Malloc group by address")},
	}
	for _, n := range []int{16, 256, 4096} {
		path := filepath.Join(b.TempDir(), "ranges.jfr")
		require.NoError(b, os.WriteFile(path, profiletest.Mixed(rand.New(rand.NewPCG(1, 1)), n), 0o600))
		objects, err := batch.List([]string{path})
		require.NoError(b, err)
		rec, err := mmapjfr.Open(path)
		require.NoError(b, err)
		items := parts(objects[0], offsets(rec))
		require.NoError(b, rec.Close())
		for _, q := range questions {
			list := mappedBy(b, batch.NewReader(q.Question, nil, nil), items)
			for _, order := range []string{"forward", "reverse", "random"} {
				b.Run(fmt.Sprintf("%s/%d/%s", q.name, n, order), func(b *testing.B) { mergeRanges(b, q.Question, list, order) })
			}
		}
	}
}

func mappedBy(b *testing.B, r *batch.Reader, items []batch.Item) (list [][]byte) {
	for _, item := range items {
		p, err := r.Map(b.Context(), item)
		require.NoError(b, err)
		data, err := p.MarshalBinary()
		require.NoError(b, err)
		list = append(list, data)
	}
	require.NoError(b, r.Close())
	return list
}

func mergeRanges(b *testing.B, q batch.Question, data [][]byte, order string) {
	for range b.N {
		b.StopTimer()
		var list []*batch.Partial
		for _, one := range data {
			p, err := batch.Unmarshal(one, q)
			require.NoError(b, err)
			list = append(list, p)
		}
		switch order {
		case "reverse":
			slices.Reverse(list)
		case "random":
			rand.New(rand.NewPCG(2, 2)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		b.StartTimer()
		for _, p := range list[1:] {
			require.NoError(b, list[0].Merge(p))
		}
	}
}
