package query_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// rowsOf returns the rows of a statement in their order, with bars between values.
func rowsOf(t *testing.T, statement string, recs ...*mmapjfr.Recording) (rows []string) {
	t.Helper()
	for row, err := range run(t, statement, recs...).Result().Rows {
		require.NoError(t, err)
		var cells []string
		for _, v := range row {
			text := v.String()
			if v.IsNull() {
				text = "-"
			}
			cells = append(cells, text)
		}
		rows = append(rows, strings.Join(cells, " | "))
	}
	return rows
}

// TestElements of arrays have values in every clause. Those beyond the end are null.
func TestElements(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.Point", jfrtest.Of("x", "int"), jfrtest.Of("tag", jfrtest.StringClass), jfrtest.Of("way", "int").Array())
	event := b.Event("test.E", jfrtest.Of("tags", jfrtest.StringClass).Array(), jfrtest.Of("nums", "int").Array(),
		jfrtest.Of("waits", "long").Array().With(jfrtest.Note("jdk.jfr.Timespan", "MILLISECONDS")),
		jfrtest.Of("points", "test.Point").Array())
	point := func(x int, tag string) jfrtest.Inline { return jfrtest.Inline{x, tag, []any{1, 2}} }
	b.Emit(event, int64(0), []any{"b", "z"}, []any{2, -1}, []any{int64(5)}, []any{point(1, "p"), point(2, "q")})
	b.Emit(event, int64(1), []any{"a"}, []any{10}, []any{int64(7), int64(8)}, []any{point(3, "r")})
	b.Emit(event, int64(2), []any{"b"}, []any{}, []any{}, []any{})
	data, _ := b.Build()
	rec := opentest.Bytes(t, data)
	for statement, want := range map[string]string{
		"select tags[0], tags[1], nums[0], waits[1], points[1].x, points[0].tag from E":    "b | z | 2 | - | 2 | p; a | - | 10 | 8ms | - | r; b | - | - | - | - | -",
		"select tags[1] from E where tags[0] = 'b' and nums[1] < 0":                        "z",
		"select tags[0] as tag, count(*), sum(nums[0]), max(waits[0]) from E group by tag": "a | 1 | 10 | 7ms; b | 2 | 2 | 5ms",
		"select tags[0] from E order by nums[0] desc":                                      "a; b; b",
		"select nums[0] + nums[1], coalesce(tags[1], 'none') from E limit 2":               "1 | z; - | none",
		"select points from E limit 1":                                                     "{x=1, tag=p}, {x=2, tag=q}",
		"select E.tags[0], n.tags[0] from E asof E as n":                                   "b | -; a | b; b | a",
	} {
		assert.Equal(t, want, strings.Join(rowsOf(t, statement, rec), "; "), statement)
	}
	var names []string
	for _, c := range run(t, "select * from E", rec).Result().Columns {
		names = append(names, c.Name)
	}
	assert.Equal(t, []string{"startTime", "tags", "nums", "waits", "points"}, names)
}

// TestFramesAsElements compares the fields of frames with the stack traces that they are of.
func TestFramesAsElements(t *testing.T) {
	rec := open(t, "jdk25-profile")
	const statement = "select stackTrace, @top, stackTrace.top, stackTrace.frames[0], A.stackTrace.frames[1], @top.line from ExecutionSample as A where @top ~ '\\\\w'"
	n := 0
	for row, err := range run(t, statement, rec).Result().Rows {
		require.NoError(t, err)
		frames := row[0].Elements()
		for _, v := range row[1:4] {
			assert.Equal(t, fmt.Sprint(frames[0].Text(), frames[0].Line()), fmt.Sprint(v.Text(), v.Line()))
		}
		if len(frames) > 1 {
			assert.Equal(t, frames[1].Text(), row[4].Text())
		}
		assert.EqualValues(t, frames[0].Line(), row[5].Int())
		n++
	}
	assert.NotZero(t, n)
	assert.Equal(t, rowsOf(t, "select stackTrace.topFrame as f, count(*) from ExecutionSample group by f order by 2, 1", rec),
		rowsOf(t, "select stackTrace.frames[0].method as f, count(*) from ExecutionSample group by f order by 2, 1", rec))
}

// TestFarTimes are beyond the nanoseconds that 64 bits hold: they are what they are in all clauses.
func TestFarTimes(t *testing.T) {
	times := []time.Time{
		time.Date(1, 1, 1, 0, 0, 0, 1e6, time.UTC), time.Date(1600, 1, 2, 3, 4, 5, 6e6, time.UTC),
		time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2261, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(2262, 4, 11, 23, 47, 16, 854e6, time.UTC),
		time.Date(2262, 4, 12, 0, 0, 0, 0, time.UTC), time.Date(2390, 6, 1, 0, 0, 0, 0, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC), time.UnixMilli(math.MaxInt64).UTC(),
	}
	b := jfrtest.NewChunk()
	event := b.Event("test.E", jfrtest.Of("at", "long").With(jfrtest.Note("jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH")))
	for i := range times {
		b.Emit(event, int64(i), times[(7*i+3)%len(times)].UnixMilli())
	}
	data, _ := b.Build()
	rec := opentest.Bytes(t, data)
	for _, statement := range []string{"select at from E order by at", "select at, count(*) from E group by at order by at",
		"select min(at) from E group by startTime order by 1", "select last(at) from E group by startTime order by 1"} {
		var got []time.Time
		for row, err := range run(t, statement, rec).Result().Rows {
			require.NoError(t, err)
			got = append(got, row[0].Time())
		}
		assert.Equal(t, times, got, statement)
	}
	const layout = "2006-01-02T15:04:05.000000000Z"
	assert.Equal(t, []string{times[0].Format(layout) + " | " + times[9].Format(layout)}, rowsOf(t, "select min(at), max(at) from E", rec))
	assert.Equal(t, []string{"2"}, rowsOf(t, "select count(*) from E where at > '2300-01-01T00:00:00Z' and at < '9999-12-31T23:59:59.9999Z'", rec))
	assert.Equal(t, []string{"2390-06-01T01:00:00.000000000Z | 2390-05-29T00:00:00.000000000Z | 12h0m0s"},
		rowsOf(t, "select at + 1h, bucket(at, 5d), (at + 6h) - (at - 6h) from E where at > '2300-01-01T00:00:00Z' and at < '9000-01-01T00:00:00Z'", rec))
}

// TestFieldsAloneAreNoted says that a field beside an aggregate is the last of many. The JDK's views mean it so.
func TestFieldsAloneAreNoted(t *testing.T) {
	rec := open(t, "jdk25-profile")
	const note = "state is neither grouped nor in an aggregate, so it is the last value of each row's events; write last(state), or add it to GROUP BY"
	for statement, want := range map[string][]string{
		"select state, count(*) from ExecutionSample":                      {note},
		"select count(*) from ExecutionSample order by state":              {note},
		"select state, count(*) from ExecutionSample group by state":       nil,
		"select last(state), count(*) from ExecutionSample":                nil,
		"select state as s, count(*) from ExecutionSample group by s":      nil,
		"select state, sampledThread from ExecutionSample order by 1 desc": nil,
	} {
		assert.Equal(t, want, run(t, statement, rec).Result().Notes, statement)
	}
}
