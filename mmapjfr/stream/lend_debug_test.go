//go:build jfrdebug

package stream_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// TestEventsAreOverWhenTheirHandlerReturns: unless the stream keeps them. The file is a
// finished one; what is in a reader is a chunk that grows.
func TestEventsAreOverWhenTheirHandlerReturns(t *testing.T) {
	data := concat(chunk(0, []int{1, 2}, []int{3}), chunk(1, []int{4}))
	path := written(t, data)
	for name, open := range map[string]func() *stream.Stream{
		"file":   func() *stream.Stream { return openFile(t, path) },
		"reader": func() *stream.Stream { return stream.OpenReader(io.NopCloser(bytes.NewReader(data))) },
	} {
		for _, reuse := range []bool{true, false} {
			s := open()
			require.NoError(t, s.SetReuse(reuse))
			var kept []mmapjfr.Event
			s.OnError(func(err error) { assert.NoError(t, err) })
			s.OnEvent(func(ev mmapjfr.Event) error {
				for _, before := range kept {
					if reuse {
						assert.Panics(t, func() { before.Int(fieldN) }, name)
					} else {
						assert.Positive(t, before.Int(fieldN), name)
					}
				}
				assert.Positive(t, ev.Int(fieldN))
				kept = append(kept, ev)
				return nil
			})
			require.NoError(t, s.Start(t.Context()))
			assert.Len(t, kept, 4)
		}
	}
}

// TestEventsAreOverBehindTheLoop is the same for loops.
func TestEventsAreOverBehindTheLoop(t *testing.T) {
	s := openFile(t, written(t, concat(chunk(0, []int{1, 2, 3}))))
	var last mmapjfr.Event
	for ev, err := range s.Events(t.Context()) {
		require.NoError(t, err)
		if !last.IsZero() {
			require.PanicsWithValue(t, "mmapjfr: Event.Int is called on an event that was kept after the function that got it returned; use Event.Detached",
				func() { last.Int(fieldN) })
		}
		last = ev
	}
	assert.False(t, last.IsZero())
}
