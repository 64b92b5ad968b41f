package terminal_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
)

// written returns what a table writes.
func written(t *testing.T, table *terminal.Table, s terminal.Style) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, table.Write(&out, s))
	return out.String()
}

func types() *terminal.Table {
	table := terminal.NewTable(terminal.Column{Title: "type"}, terminal.Column{Title: "events", Right: true}, terminal.Column{Title: "label"})
	table.Row(terminal.Plain("jdk.ExecutionSample"), terminal.Cell{Text: "1,234", Raw: "1234"}, terminal.Plain("Method Profiling Sample"))
	table.Row(terminal.Plain("gen.日本"), terminal.Cell{Text: "7", Raw: "7"}, terminal.Plain("wide"))
	table.Row(terminal.Plain("short"))
	return table
}

func TestTableForPeople(t *testing.T) {
	assert.Equal(t, ""+
		"type                 events  label\n"+
		"jdk.ExecutionSample   1,234  Method Profiling Sample\n"+
		"gen.日本                  7  wide\n"+
		"short                        \n", written(t, types(), terminal.Style{Aligned: true}))
}

func TestTableForPrograms(t *testing.T) {
	assert.Equal(t, ""+
		"type\tevents\tlabel\n"+
		"jdk.ExecutionSample\t1234\tMethod Profiling Sample\n"+
		"gen.日本\t7\twide\n"+
		"short\t\t\n", written(t, types(), terminal.Style{}))
}

func TestTableIsCutToTheTerminal(t *testing.T) {
	table := types()
	table.Row(terminal.Plain("jdk.ObjectAllocationInNewTLAB"), terminal.Plain("1"), terminal.Plain("Allocation in new Thread Local Buffer"))
	cut := func(width int) (lines []string) {
		return strings.Split(written(t, table, terminal.Style{Aligned: true, Width: width}), "\n")
	}
	assert.Equal(t, "jdk.ObjectAllocationInNewTLAB       1  Allocation in new Thread Local Bu…", cut(73)[4])
	assert.Equal(t, "jdk.ObjectAllocationInNewTLAB       1  Allocation in new Threa…", cut(63)[4], "the last one first")
	assert.Equal(t, "jdk.ObjectAllocationInNe…       1  Allocation in new Threa…", cut(59)[4], "then those before")
	assert.Equal(t, "jdk.ExecutionSample             1,234  Method Profiling Sample", cut(63)[1], "only what is too long")
	assert.Equal(t, "jdk.ObjectAllocationInN…       1  Allocation …", cut(46)[4])
	full := written(t, types(), terminal.Style{Aligned: true})
	assert.Equal(t, full, written(t, types(), terminal.Style{Aligned: true, Width: 52}), "it fits")
	for width := 36; width < 60; width++ {
		for line := range strings.SplitSeq(written(t, types(), terminal.Style{Aligned: true, Width: width}), "\n") {
			assert.LessOrEqual(t, runewidth.StringWidth(line), width)
		}
	}
	assert.Equal(t, full, written(t, types(), terminal.Style{Aligned: true, Width: 5}), "it is too narrow for anything")
}

func TestTableInColour(t *testing.T) {
	table := terminal.NewTable(terminal.Column{Title: "what"}, terminal.Column{Title: "n", Right: true})
	table.Row(terminal.Cell{Text: "bad", Raw: "bad", Hue: terminal.Red}, terminal.Plain("1"))
	assert.Equal(t, "\x1b[1mwhat\x1b[22m  \x1b[1mn\x1b[22m\n\x1b[31mbad\x1b[0m   1\n",
		strings.ReplaceAll(written(t, table, terminal.Style{Aligned: true, Color: true}), "[0;22m", "[22m"))
	assert.Equal(t, "what\tn\nbad\t1\n", written(t, table, terminal.Style{Color: true}), "programs see no colours")
}

func TestTableOfHostileText(t *testing.T) {
	hostile := "a\tb\nc\x1b[2J\\\x7f\xff\u202e"
	table := terminal.NewTable(terminal.Column{Title: "t\t"}, terminal.Column{Title: "u"})
	table.Row(terminal.Plain(hostile), terminal.Plain("x"))
	people := strings.Split(written(t, table, terminal.Style{Aligned: true}), "\n")
	require.Len(t, people, 3)
	assert.Equal(t, `a\tb\nc\x1b[2J\\x7f\xff\u202e  x`, people[1])
	programs := strings.Split(written(t, table, terminal.Style{}), "\n")
	require.Len(t, programs, 3)
	assert.Equal(t, `t\t`+"\tu", programs[0])
	assert.Equal(t, `a\tb\nc\x1b[2J\\\x7f\xff`+"\u202e\tx", programs[1])
}

type fullDisk struct{}

var errFull = errors.New("disk full")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestTableThatCannotBeWritten(t *testing.T) {
	assert.ErrorIs(t, types().Write(fullDisk{}, terminal.Style{}), errFull)
	assert.ErrorIs(t, types().Write(fullDisk{}, terminal.Style{Aligned: true}), errFull)
}

func TestTableInParts(t *testing.T) {
	for _, style := range []terminal.Style{{}, {Aligned: true}} {
		table := terminal.NewTable(terminal.Column{Title: "Name"}, terminal.Column{Title: "Count", Right: true})
		var parts, whole bytes.Buffer
		for _, name := range []string{"abc", "def", "ghi"} {
			table.Row(terminal.Plain(name), terminal.Plain("5"))
			require.NoError(t, table.WritePart(&parts, style))
		}
		require.NoError(t, table.WritePart(&parts, style))
		table = terminal.NewTable(terminal.Column{Title: "Name"}, terminal.Column{Title: "Count", Right: true})
		for _, name := range []string{"abc", "def", "ghi"} {
			table.Row(terminal.Plain(name), terminal.Plain("5"))
		}
		require.NoError(t, table.Write(&whole, style))
		assert.Equal(t, whole.String(), parts.String())
	}
}
