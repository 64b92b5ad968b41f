package leakcheck

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// mark is in every text that a recording of [Chunk] has as a value, and nowhere else.
const mark = "QzXj"

// number begins every number that it has as a value.
const number = 314_159_265

// text returns a value for a place.
func text(place string) string { return mark + "-" + place }

// counter gives numbers that nothing else has: of 13 digits, and of 9 where no more fit.
type counter int64

func (c *counter) long() int64 {
	*c++
	return number*10_000 + int64(*c)
}

func (c *counter) int() int32 {
	*c++
	return number*2 + int32(*c)%1000
}

// ticks is where time begins.
const ticks = number * 1_000

// Chunk returns a chunk all of whose values are marked: texts in all encodings, numbers of all
// kinds, constants, threads, stacks, and the settings of the recording.
func Chunk() *jfrtest.Builder {
	b := jfrtest.NewChunk()
	b.Header.StartTicks = ticks
	n := new(counter)
	cp := b.Checkpoint(jfrtest.MaskFlush)
	symbol := func(key int, place string) { cp.Add("jdk.types.Symbol", key, text(place)) }
	for key, place := range []string{"package/Class", "method", "(L" + mark + "/descriptor;)V", "module", "version", "location", "loader", "package"} {
		symbol(901+key, place)
	}
	cp.Add("jdk.types.FrameType", 1, text("frame type"))
	cp.Add("jdk.types.ThreadState", 1, text("state"))
	cp.Add("jdk.types.ThreadGroup", 1, 0, text("parent group"))
	cp.Add("jdk.types.ThreadGroup", 2, 1, text("group"))
	cp.Add("java.lang.Thread", 1, text("os thread"), n.long(), text("java thread"), n.long(), 2, false)
	cp.Add("java.lang.Class", 1, 1, 901, 1, n.int(), false)
	cp.Add("jdk.types.ClassLoader", 1, 1, 907)
	cp.Add("jdk.types.Package", 1, 908, 1, true)
	cp.Add("jdk.types.Module", 1, 904, 905, 906, 1)
	cp.Add("jdk.types.Method", 1, 1, 902, 903, n.int(), false)
	cp.Add("jdk.types.StackTrace", 1, false, []any{jfrtest.Inline{1, n.int(), n.int(), 1}, jfrtest.Inline{1, n.int(), 0, 1}})
	cp.Add(jfrtest.StringClass, 1, jfrtest.Latin1(text("pooled")))
	cp.Add(jfrtest.StringClass, 2, jfrtest.UTF16(text("pooled, of two bytes ✓")))

	b.Class("test.Inner", jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("number", "long"))
	setting := b.Event("jdk.ActiveSetting", jfrtest.Of("id", "long"), jfrtest.Of("name", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass))
	variable := b.Event("jdk.InitialEnvironmentVariable", jfrtest.Of("key", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass))
	sample := b.Event("jdk.ExecutionSample", jfrtest.Const("sampledThread", "java.lang.Thread"), jfrtest.StackTrace(), jfrtest.Const("state", "jdk.types.ThreadState"))
	kinds := b.Event("test.Kinds", jfrtest.Duration(), jfrtest.EventThread(), jfrtest.StackTrace(),
		jfrtest.Of("utf8", jfrtest.StringClass), jfrtest.Of("utf16", jfrtest.StringClass), jfrtest.Of("latin1", jfrtest.StringClass),
		jfrtest.Of("pooled", jfrtest.StringClass), jfrtest.Of("also", jfrtest.StringClass),
		jfrtest.Of("int", "int"), jfrtest.Of("long", "long"), jfrtest.Of("float", "float"), jfrtest.Of("double", "double"),
		jfrtest.Const("class", "java.lang.Class"), jfrtest.Of("inner", "test.Inner"), jfrtest.Of("texts", jfrtest.StringClass).Array(),
		jfrtest.Of("inners", "test.Inner").Array())
	for i := range 4 {
		at := int64(ticks) + int64(i)*1000
		b.Emit(setting, at, n.long(), text("setting"), text("setting's value"))
		b.Emit(variable, at, text("variable"), text("variable's value"))
		b.Emit(sample, at, 1, 1, 1)
		b.Emit(kinds, at, n.int(), 1, 1, jfrtest.UTF8(text("utf8 ✓")), jfrtest.UTF16(text("utf16")), jfrtest.Latin1(text("latin1")),
			jfrtest.Pooled(1), jfrtest.Pooled(2), n.int(), n.long(), float32(number), float64(number)*1.5, 1,
			jfrtest.Inline{text("inner"), n.long()}, []any{text("element"), nil}, []any{jfrtest.Inline{text("inner of an array"), n.long()}})
	}
	return b
}

// structure are words of error messages after which a number is a size, an id, a count or a
// version, whatever bits of a damaged file stand there.
var structure = regexp.MustCompile(`(?:event size|event has type|type|delta|number|chunk size|version|thread) -?[0-9.]+|[0-9]+ (?:more )?(?:bytes|elements|events)|0x[0-9a-f]{3,}`)

// shown finds a value in any notation. A few bytes of it are enough.
var shown = func() *regexp.Regexp {
	hex := fmt.Sprintf("%x", mark)
	pair := func(i int) string { return "(?i:" + hex[i:i+2] + "[ ,]*(?:0x)?" + hex[i+2:i+4] + ")" }
	return regexp.MustCompile(strings.Join([]string{
		mark, pair(0), pair(2), pair(4), // as text, and as bytes in hexadecimal
		fmt.Sprintf("%d,? %d", mark[0], mark[1]), fmt.Sprintf("%d,? %d", mark[1], mark[2]), // and in decimal
		"31415926", `3\.1415926`, // longs, floats and ticks
		"6283185", `4\.712388`, "47123889", // ints and doubles
	}, "|"))
}()

// Leak returns the part of a message that shows a value of a recording of [Chunk]; "" if
// it shows none.
func Leak(message string) string {
	if !shown.MatchString(message) {
		return ""
	}
	rest := structure.ReplaceAllString(message, "#")
	at := shown.FindStringIndex(rest)
	if at == nil {
		return ""
	}
	return rest[max(at[0]-40, 0):min(at[1]+40, len(rest))]
}
