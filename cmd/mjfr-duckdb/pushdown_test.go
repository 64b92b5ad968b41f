package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/sqlverb"
	"github.com/mmapjfr/jfr/mmapjfr"
	names "github.com/mmapjfr/jfr/mmapjfr/columns/duckdb"
)

func TestBoundsIn(t *testing.T) {
	at := func(text string) time.Time {
		at, err := time.Parse(time.RFC3339Nano, text)
		require.NoError(t, err)
		return at
	}
	const a, b = "'2026-11-21 00:49:20+00'::TIMESTAMP WITH TIME ZONE", "'2026-11-21 00:49:21.5+00'::TIMESTAMP WITH TIME ZONE"
	from, to, after := at("2026-11-21T00:49:20Z"), at("2026-11-21T00:49:21.5Z"), at("2026-11-21T00:49:21.500001Z")
	for filter, want := range map[string]*bounds{
		"(start_time >= " + a + ")":                                         {from: from},
		"(start_time > " + a + ")":                                          {from: from},
		"((start_time > " + a + ") AND (start_time < " + b + "))":           {from, to},
		"(start_time BETWEEN " + a + " AND " + b + ")":                      {from, after},
		"((thread = 'a') AND (start_time BETWEEN " + a + " AND " + b + "))": {from, after},
		"(start_time = " + b + ")":                                          {to, after},
		"((start_time >= " + b + ") AND (start_time < " + a + "))":          {to, to},
		"((start_ns >= 1000) AND (start_ns <= 2000))":                       {time.Unix(0, 1000).UTC(), time.Unix(0, 2001).UTC()},
		"(start_ns = 7)": {time.Unix(0, 7).UTC(), time.Unix(0, 8).UTC()},
		"(((start_ns > 5)) AND ((start_ns < 9) AND (x = 1)))": {time.Unix(0, 5).UTC(), time.Unix(0, 9).UTC()},
		"(start_ns < 9)":                                      nil, // also those whose start is not known
		"((start_ns > 5) OR (x = 1))":                         nil,
		"(NOT (start_ns > 5))":                                nil,
		"((start_ns + 1) > 5)":                                nil,
		"(thread = '(start_ns > 5)')":                         nil,
		"(thread = ') AND (start_ns > 5) AND (')":             nil,
		"((thread = 'it''s) AND (start_ns > 5') AND (x = 2))": nil,
		"":  nil,
		")": nil, "((": nil, "'": nil, " AND ": nil,
	} {
		assert.Equal(t, want, boundsIn(filter), filter)
	}
}

// TestTimesOfStatements compares rows with those of a scan that gets no bounds: a function hides the column from the plan.
func TestTimesOfStatements(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	rec, err := mmapjfr.Open(profile)
	require.NoError(t, err)
	defer rec.Close()
	at := func() int64 { return rec.Start().UnixNano() + r.Int64N(int64(rec.Duration())) }
	for range 40 {
		typ := []string{"FileRead", "ThreadPark", "GCPhasePauseLevel1", "jfr('" + profile + "', 'ClassLoad')"}[r.IntN(4)]
		a, b := at(), at()
		condition := []string{
			fmt.Sprintf("start_ns >= %d", a), fmt.Sprintf("start_ns > %d", a), fmt.Sprintf("start_ns < %d", a), fmt.Sprintf("start_ns between %d and %d", a, b),
			fmt.Sprintf("start_ns > %d and start_ns <= %d", a, b), fmt.Sprintf("(start_ns >= %d or start_ns < %d)", a, b-1e9), fmt.Sprintf("start_time > make_timestamptz(%d) and thread = 'main'", a/1000),
			fmt.Sprintf("start_time between make_timestamptz(%d) and make_timestamptz(%d)", a/1000, b/1000),
		}[r.IntN(8)]
		hidden := strings.ReplaceAll(strings.ReplaceAll(condition, "start_ns", "greatest(start_ns, start_ns)"), "start_time", "greatest(start_time, start_time)")
		const rows = "select count(*), count(thread), min(start_ns), max(start_time) from %s where %s"
		assert.Equal(t, answer(t, "--csv", profile, fmt.Sprintf(rows, typ, hidden)), answer(t, "--csv", profile, fmt.Sprintf(rows, typ, condition)), condition)
	}
	for _, statement := range []string{"select count(*) from FileRead where start_ns = (select max(start_ns) from FileRead)", "select count(*) from FileRead where start_ns = 1795222156206451001 or true", "select count(*) from FileRead where start_ns > 0", "select count(*) from (from FileRead where start_ns > 0) a, (from FileRead limit 1)"} {
		assert.NotEqual(t, "0", count(t, profile, statement), statement)
	}
	assert.Equal(t, count(t, profile, "--from", "4s", "select count(*) from FileRead"), count(t, profile, "--from", "4s", "select count(*) from FileRead where start_ns > 0"))
	assert.Equal(t, "0", count(t, profile, "--to", "1s", "select count(*) from FileRead where start_time > '2026-11-21 00:49:20Z'"))
}

// planner is an engine that looks at statements, and executes none.
type planner struct {
	*engine
	narrowed []bool
}

func (p *planner) Run(ctx context.Context, _ *sqlverb.Input, setup string, statements []names.Statement, _ func([]sqlverb.Column, sqlverb.Row) error) error {
	if _, err := p.conn.ExecContext(ctx, setup); err != nil {
		return err
	}
	for _, s := range statements {
		p.narrowed = append(p.narrowed, p.boundsOf(ctx, s.Text) != nil)
	}
	return nil
}

// TestStatementsNarrowScans looks for bounds that statements give to the scan.
func TestStatementsNarrowScans(t *testing.T) {
	for statement, want := range map[string]bool{
		"select count(*) from FileRead where start_time >= '2026-11-21 00:49:20Z'":                                                               true,
		"select max(bytesRead) from jdk.FileRead where start_time between '2026-11-21 00:49:20Z' and '2026-11-21 00:49:21Z' and thread = 'main'": true,
		"from FileRead where start_ns >= 1795222160000000000 order by start_ns limit 3":                                                          true,
		"select count(*) from jfr('" + profile + "', 'FileRead') where start_time > timestamptz '2026-11-21 00:49:20Z' + interval 1 second":      true,
		"select count(*) from FileRead where start_time < '2026-11-21 00:49:20Z'":                                                                false,
		"select count(*) from FileRead a join FileRead b using (start_ns) where a.start_time >= '2026-11-21 00:49:20Z'":                          false,
		"select count(start_ns) from FileRead":                                                      false,
		"select count(*) from FileRead where start_time > (select max(start_time) from ThreadPark)": false,
		"select nothing from FileRead where start_time > '2026-11-21 00:49:20Z'":                    false,
	} {
		p := &planner{engine: new(engine)}
		var said strings.Builder
		code := sqlverb.Run(t.Context(), "mjfr-duckdb", p, []string{profile, statement}, strings.NewReader(""), io.Discard, &said)
		require.Zero(t, code, said.String())
		assert.Equal(t, []bool{want}, p.narrowed, statement)
	}
}
