package mmapjfr_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestCursorAt stands cursors before events all over a chunk and compares what they
// come to with what follows these events in a walk from the beginning.
func TestCursorAt(t *testing.T) {
	rec := openFile(t, "jdk25-chunks.jfr")
	start := rec.Start()
	for name, filters := range map[string][]mmapjfr.Filter{
		"all":      nil,
		"types":    {mmapjfr.Types("*Tick*", "*First*", "jdk.*")},
		"time":     {mmapjfr.Between(start, start.Add(rec.End().Sub(start)/2))},
		"threads":  {mmapjfr.Threads("main", "lasting")},
		"combined": {mmapjfr.Types("gen.*"), mmapjfr.Between(start.Add(time.Millisecond), time.Time{})},
	} {
		for round := range 2 { // the second time there are blocks
			var walked []mmapjfr.Event
			cur := rec.Select(filters...).Cursor()
			type stop struct{ at, from int }
			var stops []stop
			chunk := -1
			for cur.Next() {
				ev := cur.Event().Detached()
				if n := ev.Chunk().Number(); n != chunk {
					chunk = n
					stops = append(stops, stop{len(walked), len(walked)})
				}
				walked = append(walked, ev)
			}
			require.NoError(t, cur.Err())
			require.NotEmpty(t, walked, name)
			for i, s := range stops {
				// A cursor that stands in the middle of each chunk, and one at its end.
				end := len(walked)
				if i+1 < len(stops) {
					end = stops[i+1].at
				}
				cur := rec.Select(filters...).Cursor()
				for cur.Next() && cur.Event().Offset() != walked[end-1].Offset() {
				}
				for at := s.at; at < end; at += 1 + (end-s.at)/7 {
					other := engine.CursorCloneAt(cur, walked[at])
					for _, want := range walked[at:] {
						require.True(t, other.Next(), "%s %d", name, round)
						require.Equal(t, want.Offset(), other.Event().Offset(), "%s %d", name, round)
						assert.Equal(t, want.Ordinal(), other.Event().Ordinal())
					}
					assert.False(t, other.Next())
					assert.NoError(t, other.Err())
				}
				// It goes on as if there had been no others.
				for _, want := range walked[end:] {
					require.True(t, cur.Next())
					require.Equal(t, want.Offset(), cur.Event().Offset())
				}
				assert.False(t, cur.Next())
			}
		}
	}
}

// TestCursorAtOfAnEndedCursor goes back to events of a chunk when all of it has been
// read.
func TestCursorAtOfAnEndedCursor(t *testing.T) {
	rec := openFile(t, "jdk25-chunks.jfr")
	for _, c := range rec.Chunks() {
		cur := c.Select().Cursor()
		var walked []mmapjfr.Event
		for cur.Next() {
			walked = append(walked, cur.Event().Detached())
		}
		require.NoError(t, cur.Err())
		for i := range walked {
			other := engine.CursorCloneAt(cur, walked[i])
			for _, want := range walked[i:] {
				require.True(t, other.Next())
				require.Equal(t, want.Offset(), other.Event().Offset())
			}
			require.False(t, other.Next())
			require.NoError(t, other.Err())
		}
	}
}
