// Command mjfr reads Flight Recorder files: it knows the verbs of the JDK's jfr, and
// more.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	keepBrokenPipes()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// Who interrupts a second time does not want to wait until all is put away.
	context.AfterFunc(ctx, stop)
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	code := a.run(ctx, os.Args[1:])
	os.Exit(code)
}
