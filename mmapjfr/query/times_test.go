package query_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestTimesAreSought compares conditions that limit times with the same ones after NOT, for which all
// events are read.
func TestTimesAreSought(t *testing.T) {
	rec := open(t, "jdk25-profile")
	types, err := rec.Types()
	require.NoError(t, err)
	const tenths = 10
	at := func(i int) string {
		return rec.Start().Add(rec.Duration() * time.Duration(i) / tenths).UTC().Format("'2006-01-02T15:04:05.999999999Z'")
	}
	count := func(condition string, sought bool) []string {
		statement := "SELECT eventType.name, COUNT(*), MIN(startTime), MAX(startTime) FROM jdk.* WHERE " + condition + " GROUP BY eventType.name"
		st, err := query.Parse(statement, query.Options{})
		require.NoError(t, err)
		plan, err := st.Plan(types, query.Options{})
		require.NoError(t, err)
		assert.Equal(t, sought, strings.Contains(plan.Explain(), "\nseek "), statement)
		return answer(t, rec, statement)
	}
	for i := range tenths {
		from, to := at(i), at(i+1+i%3)
		want := count(fmt.Sprintf("NOT startTime < %s AND NOT startTime > %s", from, to), false)
		assert.Equal(t, want, count(fmt.Sprintf("startTime >= %s AND startTime <= %s", from, to), true))
		assert.Equal(t, want, count(fmt.Sprintf("startTime BETWEEN %s AND %s", from, to), true))
		want = count(fmt.Sprintf("NOT startTime >= %s OR NOT startTime <= %s", from, to), false)
		assert.Equal(t, want, count(fmt.Sprintf("startTime < %s OR startTime > %s", from, to), false))
		want = count(fmt.Sprintf("NOT startTime >= %s", from), false)
		assert.Equal(t, want, count(fmt.Sprintf("startTime < %s OR startTime < %s", from, at(0)), true))
		assert.Equal(t, want, count(fmt.Sprintf("startTime < %s OR startTime < %s AND duration > 1s", from, from), true))
	}
}

// TestThreadsAreSought compares conditions that name threads with others that mean the same, for which
// all events are read.
func TestThreadsAreSought(t *testing.T) {
	for _, name := range []string{"jdk17-profile"} {
		rec := open(t, name)
		count := func(condition string, sought bool) []string {
			statement := "select @type, count(*), min(startTime) from * where " + condition + " group by @type"
			assert.Equal(t, sought, strings.Contains(plan(t, statement, rec).Explain(), " of the threads "), statement)
			return answer(t, rec, statement)
		}
		names := 0
		for row, err := range run(t, "select unique(@type), @thread from * group by @thread order by 1 desc limit 2", rec).Result().Rows {
			require.NoError(t, err)
			text := "'" + row[1].String() + "'"
			if row[1].String() == "" || row[1].IsNull() || strings.ContainsAny(row[1].String(), `'\`) {
				continue
			}
			names++
			isName := !strings.Contains(text, "thread ")
			want := count("@thread <= "+text+" and @thread >= "+text, false)
			assert.NotEmpty(t, want)
			assert.Equal(t, want, count("@thread = "+text, isName), "%s: %s", name, text)
			assert.Equal(t, want, count("@thread in ("+text+", 'another') and startTime is not null", isName), "%s: %s", name, text)
			for _, field := range []string{"eventThread", "sampledThread"} {
				if _, err := plannedOf([]*mmapjfr.Recording{rec}, "select "+field+".javaName from *"); err != nil {
					continue
				}
				want = count(field+".javaName like "+text, false)
				statement := "select @type, count(*), min(startTime) from * where " + field + ".javaName = " + text + " group by @type"
				assert.Equal(t, want, answer(t, rec, statement), statement)
			}
			want = count("@thread >= "+text+" and @thread <= "+text+" or duration > 1s", false)
			assert.Equal(t, want, count("@thread = "+text+" or duration > 1s", false))
			count("@thread != "+text, false)
			count("not @thread = "+text, false)
		}
		assert.NotZero(t, names, name)
	}
	rec := open(t, "jdk25-profile")
	for from, names := range map[string]string{
		"ThreadPark where eventThread.javaName = 'main'":                           "main",
		"ThreadPark where eventThread.osName = 'a' or @thread = 'b'":               "a, b",
		"ExecutionSample where sampledThread.javaName = 'main'":                    "main",
		"ThreadPark as p, FileRead as f where p.@thread = 'a' and f.@thread = 'b'": "a, b",
		"ThreadPark as p, FileRead as f where p.@thread = 'a'":                     "",
		"ThreadPark where @thread = ''":                                            "",
		"ThreadPark where @thread = null":                                          "",
		"ThreadPark where eventThread.javaThreadId = 1":                            "",
		"ThreadStart where thread = 'main'":                                        "",
	} {
		_, found, _ := strings.Cut(plan(t, "select count(*) from "+from, rec).Explain(), "of the threads ")
		found, _, _ = strings.Cut(found, "\n")
		assert.Equal(t, names, found, from)
	}
}

// TestEdgesOfOverlaps asks for first and last values of recordings that overlap in time, in both orders, and by way of bytes.
func TestEdgesOfOverlaps(t *testing.T) {
	recording := func(start, length int64, at ...int64) *mmapjfr.Recording {
		b := jfrtest.NewChunk()
		b.Header.StartNanos += start
		b.Header.DurationNanos = length
		steps := b.Event("test.Step", jfrtest.Of("n", "long"))
		for _, n := range at {
			b.Emit(steps, b.Header.StartTicks+n-start, n)
		}
		rec, err := mmapjfr.OpenBytes(b.Bytes())
		require.NoError(t, err)
		t.Cleanup(func() { rec.Close() })
		return rec
	}
	long, short := recording(0, 1e9, 3e8, 9e8), recording(1e8, 5e8, 2e8, 5e8)
	const statement = "select first(n), last(n), diff(n), diff(startTime), n from Step"
	const want = "200000000 | 900000000 | 700000000 | 700ms | 900000000"
	p := plan(t, statement, long)
	for _, recs := range [][]*mmapjfr.Recording{{long, short}, {short, long}} {
		assert.Equal(t, []string{want}, texts(t, run(t, statement, recs...).Result()))
		sum := p.NewPartial()
		for _, rec := range recs {
			found, err := query.Read(t.Context(), []*mmapjfr.Recording{rec}, []*query.Plan{p}, query.ReadOptions{})
			require.NoError(t, err)
			again, err := p.Unmarshal(bytesOf(t, found[0]))
			require.NoError(t, err)
			sum.Merge(again)
		}
		assert.Equal(t, []string{want}, texts(t, sum.Result()))
	}
}
