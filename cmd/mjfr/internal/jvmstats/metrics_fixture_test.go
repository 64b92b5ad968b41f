package jvmstats_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// open opens a recording of testdata for the length of a test.
var open = opentest.File

// feed hands all events of a recording to the metrics, as a stream does.
func feed(t testing.TB, v *jvmstats.Vitals, rec *mmapjfr.Recording) {
	t.Helper()
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		require.NoError(t, v.Observe(ev))
	}
}

// scrape returns what Prometheus gets, in its text format, by name and labels as in
// `jvm_memory_used_bytes{area="heap"}`.
func scrape(t testing.TB, m *jvmstats.Vitals) map[string]float64 {
	t.Helper()
	values := map[string]float64{}
	for line := range strings.Lines(exposition(t, m)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		end := strings.LastIndexByte(line, ' ')
		value, err := strconv.ParseFloat(strings.TrimSpace(line[end+1:]), 64)
		require.NoError(t, err, line)
		require.NotContains(t, values, line[:end])
		values[line[:end]] = value
	}
	return values
}

func exposition(t testing.TB, m *jvmstats.Vitals) string {
	t.Helper()
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, answer.Code)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(text)
}

// start is when built chunks begin, by the clock and in ticks; a tick is a nanosecond.
const (
	start      = 1_700_000_000_000_000_000
	startTicks = 1_000_000
)

// jvm builds a chunk with events as a JDK describes them.
type jvm struct {
	*jfrtest.Builder
	t    testing.TB
	jdk  *mmapjfr.Recording
	keys int64
}

// values are those of fields, which can be inside of others: "heapSpace.start". All
// others are 0, or null.
type values map[string]any

func newJVM(t testing.TB, recording string) *jvm {
	return &jvm{Builder: jfrtest.NewChunk(), t: t, jdk: open(t, recording)}
}

// emit adds an event, so long after the start of the chunk.
func (j *jvm) emit(after time.Duration, name string, with values) *jvm {
	j.t.Helper()
	ty, ok := j.jdk.Type(name)
	require.True(j.t, ok, name)
	class := j.class(ty)
	known := values{"startTime": startTicks + int64(after)}
	for field, v := range with {
		known[field] = v
	}
	fields := j.fields(ty, "", known)
	require.Empty(j.t, known, "fields that %s does not have", name)
	j.Emit(class, fields...)
	return j
}

// class returns the class for a type of the JDK.
func (j *jvm) class(ty mmapjfr.Type) *jfrtest.Class {
	if c := j.Lookup(ty.Name()); c != nil {
		return c
	}
	var fields []jfrtest.Field
	for _, f := range ty.Fields() {
		j.class(f.Type())
		field := jfrtest.Of(f.Name(), f.Type().Name())
		field.ConstantPool = f.IsConstant()
		for _, a := range f.Annotations() {
			if j.Lookup(a.Name()) == nil {
				continue
			}
			note := jfrtest.Annotation{Class: a.Name()}
			for _, v := range a.Values() {
				if !v.Array {
					note.Values = append(note.Values, jfrtest.Attribute{Name: v.Name, Value: v.Texts[0]})
				}
			}
			field = field.With(note)
		}
		fields = append(fields, field)
	}
	if ty.IsEvent() {
		require.Equal(j.t, "startTime", fields[0].Name)
		return j.Event(ty.Name(), fields[1:]...)
	}
	c := j.Class(ty.Name(), fields...)
	if engine.TypeIsSimple(ty) {
		c.Simple()
	}
	return c
}

// fields takes the values of a type's fields out of those that are given.
func (j *jvm) fields(ty mmapjfr.Type, before string, with values) []any {
	var all []any
	for _, f := range ty.Fields() {
		path := before + f.Name()
		v, ok := with[path]
		delete(with, path)
		switch text, isText := v.(string); {
		case f.IsConstant() && isText: // of a simple type
			j.keys++
			v = j.Constant(f.Type().Name(), j.keys, text)
		case !ok && f.Type().Name() == jfrtest.StringClass:
			v = nil
		case !ok && !f.IsConstant() && !engine.TypeIsPrimitive(f.Type()):
			v = jfrtest.Inline(j.fields(f.Type(), path+".", with))
		case !ok:
			v = 0
		}
		if f.Type().Name() == "boolean" && v == 0 {
			v = false
		}
		all = append(all, v)
	}
	return all
}

// open opens the chunk.
func (j *jvm) open() *mmapjfr.Recording {
	j.t.Helper()
	rec, err := mmapjfr.OpenBytes(j.Bytes())
	require.NoError(j.t, err)
	j.t.Cleanup(func() { _ = rec.Close() })
	return rec
}

// fed returns metrics of the events of built chunks, one after the other.
func fed(t testing.TB, chunks ...*jvm) *jvmstats.Vitals {
	t.Helper()
	m := jvmstats.New()
	for _, c := range chunks {
		feed(t, m, c.open())
	}
	return m
}
