package repository_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// recorder makes chunks as a virtual machine does, from a clock that is set back now and
// then.
type recorder struct {
	t    *testing.T
	dir  string
	r    *rand.Rand
	made []string // all, in order
}

// chunks makes n chunks one after the other. Of one it makes the file first and the
// header later. Names do not tell the order. keep is how many are kept.
func (rec *recorder) chunks(n, keep int) {
	clock := int64(1_000_000)
	for i := range n {
		clock += rec.r.Int64N(10) // 0 makes equal starts
		if i%20 == 0 {
			clock -= 100
		}
		name := fmt.Sprintf("%08x_%d.jfr", rec.r.Uint32(), i)
		path := filepath.Join(rec.dir, name)
		data := chunk{start: clock, ticks: int64(i)}.bytes()
		f, err := os.Create(path)
		assert.NoError(rec.t, err)
		for _, part := range [][]byte{data[:30], data[30:67], data[67:]} {
			_, err = f.Write(part)
			assert.NoError(rec.t, err)
		}
		assert.NoError(rec.t, f.Close())
		rec.made = append(rec.made, name)
		if old := i - keep; old >= 0 {
			assert.NoError(rec.t, os.Remove(filepath.Join(rec.dir, rec.made[old])))
		}
		if rec.r.IntN(4) == 0 {
			time.Sleep(time.Duration(rec.r.IntN(1000)) * time.Microsecond)
		}
	}
}

// TestFollow follows while chunks are made: each is found once, in the order in which
// they were made, whatever their names and headers say.
func TestFollow(t *testing.T) {
	for _, name := range []string{"chunks", jvm} {
		dir := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.Mkdir(dir, 0o777))
		got, rec := follow(t, dir, longtest.Cases(200, 1000), 1000)
		if name == jvm {
			assert.Equal(t, rec.made, got)
		} else {
			// The headers of those that are found at once do not tell.
			assert.ElementsMatch(t, rec.made, got)
		}
	}
}

// TestFollowWhatVanishes follows while old chunks are removed.
func TestFollowWhatVanishes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), jvm)
	require.NoError(t, os.Mkdir(dir, 0o777))
	got, rec := follow(t, dir, longtest.Cases(200, 1000), 3)
	i := 0
	for _, name := range got {
		for i < len(rec.made) && rec.made[i] != name {
			i++
		}
		require.Less(t, i, len(rec.made), "%s is twice, or not in order", name)
		i++
	}
	require.GreaterOrEqual(t, len(got), 3)
	assert.Equal(t, rec.made[len(rec.made)-3:], got[len(got)-3:])
}

func follow(t *testing.T, dir string, n, keep int) ([]string, *recorder) {
	t.Helper()
	rec := &recorder{t: t, dir: dir, r: rand.New(rand.NewPCG(1, 2))}
	r := repository.Open(dir)
	w := repository.NewWatch(dir)
	defer w.Close()
	f := follower{r: r}
	var wg sync.WaitGroup
	ended := make(chan struct{})
	wg.Go(func() {
		defer close(ended)
		rec.chunks(n, keep)
	})
	var got []string
	for last := false; ; {
		scan(t, r)
		got = append(got, f.next()...)
		if last {
			wg.Wait()
			return got, rec
		}
		select {
		case <-ended:
			last = true
		default:
			require.NoError(t, w.Wait(t.Context(), time.Second))
		}
	}
}

// TestRenamed has another program move chunks in, and away.
func TestRenamed(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.tmp"), chunk{start: 5})
	r := repository.Open(dir)
	f := follower{r: r}
	scan(t, r)
	assert.Empty(t, f.next())
	require.NoError(t, os.Rename(filepath.Join(dir, "a.tmp"), filepath.Join(dir, "a.jfr")))
	scan(t, r)
	assert.Equal(t, []string{"a.jfr"}, f.next())
	require.NoError(t, os.Rename(filepath.Join(dir, "a.jfr"), filepath.Join(dir, "b.jfr")))
	scan(t, r)
	assert.Equal(t, []string{"b.jfr"}, names(r))
}
