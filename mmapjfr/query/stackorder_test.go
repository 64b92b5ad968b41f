package query

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/javatext"
)

// TestOrderOfStacks compares the order of stack traces with that of their texts, which it does not make where a frame
// decides.
func TestOrderOfStacks(t *testing.T) {
	var deep []Value
	for i := range 100 {
		deep = append(deep, NewNamed(Frame, fmt.Sprintf("a.B.method%d()", i), i))
	}
	frame := func(name string) Value { return NewNamed(Frame, name, 1) }
	list := []Value{
		{}, NewStack(deep...), NewStack(deep[:50]...), NewStack(append(deep[:99:99], frame("z"))...), NewStack(NewNamed(Frame, "a.B.method0()", 7)),
		NewStack(), NewStack(frame("c"), frame("d")), NewStack(frame("c$1")), NewStack(frame("c/"), frame("a")), NewStack(frame("c, d")),
		NewStack(frame("\U0001F600")), NewStack(frame("\uFFFD")), NewStack(frame("\xff")), NewStack(frame("c"), frame("\U0001F600")),
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
