package stream_test

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// replay is a stream of what was seen of a repository.
type replay struct {
	*jvmtest.Replay
	stream *stream.Stream
	counts map[string]uint64
	errs   []error
	end    error
}

func newReplay(t *testing.T, scenario string) *replay {
	r := &replay{Replay: jvmtest.NewReplay(t, scenario), counts: map[string]uint64{}}
	s, err := stream.OpenRepository(r.Dir)
	require.NoError(t, err)
	require.NoError(t, s.SetStartTime(time.Unix(0, 0)))
	s.OnEvent(func(ev mmapjfr.Event) error { r.counts[ev.Type().Name()]++; return nil })
	s.OnError(func(err error) { r.errs = append(r.errs, err) })
	r.stream = s
	return r
}

// TestReplays follows what was seen of repositories of virtual machines, as it comes again,
// and compares what is delivered with what the JDK counts in the files. All come at once:
// they mostly wait.
func TestReplays(t *testing.T) {
	longtest.Long(t, "it takes as long as the virtual machines took")
	replays := map[string]*replay{}
	var all sync.WaitGroup
	for _, scenario := range jvmtest.Scenarios(t) {
		r := newReplay(t, scenario)
		replays[scenario] = r
		require.NoError(t, r.stream.StartAsync(t.Context()))
		all.Go(func() {
			r.end = errors.Join(r.Run(context.Background(), 1), r.stream.AwaitTermination(time.Minute))
		})
	}
	all.Wait()
	for scenario, r := range replays {
		t.Run(scenario, func(t *testing.T) {
			require.NoError(t, r.end)
			want, without := expectedOf(r.Replay)
			if !maps.Equal(without, r.counts) {
				assert.Equal(t, want, r.counts)
			} else if !maps.Equal(without, want) { // the last chunk was there for some milliseconds
				if i := slices.IndexFunc(r.errs, func(err error) bool { return errors.Is(err, stream.ErrChunkRemoved) }); i >= 0 {
					r.errs = slices.Delete(r.errs, i, i+1)
				}
			}
			if killed := strings.HasSuffix(scenario, "killed") || strings.HasSuffix(scenario, "unflushed"); killed {
				require.Len(t, r.errs, 1, "%v", r.errs)
				assert.ErrorIs(t, r.errs[0], stream.ErrKilled)
			} else {
				assert.Empty(t, r.errs)
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
