// Command mjfr reads Flight Recorder files: it knows the verbs of the JDK's jfr, and
// more.
package main

import (
	"context"
	"os"
	"os/signal"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
)

func main() {
	cli.KeepBrokenPipes()
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	// Who interrupts a second time does not want to wait until all is put away. But some,
	// like timeout, send the signal to the process and to its group, both at once.
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
	a := &cli.App{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Root: newMjfr}
	code := a.Run(ctx, os.Args[1:])
	os.Exit(code)
}
