package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/sqlverb"
	"github.com/mmapjfr/jfr/mmapjfr"
	names "github.com/mmapjfr/jfr/mmapjfr/columns/duckdb"
)

// planner is an engine that looks at statements, and executes none.
type planner struct {
	*engine
	found []*source
}

func (p *planner) Run(ctx context.Context, _ *sqlverb.Input, setup string, statements []names.Statement, _ func([]sqlverb.Column, sqlverb.Row) error) error {
	if _, err := p.conn.ExecContext(ctx, setup); err != nil {
		return err
	}
	for _, s := range statements {
		p.narrow(p.filtersOf(ctx, s.Text))
		for key := range p.filters {
			var parts []string
			if err := json.Unmarshal([]byte(key), &parts); err != nil {
				return err
			}
			t, _ := p.mine.find(parts[1+len(parts)/7])
			p.found = append(p.found, p.narrowed(&source{table: t}, key))
		}
	}
	return nil
}

// narrowed returns the scans of a statement about the profile that have filters.
func narrowed(t *testing.T, statement string) []*source {
	t.Helper()
	p := &planner{engine: new(engine)}
	var said strings.Builder
	code := sqlverb.Run(t.Context(), "mjfr-duckdb", p, []string{profile, statement}, strings.NewReader(""), io.Discard, &said)
	require.Zero(t, code, said.String())
	return p.found
}

// TestBounds looks for the times that statements bound.
func TestBounds(t *testing.T) {
	at := func(text string) time.Time {
		at, err := time.Parse(time.RFC3339Nano, text)
		require.NoError(t, err)
		return at
	}
	never := time.Time{}
	const a, b = "'2026-11-21 00:49:20Z'", "'2026-11-21 00:49:21.5Z'"
	from, to, after := at("2026-11-21T00:49:20Z"), at("2026-11-21T00:49:21.5Z"), at("2026-11-21T00:49:21.500001Z")
	for condition, want := range map[string][]mmapjfr.Filter{
		"start_time >= " + a:                                   {mmapjfr.Between(from, never)},
		"start_time > " + a:                                    {mmapjfr.Between(from.Add(999), never)},
		"start_time < " + b:                                    {mmapjfr.Between(never, to.Add(1))},
		b + " >= start_time":                                   {mmapjfr.Between(never, after)},
		"start_time > " + a + " and start_time < " + b:         {mmapjfr.Between(from.Add(999), to.Add(1))},
		"start_time between " + a + " and " + b:                {mmapjfr.Between(from, after)},
		"thread = 'a' and start_time = " + b:                   {mmapjfr.Between(to, after)},
		"start_time >= " + b + " and start_time < " + a:        nil, // nothing is read
		"start_ns = 5 or start_ns = 7":                         nil,
		"start_ns between 5 and 7":                             {mmapjfr.Between(time.Unix(0, 5), time.Unix(0, 8))},
		"start_ns < 7":                                         {mmapjfr.Between(never, time.Unix(0, 8))},
		"start_ns >= -9223372036854775808":                     nil,
		"start_ns <= 9223372036854775807":                      nil,
		"start_ns > duration":                                  nil,
		"start_ns + 1 > 5":                                     {mmapjfr.Between(time.Unix(0, 4), never)},
		"thread = ') AND (start_ns > 5) AND ('":                nil,
		"start_time > '-infinity' and start_time < 'infinity'": nil,
		"not start_ns > 5 and start_ns is not null":            {mmapjfr.Between(never, time.Unix(0, 6))},
	} {
		found := narrowed(t, "select count(*) from FileRead where "+condition)
		if len(found) == 0 {
			assert.Nil(t, want, condition)
			continue
		}
		require.Len(t, found, 1, condition)
		assert.Equal(t, want, found[0].o.Filters, condition)
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

// TestStatementsNarrowScans counts the scans that leave out rows, and how many conditions they have.
func TestStatementsNarrowScans(t *testing.T) {
	for statement, want := range map[string][]int{
		"select count(*) from FileRead where start_time >= '2026-11-21 00:49:20Z'":                                                          {1},
		"select max(bytesRead) from jdk.FileRead where start_time < '2026-11-21 00:49:20Z' and thread = 'main' and bytesRead > 5":           {3},
		"from FileRead where start_ns >= 1795222160000000000 order by start_ns limit 3":                                                     {1},
		"select count(*) from jfr('" + profile + "', 'FileRead') where start_time > timestamptz '2026-11-21 00:49:20Z' + interval 1 second": {1},
		"select count(*) from FileRead a join SocketRead b using (thread) where a.duration > 5 and b.duration > 6 and b.port = 8":           {1, 2},
		"select count(*) from FileRead a join FileRead b using (start_ns) where a.start_time >= '2026-11-21 00:49:20Z'":                     nil,
		"select count(start_ns) from FileRead":                                                      nil,
		"select count(*) from FileRead where start_time > (select max(start_time) from ThreadPark)": nil,
		"select nothing from FileRead where start_time > '2026-11-21 00:49:20Z'":                    nil,
		"select count(*) from FileRead where path like '%a' or bytesRead < 3":                       {1},
		"select count(*) from FileRead where path like '%a%b%c' or bytesRead < 3":                   nil,
		"from \"file-reads-by-path\"":                                                               nil,
	} {
		var got []int
		for _, s := range narrowed(t, statement) {
			if len(s.keep) > 0 {
				got = append(got, len(s.keep))
			}
		}
		slices.Sort(got)
		assert.Equal(t, want, got, statement)
	}
}

// TestNamesOfOtherColumns narrows a scan by the columns that names mean in their place, and not by columns that are called so.
func TestNamesOfOtherColumns(t *testing.T) {
	for statement, of := range map[string]string{
		"select count(*) from (select stack_id as start_ns from FileRead) where start_ns > 2000000000000000000":                                         "select count(*) from FileRead where stack_id > 2000000000000000000",
		"select count(*) from (select bytesRead as duration, duration as bytesRead from FileRead) where duration < 10 and bytesRead > 100":              "select count(*) from FileRead where bytesRead < 10 and duration > 100",
		"with x(start_ns, path, thread) as (select -bytesRead, thread, path from FileRead) select count(*) from x where start_ns < 0 and path = 'main'": "select count(*) from FileRead where bytesRead > 0 and thread = 'main'",
	} {
		want := count(t, profile, of)
		require.NotEqual(t, "0", want, of)
		assert.Equal(t, want, count(t, profile, statement), statement)
	}
}

// TestConditionsOfStatements compares rows with those of a scan that knows no conditions: a function hides columns from it.
func TestConditionsOfStatements(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	leaves := map[string]func() string{
		"FileRead": func() string {
			return one("path like '/usr%'", "path like '%.class'", "path = '"+one("", "x", "/usr/lib/jvm/temurin-25-jdk-amd64/conf/security/java.security")+"'", "path > '/u'", "contains(path, 'conf')",
				"bytesRead "+one("=", "<>", "<", "<=", ">", ">=")+" "+one("0", "1", "8192", "-5", "99.5"), "bytesRead in (0, 1, 8192)", "bytesRead between 5 and "+one("4", "6", "10000"), "endOfFile", "not endOfFile",
				"thread = 'main'", "thread is null", "thread is not null", "duration > "+one("10000", "1e4", "1e4::decimal"), "virtual", "stack_id < 0", "top_frame like 'java.%'", "100 >= bytesRead", "path is null", "recording_id > ''")
		},
		"CPULoad": func() string {
			return one("machineTotal > 0.5", "jvmUser <= 0.1", "jvmSystem between 0 and 0.3", "machineTotal = 1", "jvmUser <> 0")
		},
		"GCHeapSummary": func() string {
			return one("heapUsed > 10000000", "\"when\" = 'Before GC'", "gcId in (1, 2, 5)", "\"heapSpace.committedSize\" >= 100", "gcId::double < 2.5")
		},
		"JavaMonitorEnter": func() string {
			return one("monitorClass = 'java.lang.Object'", "\"previousOwner.thread_id\" = 38", "previousOwner like 'cont%'", "address > 5", "monitorClass < 'k'", "previousOwner is null")
		},
		"ActiveRecording": func() string {
			return one("recordingDuration is null", "maxSize = 0", "recordingStart > '2026-11-21 00:49:16Z'", "recordingStart is not null", "name <> 'a'")
		},
	}
	column := regexp.MustCompile(`"?\b(path|bytesRead|endOfFile|thread|duration|virtual|stack_id|top_frame|machineTotal|jvmUser|jvmSystem|heapUsed|when|gcId|heapSpace.committedSize|monitorClass|previousOwner(?:\.thread_id)?|address|recordingDuration|maxSize|recordingStart|name)\b"?`)
	types := slices.Sorted(maps.Keys(leaves))
	for range 150 {
		typ := types[r.IntN(len(types))]
		condition := leaves[typ]()
		for range r.IntN(4) {
			condition = one("(", "not (") + condition + one(" and ", " or ") + leaves[typ]() + ")"
		}
		hidden := column.ReplaceAllStringFunc(condition, func(name string) string { return "list_extract([" + name + "], 1)" })
		const rows = "select count(*), min(start_ns), max(start_time), count(recording_id) from %s where %s"
		assert.Equal(t, answer(t, "--csv", profile, fmt.Sprintf(rows, typ, hidden)), answer(t, "--csv", profile, fmt.Sprintf(rows, typ, condition)), "%s: %s", typ, condition)
	}
}
