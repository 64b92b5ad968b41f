package tui_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/tui"
	"github.com/mmapjfr/jfr/internal/jsonout"
)

// ending returns a source that has ended.
func ending() *source {
	s := shop()
	s.change(func(s *jvmstats.Snapshot) { s.State = jvmstats.Ended })
	return s
}

func plainly(t *testing.T, s tui.Source, o tui.PlainOptions) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, tui.Plain(t.Context(), s, &out, o))
	return out.String()
}

func TestPlainLine(t *testing.T) {
	const titles = "Time\tJVM\tMachine\tHeap\tCommitted\tGC pauses\tGC time\tAllocation\tThreads\tThrown/s\tEvents/s\tState\n"
	assert.Equal(t, titles+"2026-11-21T12:00:10Z\t0.372\t0.52\t327155712\t1073741824\t4321\t40000000000\t1.32121e+08\t42\t3.1\t1782.4\tended\n",
		plainly(t, ending(), tui.PlainOptions{}))
	nothing := &source{snap: jvmstats.Snapshot{State: jvmstats.Lost, Why: "gone"}}
	assert.Equal(t, titles+strings.Repeat("\t", 10)+"0\tlost\n", plainly(t, nothing, tui.PlainOptions{}))
}

// TestPlainForPeople has lines that stand below each other though each is written alone.
func TestPlainForPeople(t *testing.T) {
	s := shop()
	var out strings.Builder
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	written := 0
	err := tui.Plain(ctx, s, writer(func(p []byte) (int, error) {
		written++
		s.change(func(s *jvmstats.Snapshot) {
			if s.Heap.Used *= 9; written == 3 {
				s.State = jvmstats.Ended
			}
		})
		return out.Write(p)
	}), tui.PlainOptions{Every: time.Millisecond, Style: terminal.Style{Aligned: true}})
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.Len(t, lines, 5, "titles, and four states")
	for _, line := range lines {
		assert.Len(t, []rune(line), len([]rune(lines[0])))
	}
	assert.Contains(t, lines[1], " 312.0 MB ")
	assert.Contains(t, lines[2], " 2.7 GB ")
	assert.True(t, strings.HasSuffix(lines[4], "ended"))
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func TestOnce(t *testing.T) {
	golden(t, "once", plainly(t, ending(), tui.PlainOptions{Once: true}))
	wide := plainly(t, ending(), tui.PlainOptions{Once: true, Style: terminal.Style{Width: 150}})
	assert.Contains(t, wide, "com.example.shop.catalogue.assortment.seasonal.ArticleDescriptionTranslation.translate")
	young := ending()
	young.snap.Start = jsonout.At(young.snap.Time.Add(-4900 * time.Millisecond))
	text := plainly(t, young, tui.PlainOptions{Once: true})
	assert.NotContains(t, text, "in a minute")
	assert.Equal(t, 7, strings.Count(text, " in 5 s"), text)
}

func TestJSON(t *testing.T) {
	once := plainly(t, ending(), tui.PlainOptions{Once: true, JSON: true})
	assert.True(t, strings.HasPrefix(once, "{\n  \"time\": \"2026-11-21T12:00:10.000000000Z\",\n"), once[:60])
	line := plainly(t, ending(), tui.PlainOptions{JSON: true})
	assert.Equal(t, 1, strings.Count(line, "\n"))
	assert.JSONEq(t, once, line)
	var doc struct {
		State string
		GC    struct{ LastNanos, SumNanos int64 }
		Heap  struct{ Used int64 }
		Types []struct{ Name string }
		Locks []struct{ WaitNanos int64 }
	}
	require.NoError(t, json.Unmarshal([]byte(once), &doc))
	assert.Equal(t, "ended", doc.State)
	assert.EqualValues(t, 4_120_000, doc.GC.LastNanos)
	assert.EqualValues(t, 312<<20, doc.Heap.Used)
	assert.Equal(t, int64(38_900_000_000), doc.Locks[0].WaitNanos)
	assert.Len(t, doc.Types, 13)
	nothing := &source{snap: jvmstats.Snapshot{State: jvmstats.Ended}}
	assert.JSONEq(t, `{"state": "ended", "quietNanos": 0, "events": {"count": 0, "perSecond": 0}, "types": null}`,
		plainly(t, nothing, tui.PlainOptions{JSON: true}))
}

// TestOnceWaits has nothing to tell at first.
func TestOnceWaits(t *testing.T) {
	s := &source{snap: jvmstats.Snapshot{State: jvmstats.Waiting}}
	go func() {
		time.Sleep(50 * time.Millisecond)
		s.change(func(s *jvmstats.Snapshot) { *s = shopSnapshot() })
	}()
	out := plainly(t, s, tui.PlainOptions{Once: true, JSON: true, Every: time.Millisecond})
	assert.Contains(t, out, `"state": "live"`)
}

func TestPlainEnds(t *testing.T) {
	for _, s := range []*source{shop(), {snap: jvmstats.Snapshot{State: jvmstats.Waiting}}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		cancel(enough)
		assert.ErrorIs(t, tui.Plain(ctx, s, new(strings.Builder), tui.PlainOptions{}), enough)
	}
	full := errors.New("disk full")
	fails := writer(func([]byte) (int, error) { return 0, full })
	for _, o := range []tui.PlainOptions{{}, {Once: true}, {JSON: true}, {Once: true, JSON: true}} {
		assert.ErrorIs(t, tui.Plain(t.Context(), ending(), fails, o), full)
	}
}

// asked is a source that counts how often it has been asked.
type asked struct {
	*source
	answer func(n int) // called before the answer
	n      int
}

func (s *asked) Snapshot() jvmstats.Snapshot {
	s.n++
	s.answer(s.n)
	return s.source.Snapshot()
}

// TestPlainRepeatsNoState has late flushes, and a long time without a flush, which is reported once.
func TestPlainRepeatsNoState(t *testing.T) {
	s := &asked{source: shop()}
	s.snap.Events.PerSecond = 1
	s.answer = func(n int) {
		switch n {
		case 5:
			s.change(func(s *jvmstats.Snapshot) { s.Events.PerSecond = 2 })
		case 10: // no flush
			s.snap.Quiet = 6 * time.Second
		case 15:
			s.change(func(s *jvmstats.Snapshot) { s.Events.PerSecond, s.Quiet = 3, 0 })
		case 20:
			s.change(func(s *jvmstats.Snapshot) { s.State = jvmstats.Ended })
		}
	}
	var rows []string
	for _, row := range strings.Split(strings.TrimSpace(plainly(t, s, tui.PlainOptions{Every: time.Nanosecond})), "\n")[1:] {
		cells := strings.Split(row, "\t")
		rows = append(rows, strings.Join(cells[10:], " "))
	}
	assert.Equal(t, []string{"1 live", "2 live", "2 silent", "3 live", "3 ended"}, rows)
}
