package jvmstats_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// inOrder returns the events of a recording as a stream delivers them, by their ends.
func inOrder(t testing.TB, data []byte) []mmapjfr.Event {
	t.Helper()
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	t.Cleanup(func() { rec.Close() })
	var all []mmapjfr.Event
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		all = append(all, ev.Detached())
	}
	slices.SortStableFunc(all, func(a, b mmapjfr.Event) int { return cmp.Compare(engine.EventEndNanos(a), engine.EventEndNanos(b)) })
	return all
}

// observed returns what is known when all events have come.
func observed(t testing.TB, events []mmapjfr.Event) *jvmstats.Vitals {
	t.Helper()
	v := jvmstats.New()
	for _, ev := range events {
		require.NoError(t, v.Observe(ev))
	}
	v.Flushed(time.Time{})
	v.Ended(nil)
	return v
}

// told is an event as the JDK tells it.
type told struct {
	Type       string
	Values     map[string]any
	start, end time.Time
}

// answer returns all events of a recording as the JDK's jfr prints them.
func answer(t *testing.T, recording string) []told {
	t.Helper()
	var doc struct{ Recording struct{ Events []told } }
	require.NoError(t, json.Unmarshal(said.Of(t, recording, "print", "--json").Out, &doc))
	require.NotEmpty(t, doc.Recording.Events)
	for i := range doc.Recording.Events {
		doc.Recording.Events[i].read(t)
	}
	return doc.Recording.Events
}

// of returns the events of a type.
func of(events []told, name string) []told {
	return slices.DeleteFunc(slices.Clone(events), func(e told) bool { return e.Type != name })
}

// last returns the event of a type that ended last.
func last(t *testing.T, events []told, name string) told {
	t.Helper()
	all := of(events, name)
	require.NotEmpty(t, all, name)
	return slices.MaxFunc(all, func(a, b told) int { return a.end.Compare(b.end) })
}

// at returns what a path leads to.
func (e told) at(path string) any {
	var v any = e.Values
	for name := range strings.SplitSeq(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

func (e told) int(path string) int64 {
	f, _ := e.at(path).(float64)
	return int64(f)
}

func (e told) text(path string) string {
	s, _ := e.at(path).(string)
	return s
}

// length returns a length of time, which the JDK writes as in PT0.007S.
func (e told) length(t *testing.T, path string) time.Duration {
	t.Helper()
	text := e.text(path)
	d, err := time.ParseDuration(strings.ToLower(strings.TrimPrefix(text, "PT")))
	require.NoError(t, err, text)
	return d
}

// read reads the times.
func (e *told) read(t *testing.T) {
	t.Helper()
	var err error
	e.start, err = time.Parse(time.RFC3339Nano, e.text("startTime"))
	require.NoError(t, err)
	e.end = e.start
	if e.Values["duration"] != nil {
		e.end = e.start.Add(e.length(t, "duration"))
	}
}

// class returns the name of a class as in Java.
func (e told) class(path string) string {
	name := strings.ReplaceAll(e.text(path+".name"), "/", ".")
	dims := 0
	for strings.HasPrefix(name, "[") {
		name = name[1:]
		dims++
	}
	if dims > 0 {
		short := map[string]string{"I": "int", "B": "byte", "C": "char", "J": "long", "Z": "boolean", "S": "short", "F": "float", "D": "double"}
		if long := short[name]; long != "" {
			name = long
		}
		name = strings.TrimSuffix(strings.TrimPrefix(name, "L"), ";")
	}
	return name + strings.Repeat("[]", dims)
}

// top returns the method at the top of the stack.
func (e told) top() string {
	frames, _ := e.at("stackTrace.frames").([]any)
	if len(frames) == 0 {
		return "(unknown)"
	}
	m := told{Values: frames[0].(map[string]any)}
	return m.class("method.type") + "." + m.text("method.name")
}

// sums adds up by name.
func sums(events []told, name func(e told) string, weight func(e told) int64) (by map[string]int64, all int64) {
	by = make(map[string]int64)
	for _, e := range events {
		by[name(e)] += weight(e)
		all += weight(e)
	}
	return by, all
}

func one(told) int64 { return 1 }

// number returns the number in a text such as "b12".
func number(text string) int {
	n, _ := strconv.Atoi(text[1:])
	return n
}
