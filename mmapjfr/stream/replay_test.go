package stream_test

import (
	"context"
	"maps"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// TestReplays follows what was seen of repositories of virtual machines, as it comes again,
// and compares what is delivered with what the JDK counts in the files.
func TestReplays(t *testing.T) {
	for _, scenario := range jvmtest.Scenarios(t) {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			r := jvmtest.NewReplay(t, scenario)
			s, err := stream.OpenRepository(r.Dir)
			require.NoError(t, err)
			require.NoError(t, s.SetStartTime(time.Unix(0, 0)))
			got := map[string]uint64{}
			var errs []error
			s.OnEvent(func(ev mmapjfr.Event) error { got[ev.Type().Name()]++; return nil })
			s.OnError(func(err error) { errs = append(errs, err) })
			require.NoError(t, s.StartAsync(t.Context()))
			var all sync.WaitGroup
			all.Go(func() { assert.NoError(t, r.Run(context.Background(), 5)) })
			require.NoError(t, s.AwaitTermination(2*time.Minute))
			all.Wait()

			want, without := expectedOf(r)
			if !maps.Equal(without, got) {
				assert.Equal(t, want, got)
			}
			if killed := strings.HasSuffix(scenario, "killed") || strings.HasSuffix(scenario, "unflushed"); killed {
				require.Len(t, errs, 1, "%v", errs)
				assert.ErrorIs(t, errs[0], stream.ErrKilled)
			} else {
				assert.Empty(t, errs)
			}
		})
	}
}

// expectedOf returns how many events of each type the first machine of a scenario flushed:
// in all of its chunks, and without the last one where that was removed, which machines do
// some milliseconds after they have written it.
func expectedOf(r *jvmtest.Replay) (all, without map[string]uint64) {
	all = map[string]uint64{}
	jvm := path.Dir(r.Expected.Files[0].Name)
	for _, f := range r.Expected.Files {
		if path.Dir(f.Name) != jvm {
			continue
		}
		without = all
		if f.Removed {
			without = maps.Clone(all)
		}
		for name, n := range f.Events {
			all[name] += n
		}
	}
	return all, without
}
