package mmapjfr_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// longTexts returns a chunk of n events of 100,000 bytes each.
func longTexts(n int) []byte {
	b := jfrtest.NewChunk()
	e := b.Event("test.Event", jfrtest.Of("text", jfrtest.StringClass))
	for i := range n {
		b.Emit(e, 1_000_000+i, jfrtest.Latin1(strings.Repeat("x", 100_000)))
	}
	return b.Bytes()
}

// TestPassed reads a chunk of 20 MB by cursors and by workers, which say what they have passed, in its order and without
// gaps.
func TestPassed(t *testing.T) {
	data := longTexts(200)
	ways := map[string]func(*mmapjfr.Selection) error{
		"cursor": func(s *mmapjfr.Selection) error {
			for _, err := range s.Events() {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"workers": func(s *mmapjfr.Selection) error {
			return engine.SelectionWithWorkers(s, 3).Parallel(t.Context(), func(int, mmapjfr.Event) error { return nil })
		},
		"batches": func(s *mmapjfr.Selection) error {
			return engine.SelectionBatches(engine.SelectionWithWorkers(s, 2), t.Context(), func(int, *mmapjfr.Batch) error { return nil })
		},
	}
	for name, read := range ways {
		t.Run(name, func(t *testing.T) {
			rec := opentest.Bytes(t, data)
			var mu sync.Mutex
			at, times := uint64(0), 0
			engine.RecordingIndex(rec).SetPassed(func(from, to uint64) {
				mu.Lock()
				defer mu.Unlock()
				if times++; from > 0 { // workers say at the end that all has been passed
					assert.Equal(t, at, from)
				}
				at = to
			})
			require.NoError(t, read(rec.Select()))
			assert.Equal(t, rec.Size(), int64(at))
			assert.Greater(t, times, len(data)/index.PassedBytes)
		})
	}
}
