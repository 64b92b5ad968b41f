package where_test

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
)

var open = opentest.File

func types(t testing.TB, rec *mmapjfr.Recording) []mmapjfr.Type {
	t.Helper()
	list, err := rec.Types()
	require.NoError(t, err)
	return list
}

// offsets returns the offsets of the events that match.
func offsets(t testing.TB, sel *mmapjfr.Selection, matches func(mmapjfr.Event) bool) (list []uint64) {
	t.Helper()
	for ev, err := range sel.Events() {
		require.NoError(t, err)
		if matches(ev) {
			list = append(list, ev.Offset())
		}
	}
	return list
}

// get returns what a path leads to; false if the event's type has no such field.
func get(ev mmapjfr.Event, path string) (mmapjfr.Value, bool) {
	p := mmapjfr.Path(path)
	return ev.Get(p), ev.Has(p)
}

func method(m mmapjfr.Method) string {
	return m.Class().Name() + "." + m.Name()
}

func anyFrame(s mmapjfr.StackTrace, holds func(string) bool) bool {
	for f := range s.Frames() {
		if holds(method(f.Method())) {
			return true
		}
	}
	return false
}

func TestMatches(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	middle := rec.Start().Add(rec.End().Sub(rec.Start()) / 2).Truncate(time.Millisecond)
	duration := func(holds func(time.Duration) bool) func(mmapjfr.Event) bool {
		return func(ev mmapjfr.Event) bool {
			v, ok := get(ev, "duration")
			return ok && v.Int() != math.MinInt64 && holds(v.Duration())
		}
	}
	number := func(path string, holds func(float64) bool) func(mmapjfr.Event) bool {
		return func(ev mmapjfr.Event) bool {
			v, ok := get(ev, path)
			return ok && v.Kind() != mmapjfr.KindNone && !engine.ValueIsUnset(v) && holds(v.Float())
		}
	}
	thread := func(ev mmapjfr.Event) (string, bool) {
		for _, path := range []string{"thread", "eventThread", "sampledThread"} {
			if v, ok := get(ev, path); ok {
				return v.Thread().Name(), !v.Thread().IsZero()
			}
		}
		return "", false
	}
	hasStack := func(ev mmapjfr.Event) bool { _, ok := get(ev, "stackTrace"); return ok }
	hash := regexp.MustCompile(`HashMap\.put`)
	for text, want := range map[string]func(mmapjfr.Event) bool{
		"duration>1ms":             duration(func(d time.Duration) bool { return d > time.Millisecond }),
		"duration >= 1ms":          duration(func(d time.Duration) bool { return d >= time.Millisecond }),
		"duration<0.5us":           duration(func(d time.Duration) bool { return d < 500 }),
		"duration<=0":              duration(func(d time.Duration) bool { return d <= 0 }),
		"duration=0":               duration(func(d time.Duration) bool { return d == 0 }),
		"duration!=0s":             duration(func(d time.Duration) bool { return d != 0 }),
		"bytesRead>1kB":            number("bytesRead", func(n float64) bool { return n > 1024 }),
		"allocationSize>=0x10":     number("allocationSize", func(n float64) bool { return n >= 16 }),
		"weight>1.5kB":             number("weight", func(n float64) bool { return n > 1536 }),
		"gcId==2":                  number("gcId", func(n float64) bool { return n == 2 }),
		"gcId=1||(gcId=2)&&gcId<3": number("gcId", func(n float64) bool { return n == 1 || n == 2 }),
		"stackTrace~Hash(Map|Set)\\.put||gcId=1": func(ev mmapjfr.Event) bool {
			v, ok := get(ev, "gcId")
			return ok && v.Int() == 1 || anyFrame(ev.StackTrace(), regexp.MustCompile(`Hash(Map|Set)\.put`).MatchString)
		},
		"gcId<2.5":                   number("gcId", func(n float64) bool { return n < 2.5 }),
		"machineTotal>10%":           number("machineTotal", func(n float64) bool { return n > 0.1 }),
		"machineTotal<=0.5":          number("machineTotal", func(n float64) bool { return n <= 0.5 }),
		"heapSpace.committedSize>1B": number("heapSpace.committedSize", func(n float64) bool { return n > 1 }),
		"startTime<" + middle.Format(time.RFC3339Nano): func(ev mmapjfr.Event) bool { return ev.Start().Before(middle) },
		"startTime >= '" + middle.Format("2006-01-02 15:04:05.000") + "'": func(ev mmapjfr.Event) bool {
			return !ev.Start().Before(middle)
		},
		"stackTrace.truncated=true": func(ev mmapjfr.Event) bool { v, ok := get(ev, "stackTrace.truncated"); return ok && v.Bool() },
		"stackTrace.truncated!=true || thrownClass=java.lang.IllegalStateException": func(ev mmapjfr.Event) bool {
			v, ok := get(ev, "stackTrace.truncated")
			c, _ := get(ev, "thrownClass")
			return ok && !v.Bool() || c.Class().Name() == "java.lang.IllegalStateException"
		},
		"thread=main":  func(ev mmapjfr.Event) bool { name, ok := thread(ev); return ok && name == "main" },
		"thread!=main": func(ev mmapjfr.Event) bool { name, _ := thread(ev); return name != "main" && hasThread(ev) },
		"eventThread~^G1": func(ev mmapjfr.Event) bool {
			v, _ := get(ev, "eventThread")
			return strings.HasPrefix(v.Thread().Name(), "G1")
		},
		"eventThread.javaThreadId=1": number("eventThread.javaThreadId", func(n float64) bool { return n == 1 }),
		"stackTrace~HashMap\\.put": func(ev mmapjfr.Event) bool {
			return anyFrame(ev.StackTrace(), hash.MatchString)
		},
		"stackTrace!~'HashMap\\.put'": func(ev mmapjfr.Event) bool {
			return hasStack(ev) && !anyFrame(ev.StackTrace(), hash.MatchString)
		},
		"stackTrace=java.lang.Thread.run": func(ev mmapjfr.Event) bool {
			return anyFrame(ev.StackTrace(), func(m string) bool { return m == "java.lang.Thread.run" })
		},
		"stackTrace.frames!=java.lang.Thread.run": func(ev mmapjfr.Event) bool {
			return hasStack(ev) && !anyFrame(ev.StackTrace(), func(m string) bool { return m == "java.lang.Thread.run" })
		},
		"stackTrace.frames[0].method.name=park": func(ev mmapjfr.Event) bool {
			return ev.StackTrace().Frame(0).Method().Name() == "park"
		},
		"stackTrace.frames[0].lineNumber>1000": func(ev mmapjfr.Event) bool { return ev.StackTrace().Frame(0).Line() > 1000 },
		"stackTrace=null":                      func(ev mmapjfr.Event) bool { return hasStack(ev) && ev.StackTrace().IsZero() },
		"stackTrace!=null":                     func(ev mmapjfr.Event) bool { return !ev.StackTrace().IsZero() },
		"timeout=null": func(ev mmapjfr.Event) bool {
			v, ok := get(ev, "timeout")
			return ok && (v.Kind() == mmapjfr.KindNone || v.Int() == math.MinInt64)
		},
		"objectClass=byte[]": func(ev mmapjfr.Event) bool { v, _ := get(ev, "objectClass"); return v.Class().Name() == "byte[]" },
		"objectClass>k": func(ev mmapjfr.Event) bool {
			v, _ := get(ev, "objectClass")
			return v.Class().Name() > "k"
		},
		"method~run$ && (compileLevel=1 || compileLevel=4)": func(ev mmapjfr.Event) bool {
			v, _ := get(ev, "method")
			l, _ := get(ev, "compileLevel")
			return strings.HasSuffix(method(v.Method()), "run") && (l.Int() == 1 || l.Int() == 4)
		},
		"state=STATE_RUNNABLE":      func(ev mmapjfr.Event) bool { v, _ := get(ev, "state"); return v.Str() == "STATE_RUNNABLE" },
		"gcName=G1New && cause~^G1": func(ev mmapjfr.Event) bool { return false },
		"when~\"Before\"":           func(ev mmapjfr.Event) bool { v, _ := get(ev, "when"); return strings.Contains(v.Str(), "Before") },
		"loadedClass.classLoader=bootstrap || definingClassLoader=app": func(ev mmapjfr.Event) bool {
			a, _ := get(ev, "loadedClass.classLoader")
			b, _ := get(ev, "definingClassLoader")
			return a.ClassLoader().Name() == "bootstrap" || b.ClassLoader().Name() == "app"
		},
	} {
		t.Run(text, func(t *testing.T) {
			c, err := where.Parse(text)
			require.NoError(t, err)
			assert.Equal(t, text, c.String())
			compareBatches(t, rec, []*where.Condition{c}, 255)
			naive := offsets(t, rec.Select(), want)
			assert.Equal(t, naive, offsets(t, rec.Select(), c.Matches))
			can := mmapjfr.TypesFunc(c.CanMatch)
			assert.Equal(t, naive, offsets(t, rec.Select(can), c.Matches), "every matching event passes the filter")
			f, err := c.Filter(types(t, rec))
			if err != nil {
				assert.Empty(t, naive, err)
				return
			}
			for _, typ := range types(t, rec) {
				assert.Equal(t, engine.MatchesType(f, typ), c.CanMatch(typ), typ.Name())
			}
			assert.Equal(t, naive, offsets(t, rec.Select(f), c.Matches), "every matching event passes the filter")
			for ev := range rec.Select(f).Events() {
				assert.NotEqual(t, "jdk.ActiveSetting", ev.Type().Name(), "has none of the fields")
				break
			}
		})
	}
}

func hasThread(ev mmapjfr.Event) bool {
	_, a := get(ev, "thread")
	_, b := get(ev, "eventThread")
	_, c := get(ev, "sampledThread")
	return a || b || c
}

// TestMatchesEveryKind compares the least and greatest values of all kinds.
func TestMatchesEveryKind(t *testing.T) {
	rec := open(t, "jdk25-kinds.jfr")
	for _, tc := range []struct {
		typ, text string
		want      func(v mmapjfr.Value) bool // of the field that the condition begins with
	}{
		{"Primitives", "z=true", mmapjfr.Value.Bool},
		{"Primitives", "z!=true", func(v mmapjfr.Value) bool { return !v.Bool() }},
		{"Primitives", "b=-128", func(v mmapjfr.Value) bool { return v.Int() == -128 }},
		{"Primitives", "s>=32767", func(v mmapjfr.Value) bool { return v.Int() == 32767 }},
		{"Primitives", "c!~[A-Z]", func(v mmapjfr.Value) bool { return v.Int() < 'A' || v.Int() > 'Z' }},
		{"Primitives", "c<a", func(v mmapjfr.Value) bool { return v.Int() < 'a' }},
		{"Primitives", "i=null", func(v mmapjfr.Value) bool { return false }},
		{"Primitives", "i!=null", func(v mmapjfr.Value) bool { return true }},
		{"Primitives", "i<0", func(v mmapjfr.Value) bool { return v.Int() < 0 }},
		{"Primitives", "i>=0.5", func(v mmapjfr.Value) bool { return v.Int() > 0 }},
		{"Primitives", "l=9223372036854775807", func(v mmapjfr.Value) bool { return v.Int() == math.MaxInt64 }},
		{"Primitives", "l<9223372036854775807", func(v mmapjfr.Value) bool { return v.Int() < math.MaxInt64 }},
		{"Primitives", "l<=-9223372036854775808", func(v mmapjfr.Value) bool { return v.Int() == math.MinInt64 }},
		{"Primitives", "l!=1", func(v mmapjfr.Value) bool { return v.Int() != 1 }},
		{"Primitives", "f=0.1", func(v mmapjfr.Value) bool { return float32(v.Float()) == 0.1 }},
		{"Primitives", "f=3.4028235e38", func(v mmapjfr.Value) bool { return v.Float() == math.MaxFloat32 }},
		{"Primitives", "d=null", func(v mmapjfr.Value) bool { return math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0) }},
		{"Primitives", "d!=null", func(v mmapjfr.Value) bool { return !math.IsNaN(v.Float()) && !math.IsInf(v.Float(), 0) }},
		{"Primitives", "d<=1", func(v mmapjfr.Value) bool { return v.Float() <= 1 && !math.IsInf(v.Float(), -1) }},
		{"Primitives", "d>1e300", func(v mmapjfr.Value) bool { return v.Float() > 1e300 }},
		{"UnsignedNumbers", "b=255", func(v mmapjfr.Value) bool { return v.Uint() == 255 }},
		{"UnsignedNumbers", "s>0x7fff", func(v mmapjfr.Value) bool { return v.Uint() > 0x7fff }},
		{"UnsignedNumbers", "i=4294967295", func(v mmapjfr.Value) bool { return v.Uint() == math.MaxUint32 }},
		{"UnsignedNumbers", "l=18446744073709551615", func(v mmapjfr.Value) bool { return v.Uint() == math.MaxUint64 }},
		{"UnsignedNumbers", "l>9223372036854775807", func(v mmapjfr.Value) bool { return v.Uint() > math.MaxInt64 }},
		{"UnsignedNumbers", "l>0.5", func(v mmapjfr.Value) bool { return v.Uint() > 0 }},
		{"UnsignedNumbers", "l>-1", func(v mmapjfr.Value) bool { return true }},
		{"UnsignedNumbers", "l=null", func(v mmapjfr.Value) bool { return false }},
		{"Instants", "millis=null", func(v mmapjfr.Value) bool { return v.Int() == math.MinInt64 }},
		{"Instants", "millis<=1970-01-01", func(v mmapjfr.Value) bool { return v.Int() != math.MinInt64 && v.Int() <= 0 }},
		{"Instants", "ticks>2026-01-01", func(v mmapjfr.Value) bool { return v.Time().Year() >= 2026 }},
		{"Spans", "seconds>=1d", func(v mmapjfr.Value) bool { return v.Duration() >= 24*time.Hour }},
		{"Spans", "shortMillis>1s", func(v mmapjfr.Value) bool { return v.Duration() > time.Second }},
		{"Spans", "ticks>=10000d", func(v mmapjfr.Value) bool { return v.Duration() >= 240000*time.Hour }},
		{"Spans", "ticks=null", func(v mmapjfr.Value) bool { return v.Duration() == mmapjfr.NoDuration }},
		{"Spans", "nanos=null", func(v mmapjfr.Value) bool { return v.Int() == math.MinInt64 }},
		{"Spans", "micros<-1us", func(v mmapjfr.Value) bool { return v.Int() < -1 && v.Int() != math.MinInt64 }},
		{"Measures", "bytes=1kB", func(v mmapjfr.Value) bool { return v.Int() == 1024 }},
		{"Measures", "bytes>0.5KiB", func(v mmapjfr.Value) bool { return v.Int() > 512 }},
		{"Measures", "percentFloat>=50%", func(v mmapjfr.Value) bool { return v.Float() >= 0.5 }},
		{"Measures", "address>0x1000", func(v mmapjfr.Value) bool { return v.Uint() > 0x1000 }},
		{"References", "text=null", mmapjfr.Value.IsNull},
		{"References", `text=""`, func(v mmapjfr.Value) bool { return v.Kind() == mmapjfr.KindString && v.Str() == "" }},
		{"References", `text!=""`, func(v mmapjfr.Value) bool { return v.IsNull() || v.Str() != "" }},
		{"References", `text~.`, func(v mmapjfr.Value) bool { return v.Str() != "" }},
		{"References", `text!~.`, func(v mmapjfr.Value) bool { return v.Str() == "" }},
		{"References", "thread=main", func(v mmapjfr.Value) bool { return v.Thread().Name() == "main" }},
		{"References", "type=java.lang.String", func(v mmapjfr.Value) bool { return v.Class().Name() == "java.lang.String" }},
		{"References", "type=null", mmapjfr.Value.IsNull},
		{"References", "from.javaThreadId>0", func(v mmapjfr.Value) bool { return v.Int() > 0 }},
	} {
		t.Run(tc.typ+" "+tc.text, func(t *testing.T) {
			c, err := where.Parse(tc.text)
			require.NoError(t, err)
			sel := rec.Select(mmapjfr.Types("gen.KindEvents$" + tc.typ))
			path := mmapjfr.Path(tc.text[:strings.IndexAny(tc.text, "=!<>~")])
			want := offsets(t, sel, func(ev mmapjfr.Event) bool {
				require.True(t, ev.Has(path))
				return tc.want(ev.Get(path))
			})
			assert.Equal(t, want, offsets(t, sel, c.Matches))
			typ, _ := rec.Type("gen.KindEvents$" + tc.typ)
			_, err = c.Filter([]mmapjfr.Type{typ})
			require.NoError(t, err)
			compareBatches(t, rec, []*where.Condition{c}, 255)
		})
	}
}

func TestAll(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	a, err := where.Parse("thread=main || duration>1ms")
	require.NoError(t, err)
	b, err := where.Parse("stackTrace~^gen")
	require.NoError(t, err)
	both := where.All(a, b)
	want := offsets(t, rec.Select(), func(ev mmapjfr.Event) bool { return a.Matches(ev) && b.Matches(ev) })
	require.NotEmpty(t, want)
	assert.Equal(t, want, offsets(t, rec.Select(), both.Matches))
	assert.Equal(t, "(thread=main || duration>1ms) && (stackTrace~^gen)", both.String())
	_, err = where.Parse(both.String())
	require.NoError(t, err)
}

func TestParseZone(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	zone := time.FixedZone("", 5*3600)
	end := rec.End().Add(-time.Second)
	c, err := where.ParseWith("startTime>'"+end.In(zone).Format("2006-01-02 15:04:05.999999999")+"'", where.Options{Zone: zone})
	require.NoError(t, err)
	want := offsets(t, rec.Select(), func(ev mmapjfr.Event) bool { return ev.Start().After(end) })
	require.NotEmpty(t, want)
	assert.Equal(t, want, offsets(t, rec.Select(), c.Matches))
}

func TestParseRejects(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "character 1: the name of a field is missing",
		"  ":               "character 3: the name of a field is missing",
		"duration":         "character 9: an operator is missing, one of = != < <= > >= ~ !~",
		"duration 10ms":    "an operator is missing",
		"duration>":        "a value is missing",
		"duration> && a=1": "a value is missing",
		"a=1 b=2":          "character 5: expected AND or OR; put values with spaces in quotes, and write numbers with their unit, as in 20ms",
		"a=1 &&":           "the name of a field is missing",
		"(a=1":             "a parenthesis is not closed",
		"a=1)":             "character 4: a parenthesis closes none",
		"a='x":             "character 3: a quote is not closed",
		`a='\`:             "character 3: a quote is not closed",
		`a='\u00e'`:        `character 5: \u needs four hexadecimal digits, and a backslash is \\`,
		`a='C:\users'`:     `\u needs four hexadecimal digits`,
		`a='\ud83d\u'`:     `\u needs four hexadecimal digits`,
		"a~(":              "missing closing )",
		"a<null":           "null can only be compared by = and !=",
		"a..b=1":           "a field name is missing",
		"é=1 ü":            "character 5: ",
		strings.Repeat("a=1 || ", 1_000_000) + "a=1":                "...\", character 70001: there are more than 10000 comparisons; IN compares a field with many values",
		strings.Repeat("(", 200) + "a=1" + strings.Repeat(")", 200): "nested too deep",
	} {
		_, err := where.Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestParseQuotes(t *testing.T) {
	rec := open(t, "jdk25-strings.jfr")
	for text, want := range map[string]string{
		`text="plain ASCII"`:             "plain ASCII",
		`text='plain ASCII'`:             "plain ASCII",
		`text='"quoted" \'single\''`:     `"quoted" 'single'`,
		`text="\"quoted\" 'single'"`:     `"quoted" 'single'`,
		`text='back\\slash \\n /slash/'`: `back\slash \n /slash/`,
		`text='back\slash \\n \/slash/'`: `back\slash \n /slash/`,
		`text="plain\u0020ASCII"`:        "plain ASCII",
		`text~"^plain\u0020ASCI\u0049$"`: "plain ASCII",
		`text~'^back.slash .n /slash/$'`: `back\slash \n /slash/`,
		`text~'^\w+ ASCII$'`:             "plain ASCII",
		`text=日本語`:                       "日本語",
		`text="null"`:                    "null",
		`text=%s\u0020%d`:                "",
	} {
		c, err := where.Parse(text)
		require.NoError(t, err, text)
		got := ""
		for ev := range rec.Select(mmapjfr.Types("gen.Strings$Text")).Events() {
			if c.Matches(ev) {
				got = ev.Str(mmapjfr.Path("text"))
			}
		}
		assert.Equal(t, want, got, text)
	}
}

func TestFilterRejects(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	for text, want := range map[string]string{
		"durtion>1ms":                "no event type that is selected has a field durtion; did you mean duration?",
		"duration>1ms || nmae=x":     "has a field nmae; did you mean name?",
		"eventThread.javName=x":      "type java.lang.Thread has no field javName; it has osName…; did you mean javaName?",
		"duration>10":                "duration is a length of time: give it a unit, as in 10ms",
		"startTime>10ms":             "startTime is a point in time",
		"stackTrace.truncated=yes":   "stackTrace.truncated is true or false",
		"stackTrace.truncated>false": "stackTrace.truncated can only be compared by = and !=",
		"gcId=many":                  "gcId is a number, and many is not",
		"gcId~1":                     "gcId is not text",
		"stackTrace>a":               "a stack trace can only be compared by",
		"heapSpace=1":                "values of heapSpace can only be compared with null",
		"gcId=1 && parkedClass!=x":   "no event type has all the fields of the condition",
		"machineTotal>x%":            "machineTotal is a number",
	} {
		c, err := where.Parse(text)
		require.NoError(t, err)
		_, err = c.Filter(types(t, rec))
		for part := range strings.SplitSeq(want, "…") {
			require.ErrorContains(t, err, part, text)
		}
		for ev := range rec.Events() {
			require.Falsef(t, !strings.Contains(text, "||") && c.Matches(ev), "%s: %s", text, ev)
		}
	}
}

// TestFilterKeepsOthersOut is about what does not have to be looked into.
func TestFilterKeepsOthersOut(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	c, err := where.Parse("parkedClass!=null || metaspace.used>0")
	require.NoError(t, err)
	f, err := c.Filter(types(t, rec))
	require.NoError(t, err)
	var names []string
	for _, typ := range types(t, rec) {
		if engine.MatchesType(f, typ) {
			names = append(names, typ.Name())
		}
	}
	assert.ElementsMatch(t, []string{"jdk.ThreadPark", "jdk.MetaspaceSummary"}, names)
}

func TestMatchesAllocatesNothing(t *testing.T) {
	if raceDetector {
		t.Skip("pools lose what they hold")
	}
	rec := open(t, "jdk25-profile.jfr")
	for _, text := range []string{
		"duration>1ms", "startTime>2026-01-01", "thread~^pool && eventThread!=main", "stackTrace~HashMap", "stackTrace.frames=java.lang.Thread.run",
		"objectClass=byte[]", "method~run", "path~txt$", "machineTotal>10% || gcId=1", "stackTrace!=null", "stackTrace.truncated=true",
	} {
		c, err := where.Parse(text)
		require.NoError(t, err)
		var events []mmapjfr.Event
		for ev := range rec.Events() {
			events = append(events, ev.Detached())
		}
		all := func() {
			for _, ev := range events {
				c.Matches(ev)
			}
		}
		all()
		assert.Zero(t, testing.AllocsPerRun(5, all), text)
	}
}

// TestMatchesInParallel is for the race detector, too.
func TestMatchesInParallel(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	c, err := where.Parse("stackTrace~HashMap && thread!=x || objectClass~^java")
	require.NoError(t, err)
	want := len(offsets(t, rec.Select(), c.Matches))
	n, err := mmapjfr.Fold(t.Context(), rec.Select(), func(sum *int, ev mmapjfr.Event) error {
		if c.Matches(ev) {
			*sum++
		}
		return nil
	}, func(sum, next *int) { *sum += *next })
	require.NoError(t, err)
	assert.Equal(t, want, n)
	require.NotZero(t, n)
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"duration>10ms", "a=1 && b>2 || (c~'x' && d!~y)", `text="a\"b"`, "startTime>='2026-11-20 21:22:37.5'", "x=0x7f", "y>50%", "stackTrace~a(b)",
		"thread=null", "a[0].b=1", "((", "a='", "é>ü",
		`text="\u00e9\ud83d\ude00\t\n\"\\"`, `text~'\b\u005b\d'`, `text="\ud83d\u0041"`, `a="\u12"`, `a='\`, `a=C:\temp`,
		"startTime<+12026-11-20", "startTime>-0001-02-29T10:00Z", "startTime=-10s",
		"NOT a=1 and not !(b <> 2 Or c IN (1, 'x',y(z)))", "d not in(null) AND text LIKE '%a\\%_'", "duration BETWEEN 1ms AND 2h or text is not null", "not=not",
		"z = TRUE -- x\n and i=1;", "`not` is null) x", "text like %",
	} {
		f.Add(text)
	}
	rec := open(f, "jdk25-kinds.jfr")
	all := types(f, rec)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := where.Parse(text)
		if err != nil {
			return
		}
		l := &where.Lexer{Text: text + " GROUP BY x", Comments: true}
		prefix, err := where.ParseAt(l, where.Options{}, stopWord)
		rest := l.Text[l.At:]
		if plain := !strings.Contains(text, "--") && !strings.Contains(text, ";"); err == nil && rest == "GROUP BY x" {
			if _, err := where.Parse(prefix.String()); err != nil && plain {
				t.Errorf("%q: %v", text, err)
			}
		} else if plain && !strings.Contains(strings.ToLower(text), "o") {
			t.Errorf("%q: rest %q, %v", text, rest, err) // without stop words
		}
		not, err := where.Parse("NOT(" + text + ")")
		if err != nil && strings.Contains(text, "(") {
			return // a parenthesis of a value can take the one that should close
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		filter, err := c.Filter(all)
		matching := 0
		for ev := range rec.Events() {
			matches := c.Matches(ev)
			if matches {
				matching++
			}
			if matches && not.Matches(ev) {
				t.Errorf("%q and its negation match", text)
			}
		}
		if err != nil {
			return
		}
		for ev := range rec.Select(filter).Events() {
			if c.Matches(ev) {
				matching--
			}
		}
		if matching != 0 {
			t.Errorf("%q: %d matching events do not pass the filter", text, matching)
		}
	})
}
