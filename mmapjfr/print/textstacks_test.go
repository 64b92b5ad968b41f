package print_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

func TestTextStacks(t *testing.T) {
	tests := []struct {
		name  string
		stack int // those of constants
		depth int
		want  string
	}{
		{"as many frames as there are", 1, 3, "    a.b.C.run() line: 1\n    a.b.C.run()\n    ...\n"},
		{"more frames than there are", 1, 4, "    a.b.C.run() line: 1\n    a.b.C.run()\n"},
		{"a hidden frame does not count", 1, 2, "    a.b.C.run() line: 1\n    a.b.C.run()\n"},
		{"the first frame", 1, 1, "    a.b.C.run() line: 1\n    ...\n"},
		{"no frame", 1, 0, "    ...\n"},
		{"cut by the recorder", 2, 5, "    a.b.C.run() line: 0\n    ...\n"},
		{"empty", 3, 5, ""},
		{"a frame without a method", 4, 5, "    N/A line: 12\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := jfrtest.NewChunk()
			constants(b)
			emit(b, []any{tt.stack}, jfrtest.StackTrace())
			want := eventText("  stackTrace = [\n" + tt.want + "  ]\n")
			assert.Equal(t, want, textOf(t, b, print.Options{StackDepth: tt.depth}))
		})
	}
}

func TestTextOfAStackThatDoesNotSayWhetherItWasCut(t *testing.T) {
	b := jfrtest.NewChunk()
	class := b.Lookup("jdk.types.StackTrace")
	class.Fields = class.Fields[1:]
	b.Constant("jdk.types.StackTrace", 1, []any{})
	emit(b, []any{1}, jfrtest.StackTrace())
	assert.Equal(t, eventText("  stackTrace = [\n    ...\n  ]\n"), textOf(t, b, print.Options{StackDepth: 5}))
}

func TestTextLeavesOutFramesThatAreNotOfJava(t *testing.T) {
	b := jfrtest.NewChunk()
	frame := b.Lookup("jdk.types.StackFrame")
	frame.Fields = append(frame.Fields, jfrtest.Of("javaFrame", "boolean"))
	b.Constant("jdk.types.StackTrace", 1, false, []any{
		jfrtest.Inline{0, 1, 0, 0, false}, jfrtest.Inline{0, 2, 0, 0, true},
	})
	emit(b, []any{1}, jfrtest.StackTrace())
	assert.Equal(t, eventText("  stackTrace = [\n    N/A line: 2\n  ]\n"), textOf(t, b, print.Options{StackDepth: 1}))
}
