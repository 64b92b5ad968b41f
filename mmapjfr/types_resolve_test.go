package mmapjfr_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

func TestFind(t *testing.T) {
	rec, err := mmapjfr.Open("../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	defer rec.Close()
	park, ok := rec.Type("jdk.ThreadPark")
	require.True(t, ok)
	for path, want := range map[string]struct {
		field, typ string
		one        bool
	}{
		"duration":                         {"duration", "long", true},
		"eventThread.javaName":             {"javaName", "java.lang.String", true},
		"parkedClass.name":                 {"name", "java.lang.String", true},
		"parkedClass.@raw.name":            {"name", "jdk.types.Symbol", true},
		"@thread":                          {"eventThread", "java.lang.Thread", true},
		"@top.line":                        {"lineNumber", "int", true},
		"@end":                             {"@end", "long", true},
		"stackTrace.frames":                {"frames", "jdk.types.StackFrame", false},
		"stackTrace.frames[1]":             {"frames", "jdk.types.StackFrame", true},
		"stackTrace.frames[0].method.type": {"type", "java.lang.Class", true},
	} {
		f, one, err := park.Resolve(mmapjfr.Path(path))
		require.NoError(t, err, path)
		assert.Equal(t, want.field, f.Name(), path)
		assert.Equal(t, want.typ, f.Type().Name(), path)
		assert.Equal(t, want.one, one, path)
	}
	for path, want := range map[string]string{
		"durtion":               "type jdk.ThreadPark has no field durtion; it has startTime, duration,…; did you mean duration?",
		"eventThread.javName":   "type java.lang.Thread has no field javName",
		"stackTrace.frames.x":   "field frames is an array",
		"duration[0]":           "field duration is not an array",
		"stackTrace.frames[0].": "",
	} {
		p, err := mmapjfr.ParsePath(path)
		if want == "" {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err)
		_, _, err = park.Resolve(p)
		for part := range strings.SplitSeq(want, "…") {
			require.ErrorContains(t, err, part)
		}
	}
	_, _, err = mmapjfr.Type{}.Resolve(mmapjfr.Path("duration"))
	require.Error(t, err)
}

// TestFindIsWhatGetReads compares all fields of all event types.
func TestFindIsWhatGetReads(t *testing.T) {
	rec, err := mmapjfr.Open("../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	defer rec.Close()
	for ev := range rec.Events() {
		for f := range ev.Fields() {
			path, err := mmapjfr.ParsePath(f.Name())
			require.NoError(t, err)
			found, one, err := ev.Type().Resolve(path)
			require.NoError(t, err)
			require.Equal(t, f, found)
			require.Equal(t, !f.IsArray(), one)
			if got, ok := ev.Get(path).Field(); ok {
				require.Equal(t, got, found)
			}
		}
	}
}

func TestThreadsWhere(t *testing.T) {
	rec, err := mmapjfr.Open("../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	defer rec.Close()
	count := func(filters ...mmapjfr.Filter) int {
		n, err := rec.Select(filters...).Count(t.Context())
		require.NoError(t, err)
		return int(n)
	}
	want := count(mmapjfr.Threads("G1*"))
	require.NotZero(t, want)
	assert.Equal(t, want, count(mmapjfr.ThreadsFunc(func(t mmapjfr.Thread) bool { return len(t.Name()) > 1 && t.Name()[:2] == "G1" })))
	assert.Zero(t, count(mmapjfr.ThreadsFunc(func(mmapjfr.Thread) bool { return false })))
	gc := func(t mmapjfr.Thread) bool { return len(t.Name()) > 1 && t.Name()[:2] == "G1" }
	assert.Equal(t, count()-want, count(mmapjfr.Not(mmapjfr.ThreadsFunc(gc))), "events without a thread, too")
	assert.Zero(t, count(mmapjfr.Not(mmapjfr.ThreadsFunc(gc)), mmapjfr.ThreadsFunc(gc)))
	assert.Equal(t, count(), count(mmapjfr.Not(mmapjfr.ThreadsFunc(func(mmapjfr.Thread) bool { return false }))))
	loads, middle := mmapjfr.Types("CPULoad"), rec.Start().Add(rec.Duration()/2)
	early := mmapjfr.Between(time.Time{}, middle)
	assert.Equal(t, count(loads)+want, count(mmapjfr.Or(loads, mmapjfr.Threads("G1*"))))
	assert.Equal(t, count(loads)-count(loads, early), count(loads, mmapjfr.Not(mmapjfr.Or(early, mmapjfr.Types("x")))))
	assert.Equal(t, count(), count(mmapjfr.Or(loads, mmapjfr.Not(loads))))
	assert.Zero(t, count(mmapjfr.Or()))
	assert.Equal(t, count(), count(mmapjfr.Not(mmapjfr.Or())))
	assert.Equal(t, count(loads, early), count(mmapjfr.Not(mmapjfr.Or(mmapjfr.Not(loads), mmapjfr.Not(mmapjfr.Not(mmapjfr.Not(early)))))))
	deep := mmapjfr.Or(early)
	for range 1000 {
		deep = mmapjfr.Or(deep, mmapjfr.Not(mmapjfr.Not(loads)))
	}
	assert.Equal(t, count(mmapjfr.Or(early, loads)), count(deep))
	for _, err := range rec.Select(mmapjfr.ThreadsFunc(nil)).Events() {
		require.ErrorContains(t, err, "a selection by thread has no function")
	}
}

func TestFrameOfValue(t *testing.T) {
	rec, err := mmapjfr.Open("../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	defer rec.Close()
	frames := mmapjfr.Path("stackTrace.frames")
	n := 0
	for ev := range rec.Select(mmapjfr.Types("jdk.ThreadPark")).Events() {
		i := 0
		for e := range ev.Get(frames).Elements() {
			assert.Equal(t, ev.StackTrace().Frame(i), e.Frame())
			i++
		}
		n += i
		assert.Equal(t, mmapjfr.Frame{}.Line(), ev.Value().Get(mmapjfr.Path("duration")).Frame().Line())
	}
	assert.NotZero(t, n)
}

func TestTypesWhere(t *testing.T) {
	rec, err := mmapjfr.Open("../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	defer rec.Close()
	offsets := func(f mmapjfr.Filter) (list []uint64) {
		for ev, err := range rec.Select(f).Events() {
			require.NoError(t, err)
			list = append(list, ev.Offset())
		}
		return list
	}
	load := mmapjfr.TypesFunc(func(t mmapjfr.Type) bool { return t.SimpleName() == "CPULoad" })
	want := offsets(mmapjfr.Types("CPULoad"))
	require.NotEmpty(t, want)
	assert.Equal(t, want, offsets(load))
	assert.Empty(t, offsets(mmapjfr.TypesFunc(func(mmapjfr.Type) bool { return false })))
	typ, _ := rec.Type("jdk.CPULoad")
	assert.True(t, engine.MatchesType(load, typ))
	typ, _ = rec.Type("jdk.ThreadPark")
	assert.False(t, engine.MatchesType(load, typ))
	for _, err := range rec.Select(mmapjfr.TypesFunc(nil)).Events() {
		require.ErrorContains(t, err, "a selection by type has no function")
	}
}
