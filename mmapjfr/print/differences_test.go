package print_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// These tests hold what cmd/mjfr/DIFFERENCES.md says: what the JDK does, and what is done
// here instead.

// renamedThread is two chunks of one virtual machine, in which a thread and constants with
// the same keys have another name.
func renamedThread() []byte {
	chunk := func(name string, start int64) *jfrtest.Builder {
		b := jfrtest.NewChunk()
		b.Header.StartNanos += start
		b.Header.StartTicks += start
		b.Constant("java.lang.Thread", 7, name, 7, name, 7, 0, false)
		b.Constant("jdk.types.Symbol", 9, name)
		b.Constant(jfrtest.StringClass, 9, name)
		e := b.Event("test.E", jfrtest.EventThread(), jfrtest.Const("symbol", "jdk.types.Symbol"), jfrtest.Of("text", jfrtest.StringClass))
		b.Emit(e, b.Header.StartTicks+5, 7, 9, jfrtest.Pooled(9))
		return b
	}
	data, _ := jfrtest.Concat(chunk("before", 0), chunk("after", 2_000_000_000))
	return data
}

func TestThreadThatIsRenamedBetweenChunks(t *testing.T) {
	data := renamedThread()
	for format, question := range map[print.Format]string{print.Text: "print", print.JSON: "print --json", print.XML: "print --xml"} {
		want := said.OfBytes(t, "renamed.jfr", data, strings.Fields(question)...)
		require.Empty(t, want.Refusal)
		assert.NotContains(t, string(want.Out), "after", "the JDK keeps the older name")
		got := bytesOf(t, data, print.Options{Format: format})
		assert.Contains(t, got, "after")
		said.Same(t, want.Out, []byte(strings.ReplaceAll(got, "after", "before")))
	}
}

func TestTimespanInFloatingPoint(t *testing.T) {
	build := func(class, unit string, values ...float64) []byte {
		b := jfrtest.NewChunk()
		b.Header.TickRate = 2_000_000_000
		e := b.Event("test.E", jfrtest.Of("f", class).With(note("jdk.jfr.Timespan", unit)))
		for _, v := range values {
			b.Emit(e, 1_000_000, v)
		}
		return b.Bytes()
	}
	odd := build("double", "SECONDS", 1.5, -2.75, 0, 1e-9, 1e300, -1e300, math.NaN(), math.Inf(1), math.Inf(-1))
	for _, question := range []string{"print", "print --json", "print --xml"} {
		assert.Contains(t, said.OfBytes(t, "float-timespan.jfr", odd, strings.Fields(question)...).Refusal, "illegal data type conversion")
	}
	values := func(data []byte, f print.Format) (list []string) {
		for line := range strings.Lines(bytesOf(t, data, print.Options{Format: f, Order: print.ByFile})) {
			if name, text, ok := strings.Cut(line, "f = "); ok && strings.TrimSpace(name) == "" {
				list = append(list, strings.TrimSpace(text))
			} else if _, text, ok := strings.Cut(line, `"f":`); ok {
				list = append(list, strings.Trim(text, " \"}\n"))
			}
		}
		return list
	}
	assert.Equal(t, []string{"1.50 s", "-2.75 s", "0 s", "0.000001 ms", "Forever", "-106752 d 0 h", "N/A", "Forever", "N/A"}, values(odd, print.Text))
	assert.Equal(t, []string{"PT1.5S", "PT-2.75S", "PT0S", "PT0.000000001S", "PT2562047788015215H30M7.999999999S",
		"PT-2562047H-47M-16.854775807S", "PT-2562047788015215H-30M-8S", "PT2562047788015215H30M7.999999999S", "PT-2562047788015215H-30M-8S"}, values(odd, print.JSON))
	assert.Equal(t, []string{"1500000000", "-2750000000", "0", "1", "9223372036854775807", "-9223372036854775807", "null", "9223372036854775807", "null"},
		values(odd, print.NDJSON))
	for unit, want := range map[string]string{
		"TICKS": "1", "NANOSECONDS": "3", "MICROSECONDS": "2500", "MILLISECONDS": "2500000", "SECONDS": "2500000000",
	} {
		assert.Equal(t, []string{want}, values(build("float", unit, 2.5), print.NDJSON), unit)
	}
}

// TestEmptyStringsOfBytes is about the first string in UTF-8 or Latin-1 that the JDK
// reads: to the JDK it is null if it is empty.
func TestEmptyStringsOfBytes(t *testing.T) {
	b := jfrtest.NewChunk()
	e := b.Event("test.E", jfrtest.Of("text", jfrtest.StringClass))
	for i, text := range []any{jfrtest.UTF8(""), jfrtest.UTF8("a"), jfrtest.UTF8(""), jfrtest.Latin1(""), jfrtest.Latin1("a"), jfrtest.Latin1("")} {
		b.Emit(e, 1_000_000+i, text)
	}
	want := said.OfBytes(t, "empty-strings.jfr", b.Bytes(), "print", "--json")
	assert.Equal(t, []any{nil, "a", "", nil, "a", ""}, textsOfEvents(t, want.Out))
	assert.Equal(t, []any{"", "a", "", "", "a", ""}, textsOfEvents(t, []byte(textOf(t, b, print.Options{Format: print.JSON}))))
}

func textsOfEvents(t *testing.T, document []byte) (texts []any) {
	t.Helper()
	var doc struct {
		Recording struct {
			Events []struct{ Values map[string]any }
		}
	}
	require.NoError(t, json.Unmarshal(document, &doc))
	for _, ev := range doc.Recording.Events {
		texts = append(texts, ev.Values["text"])
	}
	return texts
}

// TestEventOfAnUnknownType is about an event whose type nothing describes: the JDK leaves
// it out and says nothing; here it is reported as damage.
func TestEventOfAnUnknownType(t *testing.T) {
	b := jfrtest.NewChunk()
	e := b.Event("test.E")
	b.Emit(e, 1_000_000)
	b.EmitRaw(jfrtest.EventOptions{}, 987, []byte{1, 2, 3})
	b.Emit(e, 1_000_001)
	for format, question := range map[print.Format]string{print.Text: "print", print.JSON: "print --json", print.XML: "print --xml"} {
		want := said.OfBytes(t, "unknown-type.jfr", b.Bytes(), strings.Fields(question)...)
		require.Empty(t, want.Refusal)
		var reported []error
		got := textOf(t, b, print.Options{Format: format, OnError: func(_ *mmapjfr.Recording, err error) { reported = append(reported, err) }})
		said.Same(t, want.Out, []byte(got))
		require.Len(t, reported, 1)
		assert.ErrorContains(t, reported[0], "unknown event type 987")
	}
	want := said.OfBytes(t, "unknown-type.jfr", b.Bytes(), "summary")
	require.Empty(t, want.Refusal)
	assert.Contains(t, string(want.Out), " 987 (missing event metadata)")
}

// TestUnpairedSurrogateInAName is about half a character in the metadata. Strings of the
// metadata are read as UTF-8, those of events as they are.
func TestUnpairedSurrogateInAName(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Emit(b.Event("test.E", jfrtest.Of("Z\ue000Z", "int").With(note("jdk.jfr.Label", "Z\ue000Z"))), 1_000_000, 1)
	// In char arrays U+E000 takes as many bytes as U+D800 does.
	data := bytes.ReplaceAll(b.Bytes(), []byte("Z\x80\xc0\x03Z"), []byte("Z\x80\xb0\x03Z"))
	require.NotEqual(t, b.Bytes(), data)
	for format, c := range map[print.Format]struct{ question, theirs, ours string }{
		print.JSON: {"print --json", `Z\ud800Z`, `Z\ufffdZ`},
		print.XML:  {"print --xml", "Z&#55296;Z", "Z&#65533;Z"},
		print.Text: {"print", "Z?Z", "Z\ufffdZ"},
	} {
		want := said.OfBytes(t, "surrogate-name.jfr", data, strings.Fields(c.question)...)
		require.Empty(t, want.Refusal)
		require.Contains(t, string(want.Out), c.theirs)
		said.Same(t, []byte(strings.ReplaceAll(string(want.Out), c.theirs, c.ours)), []byte(bytesOf(t, data, print.Options{Format: format})))
	}
}
