package writer_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
	"github.com/mmapjfr/jfr/mmapjfr/writer"
)

// read opens a recording in which package verify must find nothing but what is allowed.
func read(t testing.TB, data []byte, allowed ...string) *mmapjfr.Recording {
	t.Helper()
	rec := opentest.Bytes(t, data)
	report, err := verify.Check(t.Context(), rec)
	require.NoError(t, err)
	for _, f := range report.Findings {
		require.Contains(t, allowed, f.Kind.String(), "%v %s: %s", f.Kind, f.Type, f.Text)
	}
	return rec
}

// values returns the fields of all events, with their types, in the order of the file.
func values(t testing.TB, rec *mmapjfr.Recording) (all []map[string]any) {
	t.Helper()
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		all = append(all, fieldsOf(ev))
	}
	return all
}

func fieldsOf(ev mmapjfr.Event) map[string]any {
	m := map[string]any{"type": ev.Type().Name()}
	for f, v := range ev.Fields() {
		m[f.Name()] = v.Any()
	}
	return m
}

// clock is a clock that goes on by a microsecond each time.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 11, 20, 21, 22, 23, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.now = c.now.Add(time.Microsecond)
	return c.now
}

// newWriter returns a writer to memory, with a clock that does not depend on the machine.
func newWriter(t testing.TB, opts ...writer.Option) (*writer.Writer, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	w, err := writer.New(&out, append([]writer.Option{writer.Clock(newClock().Now), writer.UTC()}, opts...)...)
	require.NoError(t, err)
	return w, &out
}

// define defines an event type with fields after the start time.
func define(t testing.TB, w *writer.Writer, name string, fields ...writer.Field) *writer.EventType {
	t.Helper()
	typ, err := w.DefineEvent(writer.Type{Name: name, Fields: append([]writer.Field{writer.StartTimeField()}, fields...)})
	require.NoError(t, err)
	return typ
}

func field(name, typ string, as ...writer.Annotation) writer.Field {
	return writer.Field{Name: name, Type: typ, Annotations: as}
}

func array(f writer.Field) writer.Field {
	f.Array = true
	return f
}

func constant(f writer.Field) writer.Field {
	f.Constant = true
	return f
}

// failing is a destination that fails after a number of writes.
type failing struct{ left int }

var errFull = fmt.Errorf("the disk is full")

func (f *failing) Write(b []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func (f *failing) WriteAt(b []byte, _ int64) (int, error) { return f.Write(b) }

func (f *failing) Close() error { return nil }
