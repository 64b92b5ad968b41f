package duckdb_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	"github.com/mmapjfr/jfr/mmapjfr/columns/duckdb"
	"github.com/mmapjfr/jfr/mmapjfr/query"
	"github.com/mmapjfr/jfr/mmapjfr/query/views"
)

// viewOf returns the SQL of a view of a statement, and the error.
func viewOf(t *testing.T, statement string, recordings ...string) (string, error) {
	t.Helper()
	c := catalog(t, recordings...)
	own, err := views.Read(strings.NewReader("view: own\n"+statement), "own.views")
	require.NoError(t, err)
	require.NoError(t, c.AddViews(own, nil))
	v := c.View("own")
	return v.SQL, v.Err
}

// TestTimesOfViews understands points in time as mjfr view and --from do: in the zone of the recording, without a day on its first.
func TestTimesOfViews(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Region.GMTOffset = int64(2 * time.Hour / time.Millisecond)
	b.Header.StartNanos = time.Date(2026, 11, 21, 0, 30, 0, 0, time.UTC).UnixNano()
	b.Emit(b.Event("test.N", jfrtest.Of("n", "int")), b.Header.StartTicks, 7)
	rec, err := mmapjfr.OpenBytes(b.Bytes())
	require.NoError(t, err)
	defer rec.Close()
	c, err := duckdb.NewCatalog([]*mmapjfr.Recording{rec}, columns.Options{})
	require.NoError(t, err)
	own, err := views.Read(strings.NewReader(`view: zone
from N where startTime > '2026-11-21 02:30:00' select count(*)

view: utc
from N where startTime > '2026-11-21T00:30:00Z' select count(*)

view: clock
from N where startTime > '02:30' select count(*)
`), "own.views")
	require.NoError(t, err)
	require.NoError(t, c.AddViews(own, nil))
	for _, name := range []string{"zone", "utc", "clock"} {
		v := c.View(name)
		require.NoError(t, v.Err, name)
		assert.Contains(t, v.SQL, fmt.Sprintf("start_ns > %d", b.Header.StartNanos), name)
	}
}

// TestConditions writes conditions in SQL. That they mean the same there is a test of cmd/mjfr-duckdb.
func TestConditions(t *testing.T) {
	for _, one := range []struct{ typ, condition, want string }{
		{"FileRead", "path like '/tmp%x'", `regexp_matches("path", '(?s)^/tmp.*x$')`},
		{"FileRead", `path not like "a\\%b'_%"`, `NOT coalesce(regexp_matches("path", '(?s)^a%b''.'), false)`},
		{"FileRead", "path ~ 'it\\'s'", `regexp_matches("path", 'it''s')`},
		{"FileRead", "path = 'a;b'", `"path" = 'a;b'`},
		{"FileRead", "path != null", `NOT coalesce("path" IS NULL, false)`},
		{"FileRead", "path in ('a', null)", `("path" = 'a' OR "path" IS NULL)`},
		{"FileRead", "path = '\\u0000'", `"path" = (chr(0))`},
		{"FileRead", "bytesRead between 1 and 2kB", `("bytesRead" >= 1 AND "bytesRead" <= 2048)`},
		{"FileRead", "bytesRead > 1.5", `CAST("bytesRead" AS DOUBLE) > 1.5e+00`},
		{"FileRead", "endOfFile = true or duration > 1ms", `("endOfFile" = true OR "duration" > 1000000)`},
		{"FileRead", "duration = 5", `"duration" = 5`},
		{"FileRead", "startTime > '2026-11-21 00:49:20.000000001'", `start_ns > 1795222160000000001`},
		{"FileRead", "not @start >= '2026-11-21 00:49:20'", `NOT coalesce(start_ns >= 1795222160000000000, false)`},
		{"FileRead", "startTime < '2026-11-21 00:49:20'", `(start_ns < 1795222160000000000 AND start_ns > -9223372036854775808)`},
		{"FileRead", "eventThread = 'main'", `"thread" = 'main'`},
		{"FileRead", "eventThread.javaName ~ 'main'", `regexp_matches(CASE WHEN "thread_id" IS NOT NULL THEN "thread" END, 'main')`},
		{"FileRead", "eventThread.javaThreadId = 0", `coalesce("thread_id", CASE WHEN "thread" IS NOT NULL THEN 0 END) = 0`},
		{"FileRead", "@type = 'jdk.FileRead'", `'jdk.FileRead' = 'jdk.FileRead'`},
		{"FileRead", "stackTrace = null", `"stack_id" IS NULL`},
		{"FileRead", "stackTrace !~ 'Work'", `NOT coalesce("stack_id" IN (SELECT "@f".stack_id FROM _frames "@f" WHERE regexp_matches(concat("@f".class || '.', "@f".method), 'Work') OR regexp_matches(method_text("@f".class, "@f".method, "@f".descriptor), 'Work')), false)`},
		{"CPULoad", "machineTotal >= 50%", `"machineTotal" >= 5e-01`},
		{"CPULoad", "machineTotal = 0.1", `"machineTotal" = 1.0000000149011612e-01`},
		{"JavaMonitorEnter", "address >= 0xffffffffffffffff", `"address" >= 18446744073709551615`},
		{"JavaMonitorEnter", "monitorClass = 'java.lang.Object'", `"monitorClass" = 'java.lang.Object'`},
		{"ClassDefine", "definingClassLoader = 'app'", `coalesce(nullif("definingClassLoader.name", ''), "definingClassLoader.type") = 'app'`},
		{"Compilation", "method = 'a.B.c(java.lang.String, int)'", `("method" = 'a.B.c(String, int)' OR nullif("method"[:greatest(instr("method", '(') - 1, 0)], '') = 'a.B.c(java.lang.String, int)')`},
		{"ModuleRequire", "requiredModule = 'java.base'", `"requiredModule.name" = 'java.base'`},
	} {
		sql, err := viewOf(t, "from "+one.typ+" where "+one.condition+" select count(*)", "jdk25-profile.jfr")
		require.NoError(t, err, one.condition)
		_, sql, _ = strings.Cut(sql, " WHERE ")
		sql, _, _ = strings.Cut(sql, "\n)\nSELECT")
		assert.Equal(t, one.want, sql, one.condition)
	}
}

// TestConditionsWithoutSQL refuses what the tables do not have, with the reason.
func TestConditionsWithoutSQL(t *testing.T) {
	for condition, want := range map[string]string{
		"FileRead where stackTrace = 'a.b();c.d()'":                      "SQL has no comparison with all frames of a stack trace",
		"FileRead where @end > '2026-11-21 00:49:20'":                    "the field @end",
		"FileRead where @top ~ 'x'":                                      "the field @top",
		"FileRead where stackTrace.frames[0].lineNumber > 5":             "the field stackTrace.frames[0].lineNumber",
		"FileRead where eventThread.osName = 'x'":                        "the field eventThread.osName",
		"OldObjectSample where allocationTime > '2026-11-21 00:49:20'":   "the time in microseconds",
		"ModuleRequire where requiredModule = null":                      "a struct without a name as null",
		"ModuleRequire where requiredModule < 'java'":                    "a struct without a name as null",
		"ModuleRequire where requiredModule not in ('', 'java')":         "a struct without a name as null",
		"OldObjectSample where allocationTime <= '2026-11-21T00:49:20Z'": "the time in microseconds",
	} {
		_, err := viewOf(t, "from "+condition+" select count(*)", "jdk25-profile.jfr")
		assert.ErrorIs(t, err, query.ErrNoSQL, condition)
		assert.ErrorContains(t, err, want, condition)
	}
	for condition, want := range map[string]string{
		"OldObjectSample where objectSize != 5": "not all of the recordings have the field objectSize",
	} {
		for _, recordings := range [][]string{{"jdk17-profile.jfr", "jdk25-profile.jfr"}, {"jdk25-profile.jfr", "jdk17-profile.jfr"}} {
			_, err := viewOf(t, "from "+condition+" select count(*)", recordings...)
			assert.ErrorIs(t, err, query.ErrNoSQL, condition)
			assert.ErrorContains(t, err, want, condition)
		}
	}
}

// TestArithmetic writes arithmetic with the units that package query has.
func TestArithmetic(t *testing.T) {
	for statement, want := range map[string]string{
		"select sum(bytesRead) / sum(duration)":                  `finite(CAST(sum(in0) AS DOUBLE) / nullif(CAST(sum(in1) AS DOUBLE) / 1e9, 0))`,
		"select max(startTime) - min(startTime)":                 `TRY_CAST(CAST(max(is0) AS HUGEINT) - min(is0) AS BIGINT)`,
		"select sum(duration) / 3":                               `TRY_CAST(trunc(finite(CAST(sum(in0) AS DOUBLE) / nullif(CAST(3 AS DOUBLE), 0))) AS BIGINT)`,
		"select bucket(bytesRead, 1000) as b group by b":         `TRY_CAST(floor_to("bytesRead", 1000) AS BIGINT) AS in0`,
		"select time(7s) as t, count(*) group by t":              `nullif(start_ns, -9223372036854775808), 7000000000`,
		"select path, count(*) as n group by path having n != 2": `HAVING (count(*) IS DISTINCT FROM 2)`,
	} {
		sql, err := viewOf(t, "from FileRead "+statement, "jdk25-profile.jfr")
		require.NoError(t, err, statement)
		assert.Contains(t, sql, want, statement)
	}
	_, err := viewOf(t, "from OldObjectSample select max(allocationTime) - min(allocationTime)", "jdk25-profile.jfr")
	assert.ErrorIs(t, err, query.ErrNoSQL)
}
