package attach

import (
	"context"
	"fmt"
	"strings"
)

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
