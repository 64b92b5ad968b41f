// Command mjfr reads Flight Recorder files. It has the verbs of the JDK's jfr, and more.
package main

import (
	"context"
	"os"
	"os/signal"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
)

func main() {
	cli.DelayGC()
	cli.KeepBrokenPipes()
	ctx, stop := signal.NotifyContext(context.Background(), cli.Endings()...)
	// A second signal ends the process at once.
	context.AfterFunc(ctx, func() { time.AfterFunc(cli.SameSignal, stop) })
	a := &cli.App{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Root: newMjfr}
	code := a.Run(ctx, os.Args[1:])
	os.Exit(code)
}
