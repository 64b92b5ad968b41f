//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
)

// TestAfterInterrupt ends with exit code 0 although the command was interrupted, unless that happens
// again.
func TestAfterInterrupt(t *testing.T) {
	SameSignal = 0
	for again, want := range map[bool]int{false: ExitOK, true: ExitInterrupted} {
		ctx, interrupt := context.WithCancel(t.Context())
		a := &App{Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer)}
		a.Root = func(*App) *cobra.Command {
			return &cobra.Command{RunE: func(cmd *cobra.Command, _ []string) error {
				interrupt()
				rest, stop := a.AfterInterrupt(cmd.Context())
				defer stop()
				if !again {
					return rest.Err()
				}
				assert.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
				<-rest.Done()
				return rest.Err()
			}}
		}
		assert.Equal(t, want, a.Run(ctx, nil))
	}
}
