package query_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		st, err := query.Parse(statement)
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
