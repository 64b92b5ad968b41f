package attach

import (
	"context"
	"fmt"
	"strings"
)

// quote writes a value so that the JVM's parser of commands reads it unchanged. The parser knows
// quotes of both kinds and no escapes, but a quote after a backslash does not end a text, and the
// backslash stays. It takes each line for a command of its own.
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

// option adds a value with its name, unless the value is empty.
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

// Command has the JVM execute a command of jcmd, such as VM.version, GC.class_histogram or
// JFR.configure stackdepth=128, and returns the JVM's answer, of up to 64 MiB. The context limits
// the time.
//
// If the JVM refuses, the error is a [*CommandError]. Commands that begin with JFR are different:
// if Flight Recorder refuses, only the answer says so.
func (vm *VM) Command(ctx context.Context, line string) (string, error) {
	if strings.ContainsAny(line, "\n\r") {
		return "", fmt.Errorf("the command %q has more than one line, which a JVM takes for several", line)
	}
	return vm.run(ctx, "jcmd", line)
}
