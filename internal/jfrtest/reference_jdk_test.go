package jfrtest_test

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// Every value of every event, as `jfr print --json` prints it. Times are left
// out, since the reference decoder does not convert them.
func TestReferenceReadsValuesAsTheJDK(t *testing.T) {
	for _, name := range []string{
		"jdk17-kinds", "jdk17-strings", "jdk17-chunks", "jdk25-kinds", "jdk25-strings", "jdk25-virtual",
	} {
		t.Run(name, func(t *testing.T) { compareWithJDK(t, testdata(t, name)) })
	}
}

func compareWithJDK(t *testing.T, data []byte) {
	t.Helper()
	rec := decode(t, data)
	// Constants that lead back to themselves have no end, so the recordings compared here must have
	// none. The tool cuts such rings open, and where depends on what it happened to resolve first.
	//
	// The tool sorts events by the end of each; here it is the events with equal
	// content that are counted instead.
	got, want := map[string]int{}, map[string]int{}
	classes := map[string]*jfrtest.Class{}
	for _, c := range rec.Chunks {
		n := normal{c}
		for _, class := range c.Classes {
			classes[class.Name] = class
		}
		for _, e := range c.Events {
			values := map[string]any{}
			for i, f := range c.Classes[e.TypeID].Fields {
				if !isTime(f) {
					values[f.Name] = n.field(f, e.Fields[i].Value)
				}
			}
			got[text(t, e.TypeName, values)]++
		}
	}
	n := normal{rec.Chunks[len(rec.Chunks)-1]}
	for _, e := range printed(t, data) {
		want[text(t, e.Type, n.printed(classes[e.Type], e.Values))]++
	}
	require.NotEmpty(t, want)
	assertSame(t, want, got)
}

func text(t *testing.T, typeName string, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return typeName + " " + string(b)
}

func annotated(f jfrtest.Field, with string) bool {
	return slices.ContainsFunc(f.Annotations, func(a jfrtest.Annotation) bool { return a.Class == with })
}

func isTime(f jfrtest.Field) bool {
	return annotated(f, "jdk.jfr.Timestamp") || annotated(f, "jdk.jfr.Timespan")
}

// javaUTF8 is what Java makes of a string in UTF-8. HotSpot writes names with surrogates of three
// bytes each, for which Java reads one replacement character and Go one for each byte.
func javaUTF8(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == 0xed && b[i+1] >= 0xa0 {
			copy(b[i:], "\ufffd")
		}
	}
	return string(b)
}

// normal brings values of both sides into one form: all numbers are texts.
type normal struct{ *jfrtest.Chunk }

// field brings a decoded value of a field into that form.
func (n normal) field(f jfrtest.Field, v any) any {
	switch v := n.Resolve(v).(type) {
	case jfrtest.Null, jfrtest.Missing:
		return nil
	case []any:
		list := []any{}
		for _, x := range v {
			f.Annotations = nil // the tool forgets them inside of arrays
			list = append(list, n.field(f, x))
		}
		return list
	case *jfrtest.Struct:
		if v.Class.SimpleType {
			return n.field(jfrtest.Field{}, v.Fields[0].Value)
		}
		m := map[string]any{}
		for i, f := range v.Class.Fields {
			if !isTime(f) {
				m[f.Name] = n.field(f, v.Fields[i].Value)
			}
		}
		return m
	case string:
		return javaUTF8(v)
	case uint16:
		return string(rune(v))
	case float32:
		return floatText(float64(v))
	case float64:
		return floatText(v)
	case int8:
		return integerText(f, int64(v), 8)
	case int16:
		return integerText(f, int64(v), 16)
	case int32:
		return integerText(f, int64(v), 32)
	case int64:
		return integerText(f, v, 64)
	default:
		return v
	}
}

func integerText(f jfrtest.Field, v int64, size uint) string {
	x := big.NewInt(v)
	if v < 0 && annotated(f, "jdk.jfr.Unsigned") {
		x.Add(x, new(big.Int).Lsh(big.NewInt(1), size))
	}
	return x.String()
}

func floatText(f float64) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil // what JSON has for them
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// printed brings the values of an object that the tool printed into that form.
func (n normal) printed(class *jfrtest.Class, values map[string]any) map[string]any {
	m := map[string]any{}
	for _, f := range class.Fields {
		if v, ok := values[f.Name]; ok && !isTime(f) {
			m[f.Name] = n.printedField(f, v)
		}
	}
	return m
}

func (n normal) printedField(f jfrtest.Field, v any) any {
	class := n.Classes[f.ClassID]
	switch v := v.(type) {
	case []any:
		list := []any{}
		for _, x := range v {
			list = append(list, n.printedField(f, x))
		}
		return list
	case map[string]any:
		return n.printed(class, v)
	case json.Number:
		size := 64
		if class.Name == "float" {
			size = 32
		}
		if class.Name == "float" || class.Name == "double" {
			x, _ := strconv.ParseFloat(v.String(), size)
			return floatText(x)
		}
		return v.String()
	default:
		return v
	}
}

// The tool's view of arrangements that no recording at hand has.
func TestReferenceReadsOddArrangementsAsTheJDK(t *testing.T) {
	b := jfrtest.NewChunk()
	b.SizeWidth = 5
	ty := b.Event("test.Odd",
		jfrtest.Of("u8", "byte").With(jfrtest.Mark("jdk.jfr.Unsigned")),
		jfrtest.Of("u64", "long").With(jfrtest.Mark("jdk.jfr.Unsigned")),
		jfrtest.Const("symbol", "jdk.types.Symbol"),
		jfrtest.Of("text", jfrtest.StringClass))
	oldest := b.Checkpoint(0)
	oldest.Add("jdk.types.Symbol", -1, "minus one")
	oldest.Add("jdk.types.Symbol", int64(math.MinInt64), jfrtest.Pooled(9))
	oldest.Add(jfrtest.StringClass, 9, jfrtest.Pooled(10))
	// The tool's reader mistakes -1, if it is the first key ever, for the last one
	// and gives the number 0 for it. So it comes second here.
	b.Emit(ty, start-1, 0, 0, 0, nil)
	b.Emit(ty, start, -1, -1, -1, jfrtest.UTF16Units(0xd83d, 'x', 0xde00))
	b.Emit(ty, start+1, 1, int64(math.MaxInt64), int64(math.MinInt64), jfrtest.Pooled(10))
	b.Emit(ty, start+2, 0, 0, 12345, jfrtest.Pooled(0))
	b.Checkpoint(0).Add(jfrtest.StringClass, 10, "end of the chain")
	compareWithJDK(t, b.Bytes())
	c := decode(t, b.Bytes()).Chunks[0]
	assert.Equal(t, "end of the chain", c.Path(c.Events[2].Field("symbol")))
}
