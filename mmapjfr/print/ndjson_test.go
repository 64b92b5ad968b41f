package print_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// TestNDJSONSaysWhatWasRecorded reads the lines again and compares them with what the
// recording holds.
func TestNDJSONSaysWhatWasRecorded(t *testing.T) {
	for _, name := range readable(t) {
		t.Run(name, func(t *testing.T) {
			rec := open(t, name)
			out := writtenOf(t, rec, print.Options{Format: print.NDJSON, StackDepth: math.MaxInt, Order: print.ByFile})
			require.True(t, utf8.Valid(out))
			lines := strings.SplitAfter(string(out), "\n")
			i := 0
			for ev, err := range rec.Events() {
				if err != nil {
					continue
				}
				var fields map[string]any
				dec := json.NewDecoder(strings.NewReader(lines[i]))
				dec.UseNumber()
				require.NoError(t, dec.Decode(&fields), lines[i])
				i++
				require.Equal(t, ev.Type().Name(), fields["@type"])
				delete(fields, "@type")
				want := plainFields(ev.Value(), math.MaxInt)
				require.Equal(t, want, fields, lines[i-1])
			}
			assert.Equal(t, len(lines)-1, i)
			assert.Empty(t, lines[i], "the last line ends, too")
		})
	}
}

// plainFields returns the fields of a struct as they are to be read from JSON.
func plainFields(v mmapjfr.Value, depth int) map[string]any {
	fields := make(map[string]any)
	for f, inner := range v.Fields() {
		fields[f.Name()] = plainValue(f, inner, depth)
	}
	return fields
}

// plainValue returns the value of a field as it is to be read from JSON.
func plainValue(f mmapjfr.Field, v mmapjfr.Value, depth int) any {
	number := func(n any) json.Number { return json.Number(fmt.Sprint(n)) }
	switch v.Kind() {
	case mmapjfr.KindNone:
		return nil
	case mmapjfr.KindArray:
		list := []any{}
		for e := range v.Elements() {
			if f.Type().Name() == "jdk.types.StackFrame" && len(list) == depth {
				break
			}
			list = append(list, plainValue(f, e, depth))
		}
		return list
	case mmapjfr.KindString:
		return v.Str()
	case mmapjfr.KindBool:
		return v.Bool()
	case mmapjfr.KindChar:
		return string(rune(v.Int()))
	case mmapjfr.KindFloat, mmapjfr.KindDouble:
		if f.Unit().IsTimespan() {
			return number(int64(v.Duration()))
		}
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		} else if v.Kind() == mmapjfr.KindFloat {
			return jsonFloat(float32(x))
		} else {
			return jsonFloat(x)
		}
	case mmapjfr.KindStruct:
		return plainStruct(v, depth)
	}
	switch {
	case (f.Unit().IsTimespan() || f.Unit().IsTimestamp()) && v.Int() == math.MinInt64:
		return nil
	case f.Unit().IsTimespan():
		return number(int64(v.Duration()))
	case f.Unit().IsTimestamp():
		return plainTime(v.Time())
	case f.IsUnsigned():
		return number(v.Uint())
	}
	return number(v.Int())
}

func jsonFloat(f any) json.Number {
	text, _ := json.Marshal(f)
	return json.Number(text)
}

func plainTime(t time.Time) string {
	text := t.Format("2006-01-02T15:04:05.000000000Z")
	if t.Year() > 9999 {
		return "+" + text
	}
	return text
}

func plainStruct(v mmapjfr.Value, depth int) any {
	switch v.Type().Name() {
	case "java.lang.Thread":
		t := v.Thread()
		id := func(n int64) any {
			if n <= 0 {
				return nil
			}
			return json.Number(fmt.Sprint(n))
		}
		return map[string]any{"name": t.Name(), "javaId": id(t.JavaThreadID()), "osId": id(t.OSThreadID()), "virtual": t.IsVirtual()}
	case "java.lang.Class":
		return plainClass(v.Class())
	case "jdk.types.Method":
		return plainMethod(v.Method())
	case "jdk.types.StackFrame":
		f := v.Frame()
		if f.Line() > 0 {
			return fmt.Sprintf("%s:%d", plainMethod(f.Method()), f.Line())
		}
		return plainMethod(f.Method())
	}
	return plainFields(v, depth)
}

func plainClass(c mmapjfr.Class) string { return string(javaname.AppendClass(nil, c.Name())) }

func plainMethod(m mmapjfr.Method) string {
	return plainClass(m.Class()) + "." + m.Name() + string(javaname.AppendParameters(nil, engine.MethodDescriptor(m)))
}

// TestNDJSONHasNoKeyTwice is about event types with a field that is called type.
func TestNDJSONHasNoKeyTwice(t *testing.T) {
	for _, name := range []string{"jdk17-profile.jfr", "jdk25-profile.jfr"} {
		out := writtenOf(t, open(t, name), print.Options{Format: print.NDJSON, Filters: []mmapjfr.Filter{mmapjfr.Types("jdk.GCReferenceStatistics")}})
		assert.Regexp(t, `^\{"@type":"jdk.GCReferenceStatistics",.*,"type":"Soft reference",`, string(out))
	}
}

func TestNDJSONRenamesNoFieldToAnother(t *testing.T) {
	b := jfrtest.NewChunk()
	class := b.Event("test.Event", jfrtest.Of("@type_", "int"), jfrtest.Of("@type", "int"))
	b.Emit(class, 0, 1, 2)
	rec := opentest.Bytes(t, b.Bytes())
	assert.Regexp(t, `"@type_":1,"@type__":2}`, string(writtenOf(t, rec, print.Options{Format: print.NDJSON})))
}

// TestNDJSONIsUTF8WhateverTheBytes turns bytes of strings into what is no UTF-8, and
// into control characters.
func TestNDJSONIsUTF8WhateverTheBytes(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk25-strings.jfr")
	require.NoError(t, err)
	for bad, want := range map[string]string{
		"\xff\xfe\x80\xc3": "����",
		"\x1b\x00\x7f\"":   `\u001b\u0000\u007f\"`,
		"\xed\xa0\x80\\":   `�\\`,
		"\xc2\x9b\r\n":     `\u009b\r\n`,
	} {
		// The name of a thread, after its encoding and its length.
		broken := bytes.ReplaceAll(data, []byte("\x03\x04main"), append([]byte("\x03\x04"), bad...))
		rec, err := mmapjfr.OpenBytes(broken)
		require.NoError(t, err)
		out := writtenOf(t, rec, print.Options{Format: print.NDJSON, StackDepth: math.MaxInt})
		assert.True(t, utf8.Valid(out))
		for line := range bytes.Lines(out) {
			assert.True(t, json.Valid(line), "%q", line)
			assert.Equal(t, -1, bytes.IndexFunc(line[:len(line)-1], func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }))
		}
		assert.Contains(t, string(out), `"name":"`+want+`"`)
		require.NoError(t, rec.Close())
	}
}

// TestNDJSONOfFields has the values that NDJSON has without them, null for what an event does
// not have, and the same from a printer.
func TestNDJSONOfFields(t *testing.T) {
	fields := []string{"startTime", "eventThread", "stackTrace", "gcId", "state", "parkedClass", "method"}
	decode := func(text []byte) (list []map[string]any) {
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		for dec.More() {
			var object map[string]any
			require.NoError(t, dec.Decode(&object))
			list = append(list, object)
		}
		return list
	}
	rec := open(t, "jdk25-profile.jfr")
	o := print.Options{Format: print.NDJSON, StackDepth: 3, Order: print.ByFile}
	want := decode(writtenOf(t, rec, o))
	for i, all := range want {
		want[i] = map[string]any{"@type": all["@type"]}
		for _, name := range fields {
			want[i][name] = all[name]
		}
	}
	o.Fields = append([]string{"@type"}, fields...)
	text := writtenOf(t, rec, o)
	require.Equal(t, want, decode(text))
	p, err := print.NewPrinter(o)
	require.NoError(t, err)
	var each []byte
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		each = p.Append(each, ev)
	}
	assert.Equal(t, string(text), string(each))
	o.Fields = []string{"nowhere"}
	assert.ErrorContains(t, print.Write(t.Context(), new(bytes.Buffer), []*mmapjfr.Recording{rec}, o), "no event type has a field nowhere")
}
