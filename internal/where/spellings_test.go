package where_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestSpellings compares conditions in words with the same ones in symbols.
func TestSpellings(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	for words, symbols := range map[string]string{
		"duration > 1ms AND gcId = 1":                     "duration > 1ms && gcId = 1",
		"duration > 1ms\nor(gcId=1)Or thread=main":        "duration > 1ms || gcId=1 || thread=main",
		"gcId = 1 or gcId = 2 and sumOfPauses > 1s":       "gcId = 1 || (gcId = 2 && sumOfPauses > 1s)",
		"not duration > 1ms":                              "duration <= 1ms || duration = null",
		"NOT(duration > 1ms AND gcId = 1)":                "duration <= 1ms || duration = null || gcId != 1",
		"!(duration > 1ms || gcId = 1)":                   "(duration <= 1ms || duration = null) && gcId != 1",
		"! ( ! ( gcId = 1 ) )":                            "gcId = 1",
		"!!(gcId = 1) and not not gcId = 1":               "gcId = 1",
		"not gcId = 1 and gcId < 3":                       "(gcId != 1) && gcId < 3",
		"NOT stackTrace ~ HashMap":                        "stackTrace !~ HashMap",
		"gcId <> 1":                                       "gcId != 1",
		"gcId IN (1, 2,'3')":                              "gcId = 1 || gcId = 2 || gcId = 3",
		"gcId in(1)":                                      "gcId = 1",
		"gcId not in (1, 2)":                              "gcId != 1 && gcId != 2",
		"not gcId not in (1, 2)":                          "gcId = 1 || gcId = 2",
		"timeout in (null, 0)":                            "timeout = null || timeout = 0",
		"stackTrace in (java.lang.Thread.run(), a.b,'c')": "stackTrace = java.lang.Thread.run() || stackTrace = c",
		"objectClass in (byte[], java.lang.String)":       "objectClass = byte[] || objectClass = java.lang.String",
		"stackTrace IS NULL":                              "stackTrace = null",
		"(timeout is  not\tnull)":                         "timeout != null",
		"NOT timeout IS NULL":                             "timeout != null",
		"thread LIKE 'G1%'":                               "thread ~ ^G1",
		"thread like %main":                               "thread ~ 'main$'",
		"thread LIKE '%a_n%'":                             "thread ~ a.n",
		"thread LIKE main":                                "thread = main",
		"thread NOT LIKE 'main%%'":                        "thread !~ ^main",
		"thread LIKE '%'":                                 "thread != null",
		"stackTrace LIKE '%.HashMap.put%'":                `stackTrace ~ '\.HashMap\.put'`,
		"gcId BETWEEN 1 AND 3":                            "gcId >= 1 && gcId <= 3",
		"duration between 1ms and 50ms and gcId=null":     "duration >= 1ms && duration <= 50ms && gcId = null",
		"duration NOT BETWEEN 1ms AND 50ms":               "duration < 1ms || duration > 50ms || duration = null",
		"thread between 'G' and 'H'":                      "thread >= G && thread <= H",
		"duration > 1 ms and gcId < 3":                    "duration > 1ms && gcId < 3",
		"allocated >= 1.5 kB":                             "allocated >= 1536B",
		"duration in (5 ms, 1 s) or gcId = 1 or gcId = 2": "duration = 5ms || duration = 1s || gcId = 1 || gcId = 2",
		"stackTrace.truncated = TRUE":                     "stackTrace.truncated = true",
	} {
		a, err := where.Parse(words)
		require.NoError(t, err, words)
		b, err := where.Parse(symbols)
		require.NoError(t, err, symbols)
		assert.Equal(t, offsets(t, rec.Select(), b.Matches), offsets(t, rec.Select(), a.Matches), words)
		for _, typ := range types(t, rec) {
			assert.Equal(t, b.CanMatch(typ), a.CanMatch(typ), "%s: %s", words, typ.Name())
		}
	}
}

// TestNotNeedsTheField: an event whose type does not have the field never matches.
func TestNotNeedsTheField(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	c, err := where.Parse("NOT (parkedClass = x OR parkedClass ~ y)")
	require.NoError(t, err)
	n := 0
	for ev := range rec.Events() {
		if c.Matches(ev) {
			assert.True(t, ev.Has(mmapjfr.Path("parkedClass")), ev.Type())
			n++
		}
	}
	assert.Positive(t, n)
}

// TestWordsAsNames is about fields and texts that are words of the language.
func TestWordsAsNames(t *testing.T) {
	b := jfrtest.NewChunk()
	var fields []jfrtest.Field
	names := []string{"not", "and", "in", "is", "like", "between", "group"}
	for _, name := range names {
		fields = append(fields, jfrtest.Of(name, "java.lang.String"))
	}
	b.Emit(b.Event("E", fields...), b.Header.StartTicks+5, "not", "and", "in", "is", "like", "a%b_\\c", "%")
	rec := opentest.Bytes(t, b.Bytes())
	for text, want := range map[string]bool{
		"not=not": true, "NOT not=not": false, "not !~ not": false, "`not` in (not)": true, "NOT `not` is null": true, "not ~ ^not && and=and": true,
		"and = and and and = and": true, "in in (in, is)": true, "is is null": false, "is is not null": true, "like like like": true,
		"in not in (in)": false, "not like in (in, like)": false, "like=like or between=x": true,
		`between like 'a\%b\_\\\\c'`: true, `between like 'a\%b\_\\c'`: true, `between like 'a\_b%'`: false, `between like 'a_b__c'`: true, `between LIKE '_'`: false,
		`group like '\%'`: true, `group like '\\%'`: true, `group like '\_'`: false, "group between '$' and '&'": true,
		`between not like 'A%'`: true, "group = '%' AND NOT (in = x OR is = y)": true,
	} {
		c, err := where.Parse(text)
		require.NoError(t, err, text)
		for ev := range rec.Events() {
			assert.Equal(t, want, c.Matches(ev), text)
		}
	}
}

func TestSpellingsRejected(t *testing.T) {
	for text, want := range map[string]string{
		"a IN 1":               "character 6: the values of IN stand in parentheses, as in IN (1, 2)",
		"a IN ()":              "a value is missing",
		"a IN (1":              "character 8: expected a comma or a closing parenthesis",
		"a IN (1 2)":           "a comma or a closing parenthesis",
		"a BETWEEN 1":          "character 12: expected AND, as in BETWEEN 1 AND 2",
		"a BETWEEN 1 && 2":     "expected AND",
		"a BETWEEN null AND 1": "null can only be compared by = and !=",
		"a LIKE null":          "null can only be compared by = and !=",
		"a IS 1":               "character 6: expected NULL or NOT NULL",
		"a NOT IS NULL":        "character 3: an operator is missing, one of = != < <= > >= ~ !~",
		"a NOT = 1":            "an operator is missing",
		"a ANDROID 1":          "an operator is missing",
		"a = 1 ANDb = 2":       "expected AND or OR",
		"NOT":                  "the name of a field is missing",
		"!a = 1":               "character 1: the name of a field is missing",
		"a = 1 AND":            "character 10: the name of a field is missing",
		"a = 1 GROUP BY b":     "expected AND or OR",
	} {
		_, err := where.Parse(text)
		require.ErrorContains(t, err, want, text)
		syntax := new(where.SyntaxError)
		require.ErrorAs(t, err, &syntax, text)
		assert.Contains(t, syntax.Error(), syntax.Message)
	}
	_, err := where.Parse("é = 1 && a..b = 2")
	syntax := new(where.SyntaxError)
	require.ErrorAs(t, err, &syntax)
	assert.Equal(t, "é = 1 && a..b = 2", syntax.Text)
	assert.Equal(t, []int{10, 10}, []int{syntax.Offset, syntax.Position()})
	assert.Equal(t, `field path "a..b": a field name is missing at character 3`, syntax.Message)
}

func stopWord(word string) bool {
	return slices.Contains([]string{"GROUP", "ORDER", "LIMIT", "SELECT", "FROM"}, strings.ToUpper(word))
}

func TestParseAt(t *testing.T) {
	for text, want := range map[string][2]string{ // the condition and the rest
		"a = 1":                                {"a = 1", ""},
		" a=1 GROUP BY b":                      {"a=1", "GROUP BY b"},
		"a = group and group=1 group by c":     {"a = group && group=1", "group by c"},
		"a in (1, 2)ORDER BY x":                {"a in (1, 2)", "ORDER BY x"},
		"a is null\nlimit 5":                   {"a is null", "limit 5"},
		"a = 1) OR b = 2":                      {"a = 1", ") OR b = 2"},
		"(a = 1 or b = 2) and c=3 ) x":         {"(a = 1 || b = 2) && c=3", ") x"},
		"a = 1;":                               {"a = 1", ";"},
		"a = x;y ; select":                     {"a = x;y", "; select"},
		"a = 'x';\nselect":                     {"a = 'x'", ";\nselect"},
		"a = 1 -- one\n and b = 2 -- x":        {"a = 1 && b = 2", ""},
		"not (a = 1 and not b ~ x) order by c": {"NOT a = 1 || b ~ x", "order by c"},
		"not a = 1 and not `not`=2":            {"NOT a = 1 && NOT `not`=2", ""},
		"`from`=1 from x":                      {"`from`=1", "from x"},
	} {
		l := &where.Lexer{Text: text, Comments: true}
		c, err := where.ParseAt(l, where.Options{}, stopWord)
		require.NoError(t, err, text)
		assert.Equal(t, want, [2]string{c.String(), text[l.At:]}, text)
		_, err = where.Parse(c.String())
		require.NoError(t, err, "%s of %s", c, text)
	}
	for text, want := range map[string]string{
		"GROUP BY b":          "character 1: the name of a field is missing",
		"a = 1 and  LIMIT 3":  "character 12: the name of a field is missing",
		"(a = 1 GROUP BY b)":  "character 8: a parenthesis is not closed",
		"a = 1 WITH b":        "character 7: expected AND or OR; put values with spaces in quotes, and write numbers with their unit, as in 20ms",
		"a = 'é' -- é\n or b": "character 19: an operator is missing, one of = != < <= > >= ~ !~",
	} {
		_, err := where.ParseAt(&where.Lexer{Text: text, Comments: true}, where.Options{}, stopWord)
		require.ErrorContains(t, err, want, text)
	}
}

func TestRename(t *testing.T) {
	c, err := where.Parse("A.x = 1 AND (B.y > 2 OR NOT (z ~ a AND A.u IN (1, 2))) AND B.v IS NULL")
	require.NoError(t, err)
	assert.Equal(t, []string{"A.x", "B.y", "z", "A.u", "B.v"}, c.Fields())
	of := func(source string) string {
		own := c.Rename(func(field string) (string, bool) {
			alias, rest, ok := strings.Cut(field, ".")
			if !ok {
				return field, source != "none"
			}
			return rest, alias == source
		})
		if own == nil {
			return "nil"
		}
		return own.String()
	}
	assert.Equal(t, "x = 1 && (NOT z ~ a || NOT u IN (1, 2))", of("A"))
	assert.Equal(t, "(y > 2 || NOT z ~ a) && v IS NULL", of("B"))
	assert.Equal(t, "NOT z ~ a", of("C"))
	assert.Equal(t, "nil", of("none"))
	c, err = where.Parse("a = 1 or a = 2")
	require.NoError(t, err)
	assert.Equal(t, "`b=c` = 1 || `b=c` = 2", c.Rename(func(string) (string, bool) { return "b=c", true }).String())
	assert.Equal(t, []string{"a"}, c.Fields())
}

// TestFieldErrorPosition: a statement shows where the comparison is that fits no event type.
func TestFieldErrorPosition(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	c, err := where.Parse("duration > 1ms AND NOT gcId IN (1, many)")
	require.NoError(t, err)
	_, err = c.Filter(types(t, rec))
	var field *where.FieldError
	require.True(t, errors.As(err, &field))
	assert.Equal(t, where.FieldError{Comparison: "NOT gcId IN (1, many)", Offset: 23, Message: "gcId is a number, and many is not"}, *field)
}
