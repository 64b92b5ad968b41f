package where_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// opposites are operators of which one holds where the other does not.
var opposites = [][2]string{{"=", "!="}, {"~", "!~"}}

// words can join another comparison to the one before.
var words = regexp.MustCompile(`(?i)\s(and|or)\b`)

// FuzzMatches compares events of generated recordings with a condition and with its opposite: one
// of them must match if the type has the field, and neither if it has not.
func FuzzMatches(f *testing.F) {
	values := []string{"1", "null", "a", "10ms", "true", "50%", "'x'", "2026-11-20"}
	for i, program := range jfrtest.Programs(24, 2) {
		for field := range 13 {
			f.Add(i%2 == 0, program, []byte(nil), uint8(4*field+i%2), values[(i+field)%len(values)])
		}
	}
	fields := []string{"a", "b", "c", "name", "thread", "stackTrace", "startTime", "duration", "b.a", "type", "eventThread", "frames", "c[0]"}
	f.Fuzz(func(t *testing.T, faulty bool, program, edits []byte, which uint8, value string) {
		if len(value) > 40 || strings.ContainsAny(value, "()") {
			return
		}
		field := fields[int(which/4)%len(fields)]
		ops := opposites[which%2]
		c, err := where.Parse(field + ops[0] + value)
		if err != nil {
			return
		}
		opposite, err := where.Parse(field + ops[1] + value)
		require.NoError(t, err)
		negation, err := where.Parse("NOT " + field + ops[0] + value)
		require.NoError(t, err)
		least, leastErr := where.Parse(field + "<=" + value)
		program, edits = program[:min(len(program), 1024)], edits[:min(len(edits), 128)]
		data := jfrtest.Generate(program)
		if faulty {
			data = jfrtest.GenerateFaulty(program)
		}
		rec, err := mmapjfr.OpenBytes(jfrtest.Edit(data, edits))
		if err != nil {
			return
		}
		// One of them, or both, may be more than one comparison.
		simple := !strings.ContainsAny(value, "&|") && !words.MatchString(value)
		for ev, err := range rec.Events() {
			if err != nil {
				continue
			}
			one, other, can := c.Matches(ev), opposite.Matches(ev), c.CanMatch(ev.Type())
			if simple && (one == other) == can || !can && one {
				t.Fatalf("%s: %v, opposite: %v, can: %v, of %s", c, one, other, can, ev.Value())
			}
			if simple && negation.Matches(ev) != other {
				t.Fatalf("%s and %s differ for %s", negation, opposite, ev.Value())
			}
			if leastErr == nil && simple && least.Matches(ev) && !least.CanMatch(ev.Type()) {
				t.Fatalf("%s holds for events that cannot be compared", least)
			}
		}
		comparable := []*where.Condition{c, opposite, negation}
		for _, more := range []string{field + " NOT IN (a, 1, " + value + ")", field + " BETWEEN 0 AND " + value, field + " LIKE '%" + value + "'"} {
			if c, err := where.Parse(more); err == nil {
				comparable = append(comparable, c)
			}
		}
		compareBatches(t, rec, comparable, 255)
	})
}
