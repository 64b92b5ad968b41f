package mmapjfr_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestAnEventOutlivesItsFile: an event that an iteration stands at can be read after the file
// has been cut, and so can numbers that were asked for before. What is read from the map
// cannot: texts by views, and events that are detached or that the iteration has left.
func TestAnEventOutlivesItsFile(t *testing.T) {
	const many, at = 5000, 1500
	b := jfrtest.NewChunk()
	b.MetadataFirst = true
	ty := b.Event("E", jfrtest.Of("n", "int"), jfrtest.Of("text", jfrtest.StringClass))
	for i := range many {
		b.Emit(ty, start+i, i, "some text")
	}
	data := b.Bytes()
	n, text := mmapjfr.Path("n"), mmapjfr.Path("text")
	iterations := map[string]func(rec *mmapjfr.Recording, look func(mmapjfr.Event)) (errs []error){
		"in turn": func(rec *mmapjfr.Recording, look func(mmapjfr.Event)) (errs []error) {
			for ev, err := range rec.Events() {
				if err != nil {
					errs = append(errs, err)
					continue
				}
				look(ev)
			}
			return errs
		},
		"parallel": func(rec *mmapjfr.Recording, look func(mmapjfr.Event)) []error {
			return []error{rec.Select().Parallel(context.Background(), func(_ int, ev mmapjfr.Event) error {
				look(ev)
				return nil
			})}
		},
	}
	for name, iterate := range iterations {
		t.Run(name, func(t *testing.T) {
			crash(t, func(t *testing.T) {
				file := placed(t, data)
				rec := opentest.File(t, file, mmapjfr.Workers(1))
				seen := 0
				var number mmapjfr.Value
				errs := iterate(rec, func(ev mmapjfr.Event) {
					if seen++; seen != at+1 {
						return
					}
					v, str, detached := ev.Get(n), ev.Get(text), ev.Detached()
					require.NoError(t, os.Truncate(file, 4096))
					for range 2 {
						assert.Equal(t, int64(at), ev.Int(n))
						assert.Equal(t, int64(at), ev.Get(n).Int())
						assert.Equal(t, int64(at), v.Int())
						assert.InDelta(t, at, v.Float(), 0)
						assert.Equal(t, int64(start+at), engine.EventStartTicks(ev))
						assert.Equal(t, "some text", ev.Str(text))
						assert.Positive(t, ev.Size())
						// Once more when it is known what has happened.
						assert.Zero(t, detached.Int(n))
						assert.Empty(t, str.Str())
						assert.Empty(t, ev.StrView(text))
						require.ErrorIs(t, rec.FileErr(), mmapjfr.ErrTruncated)
					}
					number = v
				})
				require.NotEmpty(t, errs)
				for _, err := range errs {
					require.ErrorIs(t, err, mmapjfr.ErrTruncated)
				}
				assert.Less(t, seen, many)
				assert.Equal(t, int64(at), number.Int(), "also when the iteration has ended")
			})
		})
	}
}
