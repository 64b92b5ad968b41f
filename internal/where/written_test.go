package where_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestMatchesTextsAsWritten is about methods, frames and classes as they are written elsewhere,
// and about fields that any event has.
func TestMatchesTextsAsWritten(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	full := func(f mmapjfr.Frame) string { return f.Method().Signature() }
	lined := func(f mmapjfr.Frame) string { return full(f) + ":" + strconv.Itoa(f.Line()) }
	frame := func(holds func(f mmapjfr.Frame) bool) func(mmapjfr.Event) bool {
		return func(ev mmapjfr.Event) bool {
			for f := range ev.StackTrace().Frames() {
				if holds(f) {
					return true
				}
			}
			return false
		}
	}
	equal := func(text func(mmapjfr.Frame) string, want string) func(mmapjfr.Event) bool {
		return frame(func(f mmapjfr.Frame) bool { return text(f) == want })
	}
	const putVal = "java.util.concurrent.ConcurrentHashMap.putVal"
	var sample mmapjfr.Event
	for ev := range rec.Events() {
		if equal(func(f mmapjfr.Frame) string { return method(f.Method()) }, putVal)(ev) {
			sample = ev.Detached()
			break
		}
	}
	require.False(t, sample.IsZero())
	line := ""
	for f := range sample.StackTrace().Frames() {
		if method(f.Method()) == putVal {
			line = strconv.Itoa(f.Line())
		}
	}
	cell := func(s mmapjfr.StackTrace) string {
		var all []string
		for f := range s.Frames() {
			all = append(all, strings.TrimSuffix(strings.TrimSuffix(lined(f), ":0"), ":-1"))
		}
		return strings.Join(all, ";")
	}
	class := func(name string) func(mmapjfr.Event) bool {
		return func(ev mmapjfr.Event) bool {
			for f, v := range ev.Fields() {
				if f.Type().Name() == "java.lang.Class" {
					return v.Class().Name() == name
				}
			}
			v, _ := get(ev, "object.type")
			return v.Class().Name() == name
		}
	}
	main := func(ev mmapjfr.Event) bool {
		for _, name := range []string{"eventThread", "sampledThread", "thread"} {
			if v, ok := get(ev, name); ok {
				return v.Thread().Name() == "main"
			}
		}
		return false
	}
	for text, want := range map[string]func(mmapjfr.Event) bool{
		"stackTrace=" + putVal:                                                     equal(func(f mmapjfr.Frame) string { return method(f.Method()) }, putVal),
		"stackTrace=" + putVal + "(Object,Object,boolean)":                         equal(full, putVal+"(Object, Object, boolean)"),
		"stackTrace='" + putVal + "(java.lang.Object, java.lang.Object, boolean)'": equal(full, putVal+"(Object, Object, boolean)"),
		"stackTrace=" + putVal + "(int)":                                           equal(full, "none"),
		"stackTrace=" + putVal + ":" + line: frame(func(f mmapjfr.Frame) bool {
			return method(f.Method()) == putVal && strconv.Itoa(f.Line()) == line
		}),
		"stackTrace='" + putVal + "(Object, Object, boolean) line: " + line + "'": equal(lined, putVal+"(Object, Object, boolean):"+line),
		"stackTrace~':" + line + "$'":                                   frame(func(f mmapjfr.Frame) bool { return f.Line() > 0 && strconv.Itoa(f.Line()) == line }),
		`stackTrace~putVal\(.*boolean\)$`:                               frame(func(f mmapjfr.Frame) bool { return regexp.MustCompile(`putVal\(.*boolean\)$`).MatchString(full(f)) }),
		"stackTrace='" + cell(sample.StackTrace()) + "'":                func(ev mmapjfr.Event) bool { return cell(ev.StackTrace()) == cell(sample.StackTrace()) },
		"stackTrace='" + full(sample.StackTrace().Frame(0)) + ";a.b()'": func(mmapjfr.Event) bool { return false },
		"@class=byte[]":                         class("byte[]"),
		"@class.name=byte[]":                    class("byte[]"),
		"@class.@raw='[B'":                      class("byte[]"),
		"@thread=main":                          main,
		"@thread.name=main && @thread.javaId>0": main,
		"@type~Park$":                           func(ev mmapjfr.Event) bool { return strings.HasSuffix(ev.Type().Name(), "Park") },
		"@duration>=1ms":                        func(ev mmapjfr.Event) bool { return ev.Timespan(mmapjfr.Path("duration")) >= time.Millisecond },
		"@duration=0":                           func(ev mmapjfr.Event) bool { return ev.Timespan(mmapjfr.Path("duration")) == 0 },
		"@top~^java":                            func(ev mmapjfr.Event) bool { return strings.HasPrefix(full(ev.StackTrace().Frame(0)), "java") },
		"@top.line>1000":                        func(ev mmapjfr.Event) bool { return ev.StackTrace().Frame(0).Line() > 1000 },
		"@size>1kB":                             func(ev mmapjfr.Event) bool { return ev.Size() > 1024 },
		"@chunk=0":                              func(ev mmapjfr.Event) bool { return true },
		"`@offset`=" + strconv.FormatUint(sample.Offset(), 10): func(ev mmapjfr.Event) bool { return ev.Offset() == sample.Offset() },
		"eventThread.javaId=null": func(ev mmapjfr.Event) bool {
			v, ok := get(ev, "eventThread")
			return ok && v.Thread().JavaThreadID() <= 0
		},
	} {
		t.Run(text, func(t *testing.T) {
			c, err := where.Parse(text)
			require.NoError(t, err)
			_, err = c.Filter(types(t, rec))
			require.NoError(t, err)
			assert.Equal(t, offsets(t, rec.Select(), want), offsets(t, rec.Select(), c.Matches))
		})
	}
}

// TestParseWith takes points in time as options for a recording do.
func TestParseWith(t *testing.T) {
	rec := open(t, "jdk25-profile.jfr")
	zone := time.FixedZone("", -2*3600)
	begin, end := rec.Start(), rec.End()
	late := end.Add(-time.Second)
	after := func(at time.Time) func(mmapjfr.Event) bool {
		return func(ev mmapjfr.Event) bool { return ev.Start().After(at) }
	}
	half := begin.Add(end.Sub(begin) / 2)
	for text, want := range map[string]func(mmapjfr.Event) bool{
		"startTime > " + late.In(zone).Format("15:04:05.999999999"): after(late),
		"@start > -1s":   after(late),
		"startTime > 1s": after(begin.Add(time.Second)),
		"@end >= 50%":    func(ev mmapjfr.Event) bool { return !ev.End().Before(half) },
		"startTime > '" + late.In(zone).Format("2006-01-02 15:04:05.999999999") + "'": after(late),
	} {
		c, err := where.ParseWith(text, where.Options{Start: begin, End: end, Zone: zone})
		require.NoError(t, err)
		_, err = c.Filter(types(t, rec))
		require.NoError(t, err, text)
		assert.Equal(t, offsets(t, rec.Select(), want), offsets(t, rec.Select(), c.Matches), text)
		require.NotEmpty(t, offsets(t, rec.Select(), want), text)

		early, err := where.ParseWith(text, where.Options{Zone: time.FixedZone("", 3600)})
		require.NoError(t, err, text)
		c = early.WithOptions(where.Options{Start: begin, End: end, Zone: zone})
		assert.Equal(t, offsets(t, rec.Select(), want), offsets(t, rec.Select(), c.Matches), text)
	}
	// From before midnight a recording goes on to the next day.
	day := time.Date(begin.Year(), begin.Month(), begin.Day(), 0, 0, 0, 0, time.UTC)
	c, err := where.ParseWith("startTime < "+half.Format("15:04:05.999999999"), where.Options{Start: day.Add(-time.Hour), End: end, Zone: time.UTC})
	require.NoError(t, err)
	assert.Equal(t, offsets(t, rec.Select(), func(ev mmapjfr.Event) bool { return ev.Start().Before(half) && !ev.Start().IsZero() }), offsets(t, rec.Select(), c.Matches))

	c, err = where.ParseWith("startTime > yesterday", where.Options{Start: begin, End: end, Zone: zone})
	require.NoError(t, err)
	_, err = c.Filter(types(t, rec))
	require.ErrorContains(t, err, "startTime is a point in time; give a time (2026-11-20T21:22:37.5Z, ")
	c, err = where.Parse("startTime > 21:22:37")
	require.NoError(t, err)
	_, err = c.Filter(types(t, rec))
	require.ErrorContains(t, err, "startTime is a point in time; give one as in")
	_, err = where.Parse("`a = 1")
	require.ErrorContains(t, err, "a backquote is not closed")
}
