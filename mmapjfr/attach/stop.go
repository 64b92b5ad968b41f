package attach

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Stop stops a recording and lets it go: what it holds is written to the Filename
// that it was started with, if it has one, and is otherwise gone. The files of the
// repository stay as long as other recordings need them.
func (vm *VM) Stop(ctx context.Context, id int) error {
	return vm.expect(ctx, "JFR.stop name="+strconv.Itoa(id), "Stopped recording")
}

// Dump writes what a recording holds to a file, while the recording goes on. The path
// is one of the JVM, which writes the file as its own user; if it is a directory the
// JVM makes up a name.
func (vm *VM) Dump(ctx context.Context, id int, path string) error {
	if path == "" {
		return errors.New("name a file to dump to")
	}
	literal, err := vm.literal(ctx, "JFR.dump", path)
	if err != nil {
		return err
	}
	c := newCommandLine("JFR.dump")
	c.option("name", strconv.Itoa(id))
	c.option("filename", literal)
	if c.err != nil {
		return c.err
	}
	return vm.expect(ctx, c.String(), "Dumped recording")
}

// expect gives a command to Flight Recorder, of which only what it says tells whether
// it has done it: a line that begins like that.
func (vm *VM) expect(ctx context.Context, line, done string) error {
	text, err := vm.Command(ctx, line)
	if err != nil {
		return err
	}
	for said := range strings.Lines(text) {
		if strings.HasPrefix(said, done) {
			return nil
		}
	}
	return &CommandError{Command: commandName("jcmd", []string{line}), Text: strings.TrimSpace(text)}
}

// literal writes a path so that a command takes it as it is. Newer JVMs put something
// else for %p and %t, as their help says. Older ones do what they are asked to and
// then stumble over the path when they tell of it.
func (vm *VM) literal(ctx context.Context, command, path string) (string, error) {
	if !strings.Contains(path, "%") {
		return path, nil
	}
	help, err := vm.Command(ctx, "help "+command)
	if err != nil {
		return "", err
	}
	if !strings.Contains(help, "%p") {
		return "", fmt.Errorf("%q has a %% in it, which the JVM of process %d is too old for", path, vm.PID())
	}
	return strings.ReplaceAll(path, "%", "%%"), nil
}
