package stream_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// TestDamagedConstants tells once for each chunk that constants could not be read, if any
// have been asked for, and delivers the events.
func TestDamagedConstants(t *testing.T) {
	var chunks []*jfrtest.Builder
	for number := range 2 {
		b := jfrtest.NewChunk()
		b.Class("test.Name", jfrtest.Of("name", "java.lang.String"))
		ev := b.Event("test.Named", jfrtest.Const("name", "test.Name"))
		for range 3 {
			b.Emit(ev, b.Header.StartTicks, int64(1))
			b.Metadata(&jfrtest.Metadata{ID: int64(number + 1)})
			b.Checkpoint(jfrtest.MaskFlush).PoolID(4711)
		}
		chunks = append(chunks, b)
	}
	data := concat(chunks...)
	path := mmapjfr.Path("name.name")
	for from, open := range map[string]func() *stream.Stream{
		"file":   func() *stream.Stream { return openFile(t, written(t, data)) },
		"reader": func() *stream.Stream { return stream.OpenReader(bytes.NewReader(data)) },
	} {
		for asked, handle := range map[string]func(mmapjfr.Event) error{
			"asked":     func(ev mmapjfr.Event) error { _ = ev.Str(path); return nil },
			"not asked": func(mmapjfr.Event) error { return nil },
		} {
			t.Run(from+", "+asked, func(t *testing.T) {
				s := open()
				events := 0
				s.OnEvent(func(ev mmapjfr.Event) error { events++; return handle(ev) })
				var errs []error
				s.OnError(func(err error) { errs = append(errs, err) })
				require.NoError(t, s.Start(context.Background()))
				assert.Equal(t, 6, events)
				if asked == "not asked" {
					assert.Empty(t, errs)
					return
				}
				require.Len(t, errs, 2, "%v", errs)
				for _, err := range errs {
					assert.ErrorIs(t, err, mmapjfr.ErrCorrupt)
					assert.ErrorContains(t, err, "type 4711 is not described")
				}
			})
		}
	}
}
