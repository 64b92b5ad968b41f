package query_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestParse checks what statements mean by their text in one line.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"select * from jdk.FileRead":        "SELECT * FROM jdk.FileRead",
		"from FileRead":                     "SELECT * FROM FileRead",
		"FROM jdk.* LIMIT 0;":               "SELECT * FROM jdk.* LIMIT 0",
		"from * select count(*)":            "SELECT count(*) FROM *",
		"from A|B, C as c select c.x":       "SELECT c.x FROM A, B, C AS c",
		"from 'a-b' x, `from` select x.y":   "SELECT x.y FROM 'a-b' AS x, 'from'",
		"-- comment\nfrom A -- b\nlimit 3 ": "SELECT * FROM A LIMIT 3",
		// Fields.
		"from A select @duration, a.b[3].c, stackTrace.topFrame": "SELECT @duration, a.b[3].c, stackTrace.topFrame FROM A",
		"from A select `limit`, `a b`.x":                         "",
		"from A select `limit`, `a b.x`, A.limit, A.`a b`":       "SELECT `limit`, `a b.x`, A.limit, A.`a b` FROM A",
		"from jdk.A select A.x, jdk.A.y, jdk.x":                  "SELECT [jdk.A].x, [jdk.A].y, jdk.x FROM jdk.A",
		"select [S|E].t, `S.t` from a.S, a.E":                    "SELECT [a.E|a.S].t, `S.t` FROM a.S, a.E",
		"select X.y, B.y from X as A, X as B":                    "SELECT [A|B].y, B.y FROM X AS A, X AS B",
		// Expressions.
		"from A select sum(bytesRead) / sum(duration) * 2 as rate":                    "SELECT sum(bytesRead) / sum(duration) * 2 AS rate FROM A",
		"from A select a - (b - c) - (d + e) * f":                                     "SELECT a - (b - c) - (d + e) * f FROM A",
		"from A select - -a, -(a + 1), 2 - -3":                                        "SELECT - -a, -(a + 1), 2 - -3 FROM A",
		"from A select maximum(a), Average(b), DIFFERENCE ( c )":                      "SELECT max(a), avg(b), diff(c) FROM A",
		"from A select quantile(a, 99.9%) as 'my title', p999(a)":                     "SELECT quantile(a, 99.9%) AS 'my title', p999(a) FROM A",
		"from A select count(*) having not a = 1 and b<>'x' || (c > 1 or d) and true": "SELECT count(*) FROM A HAVING NOT a = 1 AND b != 'x' OR (c > 1 OR d) AND true",
		"from A select time(10s), x + 1.5e-3 + 0x1F + 2h30m + 64kB":                   "SELECT time(10s), x + 1.5e-3 + 0x1F + 2h30m + 64kB FROM A",
		`from A select coalesce(a, 'it\'s \u00e9\n', "b'c")`:                          `SELECT coalesce(a, 'it\'s é\n', 'b\'c') FROM A`,
		// Clauses, in any order.
		"limit 5 order by 2 desc, count(*), b asc group by a from A select a, count(*)":                  "SELECT a, count(*) FROM A GROUP BY a ORDER BY 2 DESC, count(*), b ASC LIMIT 5",
		"from A select a, count(*) group by all":                                                         "SELECT a, count(*) FROM A GROUP BY ALL",
		"column 'Größe', 'b' format none, missing:'a, b';normalized select a, b from A":                  "SELECT a 'Größe', b 'b' {normalized;missing:'a, b'} FROM A",
		"select a, b from A format cell-height:5;truncate-beginning, ms-precision:3;missing:whitespace;": "SELECT a {cell-height:5;truncate-beginning}, b {ms-precision:3;missing:whitespace} FROM A",
		"select a as 'x', b as y 'z' {missing:x}, c as `q r` {none} from A":                              "SELECT a AS x 'x', b AS y 'z' {missing:'x'}, c AS `q r` FROM A",
		"from A during jdk.GarbageCollection as g (name = 'G1Old') within B asof C select g.gcId":        "SELECT g.gcId FROM A DURING jdk.GarbageCollection AS g (name = 'G1Old') WITHIN B ASOF C",
		"from A where a > 10ms && `limit` = 'where' group by a":                                          "SELECT * FROM A WHERE a > 10ms && `limit` = 'where' GROUP BY a",
		"from A where limit= 1 && `order` in (1, 2) limit 1":                                             "SELECT * FROM A WHERE limit= 1 && `order` in (1, 2) LIMIT 1",
		"from A where (a = 1 || b = ')') limit 1":                                                        "SELECT * FROM A WHERE a = 1 || b = ')' LIMIT 1",
	} {
		st, err := query.Parse(text, query.Options{})
		if want == "" {
			assert.Error(t, err, text)
			continue
		}
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, st.String(), text)
			again, err := query.Parse(want, query.Options{})
			require.NoError(t, err, want)
			assert.Equal(t, want, again.String())
		}
	}
}

// TestParseErrors checks what errors say, and where the wrong part begins: at the arrow.
func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"→":                                           "a query begins with SELECT or FROM; got end of text",
		"→explain FROM A":                             "a query begins with SELECT or FROM; got explain",
		"→SELCT a FROM A":                             "unknown clause SELCT; did you mean SELECT?",
		"FROM A →WERE a > 1":                          "unknown clause WERE; did you mean WHERE?",
		"SELECT a →FORM A":                            "unknown clause FORM; did you mean FORMAT or FROM?",
		"FROM A AS b →GRUOP BY a":                     "unknown clause GRUOP; did you mean GROUP?",
		"FROM A SELECT →cuont(*)":                     "unknown function cuont; did you mean COUNT?",
		"FROM A SELECT →elephant(a)":                  "unknown function elephant",
		"SELECT →FROM A":                              "unexpected FROM; expected a field, an aggregate such as count(*), or *",
		"SELECT a, →FROM A":                           "unexpected FROM; expected a field, an aggregate such as count(*), or *",
		"SELECT a →":                                  "FROM is missing, with the event types to read, as in FROM jdk.FileRead",
		"FROM →":                                      "unexpected end of text; expected the name of an event type, such as jdk.FileRead",
		"FROM A →FROM B":                              "FROM is there twice",
		"FROM A, →A":                                  "there are two event types called A; give them names, as in FROM A AS a",
		"FROM A GROUP →a":                             "unexpected a; expected BY after GROUP",
		"FROM A GROUP BY →":                           "unexpected end of text; expected a field to group by",
		"FROM A LIMIT →-1":                            "LIMIT takes a whole number of rows; got -1",
		"FROM A LIMIT →99999999999999999999":          "LIMIT 99999999999999999999 is too large; without LIMIT there are all rows",
		"FROM A\nSELECT (a + →)":                      "unexpected ); expected a field or a value",
		"FROM A SELECT (a →":                          "unexpected end of text; expected an operator or a closing parenthesis",
		"FROM A SELECT a→)":                           "a parenthesis closes none",
		"FROM A SELECT sum(a →":                       "unexpected end of text; expected a comma or a closing parenthesis",
		"FROM A SELECT →12parsecs":                    "12parsecs is not a number; its unit can be ns us ms s m h d, B kB MB GB TB, or %",
		"FROM A SELECT →999999999999999d":             "999999999999999d is too large; the longest time is 106751d",
		"FROM A SELECT →1e999":                        "1e999 is too large; the greatest number is 1.79e308",
		"FROM A SELECT b AS c, d AS →c":               "there are two columns called c; give one of them another name",
		"FROM A SELECT b c, d →c":                     "there are two columns called c; give one of them another name",
		"FROM A SELECT '${x}', `${x}`, →${x} -- ${x}": "parameters such as ${threshold} belong to views; put the statement into a file for mjfr view -f",
		"FROM A WHERE a = →${x=1}":                    "parameters such as ${threshold} belong to views; put the statement into a file for mjfr view -f",
		"FROM A SELECT →'a":                           "a quote is not closed",
		"FROM A SELECT →`a":                           "a backquote is not closed",
		"FROM A SELECT a + →limit":                    "expected a field or a value; put a field called limit in backquotes",
		"FROM A SELECT a→[x]":                         "an element needs a number, as in stackTrace.frames[0]",
		"FROM Alpha SELECT →[Alhpa|B].x":              "no event type of FROM is called Alhpa; did you mean Alpha?",
		"FROM A HAVING a = b →= c":                    "comparisons need AND between them",
		"→COLUMN 'a' SELECT a, b FROM A":              "COLUMN has 1 parts, but SELECT has 2",
		"→FORMAT none FROM A":                         "FORMAT needs fields after SELECT",
		"FORMAT →normalised SELECT a FROM A":          "unknown format normalised; did you mean normalized?",
		"FORMAT →cell-height:0 SELECT a FROM A":       "cell-height needs a number of lines from 1, as in cell-height:2",
		"SELECT a {cell-height:2 →normalized} FROM A": "unexpected normalized; expected a semicolon or } after the format",
		"COLUMN →a SELECT a FROM A":                   "unexpected a; expected a title in quotes",
		"FROM A; →FROM B":                             "unexpected FROM; expected nothing more after the semicolon",
		"FROM A →JOIN B":                              "events are joined by DURING, WITHIN or ASOF, as in DURING jdk.GarbageCollection",
		"FROM A WHERE a = 1 →GRUOP BY a":              "unknown clause GRUOP; did you mean GROUP?",
		"FROM A WHERE a = 1 →b = 2":                   "expected AND or OR; put values with spaces in quotes, and write numbers with their unit, as in 20ms",
		"FROM A WHERE a = →":                          `a value is missing; write "" for an empty text`,
		"FROM A WHERE →":                              "unexpected end of text; expected a condition such as duration > 10ms",
		"FROM A DURING B (a = 1 →":                    "unexpected end of text; expected a closing parenthesis",
		"FROM A SELECT '\xe2\x80\x99', →\xff":         "this is not UTF-8",
	} {
		before, after, _ := strings.Cut(text, "→")
		_, err := query.Parse(before+after, query.Options{})
		var wrong *query.Error
		if assert.ErrorAs(t, err, &wrong, text) {
			assert.Equal(t, want, wrong.Message, text)
			assert.Equal(t, len(before), wrong.Offset, text)
		}
	}
	_, err := query.Parse("FROM A\nSELECT 'é', 12x", query.Options{})
	assert.EqualError(t, err, "query, line 2, character 13: 12x is not a number; its unit can be ns us ms s m h d, B kB MB GB TB, or %")
}

// TestParseLarge parses statements of hostile sizes: they fail fast, or succeed in linear time.
func TestParseLarge(t *testing.T) {
	million := longtest.Cases(200_000, 1_000_000)
	for name, text := range map[string]string{
		"terms":        "FROM A SELECT a" + strings.Repeat("+a", million),
		"signs":        "FROM A SELECT " + strings.Repeat("- ", million) + "a",
		"parentheses":  "FROM A SELECT " + strings.Repeat("(", million) + "a",
		"calls":        "FROM A SELECT " + strings.Repeat("abs(", million),
		"not":          "FROM A HAVING " + strings.Repeat("NOT ", million/2),
		"outputs":      "FROM A SELECT a" + strings.Repeat(",a", million),
		"sources":      "FROM A" + strings.Repeat(",A", million),
		"brackets":     "FROM A SELECT [A" + strings.Repeat("|A", million) + "].x",
		"arguments":    "FROM A SELECT coalesce(a" + strings.Repeat(",a", million) + ")",
		"joins":        "FROM A" + strings.Repeat(" ASOF B", million/4),
		"formats":      "FORMAT none" + strings.Repeat(",none", million/4) + " SELECT a FROM A",
		"digits":       "FROM A SELECT " + strings.Repeat("9", million),
		"conditions":   "FROM A WHERE " + strings.Repeat("(", million) + "a = 1",
		"alternatives": "FROM A WHERE a = 1" + strings.Repeat(" OR a = 1", million/4),
		"word":         strings.Repeat("a", million),
		"function":     "FROM A SELECT " + strings.Repeat("a", million) + "(b)",
		"long":         strings.Repeat(" ", 5*million),
		"spread":       "FROM A SELECT coalesce(" + strings.Repeat("a+a,", million/2) + "a)",
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			_, err := query.Parse(text, query.Options{})
			assert.Error(t, err)
			assert.Less(t, len(err.Error()), 300)
			assert.Less(t, time.Since(begin), 5*time.Second)
		})
	}
	for name, text := range map[string]string{
		"comments":   strings.Repeat("--\n", million) + "FROM A",
		"spaces":     "FROM" + strings.Repeat(" ", 3*million) + "A",
		"properties": "FORMAT none" + strings.Repeat(";none", million/4) + " SELECT a FROM A",
		"path":       "FROM A SELECT a" + strings.Repeat(".a", million),
		"elements":   "FROM A SELECT a" + strings.Repeat("[1]", million),
		"text":       "FROM A SELECT '" + strings.Repeat(`\u00e9`, million/2) + "'",
		"most":       "FROM A SELECT " + strings.TrimPrefix(strings.Repeat(",((a+b)*2-A.c/3)", 999), ","),
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			st, err := query.Parse(text, query.Options{})
			require.NoError(t, err)
			_, err = query.Parse(st.String(), query.Options{})
			assert.NoError(t, err)
			assert.Less(t, time.Since(begin), 5*time.Second)
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"select a, count(*) as n from A, B as b where a > 10ms group by a order by n desc limit 3",
		"COLUMN 'x' FORMAT missing:whitespace;normalized SELECT [A|B].x FROM A, B",
		"from * during `x` (a = 1) select - -p99(a) / 2 having not a = 'b\\'' and true;",
		"from 'a b' as 'c d' select [`c d`].`e f`, max(@duration), -- x\n 1e-3",
		"select a as 'x y' 'z', b as `c d` {missing:'}';normalized}, c 'd' from A",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		st, err := query.Parse(text, query.Options{})
		if err != nil {
			var wrong *query.Error
			require.ErrorAs(t, err, &wrong)
			line, character := wrong.Position()
			assert.Positive(t, line)
			assert.Positive(t, character)
			return
		}
		again, err := query.Parse(st.String(), query.Options{})
		require.NoError(t, err, st.String())
		assert.Equal(t, st.String(), again.String())
	})
}
