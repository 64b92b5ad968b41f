package query

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/javatext"
)

func newFrame(name string, line int) Value {
	return Value{kind: Frame, text: name, line: int32(line)}
}

// newStack returns a stack trace of frames, the top frame first.
func newStack(frames ...Value) Value {
	var b strings.Builder
	for _, f := range frames {
		b.WriteString(f.text + lineStart + strconv.Itoa(int(f.line)) + frameEnd)
	}
	return Value{kind: Stack, text: b.String()}
}

// TestOrderOfStacks compares the order of stack traces with that of their texts, which it does not make where a frame
// decides.
func TestOrderOfStacks(t *testing.T) {
	var deep []Value
	for i := range 100 {
		deep = append(deep, newFrame(fmt.Sprintf("a.B.method%d()", i), i))
	}
	frame := func(name string) Value { return newFrame(name, 1) }
	list := []Value{
		{}, newStack(deep...), newStack(deep[:50]...), newStack(append(deep[:99:99], frame("z"))...), newStack(newFrame("a.B.method0()", 7)),
		newStack(), newStack(frame("c"), frame("d")), newStack(frame("c$1")), newStack(frame("c/"), frame("a")), newStack(frame("c, d")),
		newStack(frame("\U0001F600")), newStack(frame("\uFFFD")), newStack(frame("\xff")), newStack(frame("c"), frame("\U0001F600")),
	}
	vs := &values{}
	for _, a := range list {
		for _, b := range list {
			want := javatext.Compare(a.String(), b.String())
			if a.kind == Null || b.kind == Null {
				want = cmp.Compare(a.kind, b.kind)
			}
			assert.Equal(t, want, vs.order(Stack, vs.raw(a), vs.raw(b)), "%q and %q", a, b)
		}
	}
	x, y := vs.raw(list[1]), vs.raw(list[3])
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { vs.order(Stack, x, y) }), 2.0, "the numbers of frames")
}
