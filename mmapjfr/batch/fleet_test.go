package batch_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

var fleetSize = flag.Int("fleet", 0, "the number of recordings of the fleet, at least")

// TestFleet divides recordings of many kinds among machines in several ways: real ones, made up ones, faulty ones, and
// real ones of which some bytes are others.
func TestFleet(t *testing.T) {
	dir, n := t.TempDir(), max(longtest.Cases(12, 120), *fleetSize)
	var whole [][]byte
	for _, path := range longtest.Recordings(t) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		whole = append(whole, data)
	}
	programs := jfrtest.Programs(n, 7)
	for i := range n {
		data := whole[i/4%len(whole)]
		switch i % 4 {
		case 1:
			data = jfrtest.Generate(programs[i])
		case 2:
			data = jfrtest.GenerateFaulty(programs[i])
		case 3:
			data = slices.Clone(data)
			for j := i * 7; j < len(data); j += 5000 + i {
				data[j] ^= byte(1 + i%255)
			}
		}
		path := filepath.Join(dir, fmt.Sprint("day=", i%3), fmt.Sprint(i, ".jfr"))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, data, 0o600))
	}
	objects := listed(t, dir)
	require.Len(t, objects, n)
	for i, q := range questions(t) {
		if !longtest.Every(i, 4) {
			continue
		}
		want := fleet(t, q, objects, batch.PlanOptions{}, 1)
		assert.Equal(t, want, fleet(t, q, objects, batch.PlanOptions{Size: 100_000}, 7), q.Text())
		byDay := batch.PlanOptions{Size: 1 << 20, By: []string{"day"}}
		assert.Equal(t, fleet(t, q, objects, byDay, 3), fleet(t, q, objects, byDay, 2), q.Text())
	}
}

// fleet returns what a number of machines find: answers and damage for each key.
func fleet(t *testing.T, q batch.Question, objects []batch.Object, o batch.PlanOptions, machines int) (list []string) {
	t.Helper()
	dir := t.TempDir()
	for shard := range machines {
		w := &batch.Work{Question: q, Items: batch.Plan(q, objects, o), Shard: machines - 1 - shard, Shards: machines, Dir: dir, Workers: 2}
		require.NoError(t, w.Run(t.Context()))
	}
	f, err := batch.OpenFolders([]string{dir})
	require.NoError(t, err)
	assert.Zero(t, f.Missing)
	sums, err := f.Merge(t.Context(), q)
	require.NoError(t, err)
	assert.Equal(t, len(objects), f.Objects)
	for _, p := range sums {
		list = append(list, fmt.Sprint(batch.KeyText(p.Key), p.Start, p.End, p.Zone), string(marshalled(t, p.Answer())), fmt.Sprint(p.Damage()))
	}
	return list
}
