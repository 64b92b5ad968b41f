package attach

import (
	"context"
	"fmt"
	"strings"
)

// quote writes a value so that the JVM's parser of commands reads it as it is. That
// parser knows quotes of both kinds and no escapes, except that a quote behind a
// backslash does not end a text, while the backslash stays; and it takes each line
// for a command of its own.
func quote(value string) (string, error) {
	if strings.ContainsAny(value, "\n\x00") {
		return "", fmt.Errorf("%q has a line end or a zero byte in it, which commands to a JVM cannot have", value)
	}
	if value != "" && !strings.ContainsAny(value, ` "'`) {
		return value, nil
	}
	mark := `"`
	if strings.Contains(value, mark) {
		mark = `'`
	}
	if strings.Contains(value, mark) {
		return "", fmt.Errorf("%q has quotes of both kinds in it, which commands to a JVM cannot have", value)
	}
	if strings.HasSuffix(value, `\`) {
		return "", fmt.Errorf("%q has blanks or quotes in it and a backslash at its end, which commands to a JVM cannot have", value)
	}
	return mark + value + mark, nil
}

// commandLine is a command to a JVM while it is put together.
type commandLine struct {
	text strings.Builder
	err  error // the first
}

func newCommandLine(name string) *commandLine {
	c := new(commandLine)
	c.text.WriteString(name)
	return c
}

// option adds a value under its name, unless it is empty.
func (c *commandLine) option(name, value string) {
	if value == "" {
		return
	}
	quoted, err := quote(value)
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("%s: %w", name, err)
	}
	c.text.WriteString(" " + name + "=" + quoted)
}

func (c *commandLine) String() string { return c.text.String() }

// Command has the JVM do what jcmd would with the same line, such as VM.version,
// GC.class_histogram or JFR.configure stackdepth=128, and returns what the JVM says,
// of up to 64 MiB. The context limits how long that may take.
//
// What the JVM refuses is a [*CommandError]. But what Flight Recorder refuses, a line
// that begins with JFR, is only told in the text, as the JVM does.
func (vm *VM) Command(ctx context.Context, line string) (string, error) {
	if strings.ContainsAny(line, "\n\r") {
		return "", fmt.Errorf("the command %q has more than one line, which a JVM takes for several", line)
	}
	return vm.run(ctx, "jcmd", line)
}
