package query_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/views"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestPartialResultsMergeByName plans each statement for the types of each recording alone, reads it in ranges if it can, and
// merges the partial results, as bytes, into one of a plan for all types, in two orders.
func TestPartialResultsMergeByName(t *testing.T) {
	var recs []*mmapjfr.Recording
	for _, name := range []string{"jdk17-chunks.jfr", "jdk25-profile.jfr", "jdk25-kinds.jfr", "jdk17-kinds.jfr", "jdk25-cputime.jfr"} {
		rec := opentest.File(t, filepath.Join("../../testdata", name))
		recs = append(recs, rec)
	}
	statements := map[string]query.Options{
		"select count(*), p99(duration), max(duration), stdev(duration), first(startTime), last(eventThread) from jdk.*":             {},
		"from CPUTimeSample select stackTrace.topFrame as m, count(*), list(eventThread) group by m limit 5":                         {},
		"from jdk.*, CPUTimeSample select eventType.name as e, count(*), unique(eventThread), rate() group by e order by e":          {},
		"from jdk.* select @thread, arg_max(duration, startTime), top_k(@class, 3), histogram(duration) group by @thread":            {},
		"from * during GarbageCollection as g select g.gcId, count(*), set(@type) group by g.gcId":                                   {},
		"select sum(@weight.cpu), stackTrace.topFrame from ExecutionSample, CPUTimeSample where startTime > 1970-01-01 group by all": {},
	}
	isView := make(map[string]bool)
	for i, v := range views.All() {
		if !longtest.Every(i, 4) {
			continue
		}
		if st, err := v.Statement(nil, query.Options{}); err == nil && st.IsGrouped() {
			statements[st.String()], isView[st.String()] = query.Options{JDK: v.IsStandard()}, true
		}
	}
	types, err := mmapjfr.EventTypes(recs)
	require.NoError(t, err)
	merged := 0
	for text, o := range statements {
		st, err := query.Parse(text, o)
		require.NoError(t, err, text)
		whole, err := st.Plan(types, o)
		if err != nil && isView[text] {
			continue // no recording has what it shows
		}
		require.NoError(t, err, text)
		found, err := query.Read(t.Context(), recs, []*query.Plan{whole}, query.ReadOptions{})
		require.NoError(t, err, text)
		want := bytesOf(t, found[0])
		answer := rows(t, found[0])
		for _, backwards := range []bool{false, true} {
			var parts []*query.Partial
			for _, rec := range recs {
				own, err := mmapjfr.EventTypes([]*mmapjfr.Recording{rec})
				require.NoError(t, err)
				o.Incomplete = true
				plan, err := st.Plan(own, o)
				require.NoError(t, err, text)
				var ranges []mmapjfr.ChunkRange
				for _, c := range rec.Chunks() {
					ranges = append(ranges, mmapjfr.ChunkRange{From: c.Offset(), To: c.Offset() + 1})
				}
				if !st.IsDivisible() {
					ranges = []mmapjfr.ChunkRange{{}}
				}
				for _, r := range ranges {
					found, err := query.Read(t.Context(), []*mmapjfr.Recording{rec}, []*query.Plan{plan}, query.ReadOptions{Range: r})
					require.NoError(t, err)
					again, err := plan.Unmarshal(bytesOf(t, found[0]))
					require.NoError(t, err)
					parts = append(parts, again)
				}
			}
			sum := whole.NewPartial()
			for i := range parts {
				if backwards {
					i = len(parts) - 1 - i
				}
				sum.Merge(parts[i])
				require.NoError(t, sum.Err(), text)
			}
			assert.Equal(t, want, bytesOf(t, sum), text)
			assert.Equal(t, answer, rows(t, sum), text)
		}
		merged++
	}
	assert.Greater(t, merged, 30)
}

func bytesOf(t *testing.T, p *query.Partial) []byte {
	t.Helper()
	data, err := p.MarshalBinary()
	require.NoError(t, err)
	return data
}

func rows(t *testing.T, p *query.Partial) string {
	t.Helper()
	var b strings.Builder
	for row, err := range p.Result().Rows {
		require.NoError(t, err)
		for _, v := range row {
			fmt.Fprintf(&b, "%s\t", v)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
