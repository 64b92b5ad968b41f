package batch_test

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/s3test"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestWhatRangesFetch lets three machines read a large object in ranges, and counts the bytes that the server sends. A
// range fetches its own chunks, and no byte twice; a statement besides the metadata of all of them. What depends on other chunks is
// read by one machine, which fetches the object once.
func TestWhatRangesFetch(t *testing.T) {
	const copies = 6
	one, err := os.ReadFile("../../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	large := bytes.Repeat(one, copies)
	for i := range copies { // chunks that look like others are fetched to be compared
		large[i*len(one)+39] = byte(i)
	}
	s := s3test.Start(t, map[string][]byte{"large.jfr": large})
	objects, err := store(t).List(t.Context(), []string{s3test.URL})
	require.NoError(t, err)
	const (
		slack    = 250_000 // beginnings and headers, in blocks of 64 KiB
		metadata = 200_000 // the same for metadata of a chunk
	)
	size := len(one)
	for _, c := range []struct {
		q         batch.Question
		divided   bool
		item, all int // bytes that an item fetches, and all items by three machines
	}{
		{statement(t, "select count(*), max(duration) from jdk.* group by eventType.name", query.Options{}), true, size + slack + copies*metadata, copies*size + 3*(slack+copies*metadata)},
		{statement(t, "select count(*), sum(@weight) from JavaMonitorEnter, ThreadPark, jdk.File*", query.Options{}), true, size + slack + copies*metadata, copies*size + 3*(slack+copies*metadata)},
		{&batch.Profile{Options: profile.Options{Kinds: []string{"lock", "io"}}}, true, size + slack + copies<<16, copies*size + 3*(slack+copies<<16)},
		{&batch.Profile{}, false, copies*size + slack, copies*size + slack},
		{statement(t, "select @type, count(*), max(g.duration) from * during GarbageCollection as g group by @type", query.Options{}), false, copies*size + slack, copies*size + slack},
	} {
		items := batch.Plan(c.q, objects, batch.PlanOptions{Size: int64(size), CanDivide: store(t).CanDivide})
		assert.Equal(t, c.divided, len(items) == copies, c.q.Text())
		s.Seen()
		for _, err := range batch.Map(t.Context(), c.q, nil, items[len(items)/2:][:1], store(t).Open) {
			require.NoError(t, err)
		}
		_, fetched := s.Seen()
		assert.Less(t, fetched, int64(c.item), "an item: %s", c.q.Text())
		got := machines{store: store(t), question: c.q, objects: objects, plan: batch.PlanOptions{Size: int64(size)}, n: 3}.answer(t, "")
		_, fetched = s.Seen()
		assert.Less(t, fetched, int64(c.all), "all items: %s", c.q.Text())
		assert.True(t, slices.Equal(machines{store: store(t), question: c.q, objects: objects, n: 1}.answer(t, ""), got), c.q.Text())
		t.Log(c.q.Text(), fetched)
	}
}
