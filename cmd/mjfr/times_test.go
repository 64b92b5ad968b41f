package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// TestTimesOfAllShapes asks for a part of the time of events whose start is a long, or a long in a simple type, and the
// first field or not: all begin at the same times.
func TestTimesOfAllShapes(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Header.DurationNanos = 1_000_000_000
	ticks := jfrtest.Note("jdk.jfr.Timestamp", "TICKS")
	b.Class("test.Ticks", jfrtest.Of("value", "long")).Simple()
	b.Class("test.Inner", jfrtest.Of("value", "test.Ticks")).Simple()
	shapes := map[string]jfrtest.Field{
		"Plain": jfrtest.Of("startTime", "long"), "Wrapped": jfrtest.Of("startTime", "test.Ticks"),
		"Deep": jfrtest.Of("startTime", "test.Inner"), "Constant": jfrtest.Const("startTime", "long"),
		"OfWrapped": jfrtest.Const("startTime", "test.Ticks"),
	}
	for i := range int64(10) {
		b.Constant("long", i+1, b.Header.StartTicks+i*100_000_000)
		b.Constant("test.Ticks", i+1, b.Header.StartTicks+i*100_000_000)
	}
	for name, field := range shapes {
		for _, late := range []bool{false, true} {
			fields := []jfrtest.Field{field.With(ticks), jfrtest.Of("n", "int")}
			if late {
				name += "Late"
				fields[0], fields[1] = fields[1], fields[0]
			}
			typ := b.Class("test."+name, fields...)
			typ.SuperType = jfrtest.EventSuperType
			for i := range int64(10) {
				values := []any{b.Header.StartTicks + i*100_000_000, i}
				if field.ConstantPool {
					values[0] = i + 1
				}
				if late {
					values[0], values[1] = values[1], values[0]
				}
				b.Emit(typ, values...)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "times.jfr")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	part, out := []string{"--from", "22:13:20.25", "--to", "22:13:20.55"}, filepath.Join(t.TempDir(), "part.jfr")
	ask := func(args ...string) string {
		code, text, told := mjfrCommand(t, args...)
		require.Zero(t, code, told)
		return text
	}
	var want []string
	for name := range shapes {
		want = append(want, "test."+name+",3,3,5,2023-11-14T22:13:20.300000000Z", "test."+name+"Late,3,3,5,2023-11-14T22:13:20.300000000Z")
	}
	slices.Sort(want)
	const question = "select @type, count(*), min(n), max(n), min(startTime) from * group by @type order by 1"
	rows := func(text string) []string { return strings.Split(strings.TrimSpace(text), "\n")[1:] }
	require.Equal(t, want, rows(ask(append([]string{"query", "--csv", question, file}, part...)...)))
	require.Len(t, rows(ask(append([]string{"print", "--csv", "--fields", "@type,n", file}, part...)...)), 3*len(want))
	ask(append([]string{"slice", "--only", file, out}, part...)...)
	require.Equal(t, want, rows(ask("query", "--csv", question, out)))
}
