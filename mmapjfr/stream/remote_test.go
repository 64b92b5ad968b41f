package stream_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// TestRemoteStream reads what a virtual machine hands out by its FlightRecorderMXBean while
// it records, as it comes.
func TestRemoteStream(t *testing.T) {
	for _, major := range []int{17, 25} {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			jdk := jvmtest.Need(t, major)
			cmd := exec.CommandContext(t.Context(), filepath.Join(jdk.Home, "bin", "java"), "testdata/Remote.java", "3000")
			var said bytes.Buffer
			cmd.Stderr = &said
			out, in, err := os.Pipe()
			require.NoError(t, err)
			defer out.Close()
			cmd.Stdout = in
			require.NoError(t, cmd.Start())
			require.NoError(t, in.Close())

			s := stream.OpenReader(out)
			number, flushes, next := mmapjfr.Path("n"), 0, int64(0)
			s.OnEventType("test.Tick", func(ev mmapjfr.Event) error {
				assert.Equal(t, next, ev.Int(number))
				assert.Equal(t, fmt.Sprint("tick ", next%7), ev.Str(mmapjfr.Path("text")))
				next++
				return nil
			})
			s.OnFlush(func() error { flushes++; return nil })
			s.OnError(func(err error) {
				// The next chunk may have begun when the machine ends.
				assert.ErrorIs(t, err, mmapjfr.ErrUnfinished)
			})
			require.NoError(t, s.Start(context.Background()))
			require.NoError(t, cmd.Wait())
			assert.Equal(t, strings.TrimSpace(said.String()), fmt.Sprint(next))
			assert.Greater(t, next, int64(100))
			assert.Greater(t, flushes, 1)
		})
	}
}
