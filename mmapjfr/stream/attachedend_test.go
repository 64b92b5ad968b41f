//go:build linux || darwin

package stream_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// All that was committed before Stop comes, and nothing that was later.
func TestStop(t *testing.T) {
	eachMachine(t, silent, func(t *testing.T, j *jvmtest.JVM) {
		h := hear(t, j)
		h.SetSettings()
		h.start()
		for range 3 {
			j.Send("burst 1000")
			h.stop()
			assert.Equal(t, 1000, h.burst)
			j.Send("burst 1000")
			leftNothing(t, j)
			require.NoError(t, h.Stop(t.Context()), "it has ended")
			assert.ErrorIs(t, h.Update(t.Context()), stream.ErrClosed)
			assert.ErrorIs(t, h.Dump(t.Context(), "a.jfr"), stream.ErrClosed)
			assert.ErrorIs(t, h.Start(t.Context()), stream.ErrStarted)
			h = hear(t, j)
			h.SetSettings()
			h.start()
		}
		h.stop()
		j.Exit()
		assert.Equal(t, uint64(3000), j.Committed()[tick], "of the others none was enabled")
	})
}

// Others go on recording, but what they record later does not come.
func TestStopWhileOthersRecord(t *testing.T) {
	eachMachine(t, jvmtest.Options{}, func(t *testing.T, j *jvmtest.JVM) {
		for range 5 {
			j.Send("burst 50")
			h := hear(t, j)
			h.Enable("jdk.CPULoad")
			require.NoError(t, h.StartAsync(t.Context()))
			require.Eventually(t, func() bool { _, ours := recordingsOf(t, j); return len(ours) > 0 }, time.Minute, time.Millisecond)
			j.Send("burst 100")
			stopped := make(chan error)
			go func() { stopped <- h.Stop(context.Background()) }()
			require.Eventually(t, func() bool { _, ours := recordingsOf(t, j); return len(ours) == 0 }, time.Minute, time.Millisecond)
			j.Send("burst 50")
			j.Send("flush")
			require.NoError(t, <-stopped)
			assert.Equal(t, 100, h.burst)
			assert.Empty(t, h.errs)
			others, ours := recordingsOf(t, j)
			assert.Empty(t, ours)
			require.Len(t, others, 1)
			assert.Equal(t, "load", others[0].Name)
			assert.Equal(t, "running", others[0].State)
		}
	})
}

// The virtual machine removes the chunks of a recording that is stopped. A handler that has
// not come so far gets all of them nevertheless.
func TestStopWhileAHandlerIsSlow(t *testing.T) {
	eachMachine(t, silent, func(t *testing.T, j *jvmtest.JVM) {
		h := hear(t, j)
		h.SetSettings()
		inside, outside := make(chan bool), make(chan bool)
		first := true
		h.OnEventType(tick, func(mmapjfr.Event) error {
			return onlyOnce(&first, func() error {
				close(inside)
				<-outside
				return nil
			})
		})
		h.start()
		j.Send("burst 10")
		j.Send("flush")
		soon(t, inside)
		const chunks = 20 // more than are opened ahead
		for n := range chunks {
			j.Send("rotate")
			j.Send("burst 10")
			if n == chunks/2 {
				h.Enable("jdk.CPULoad")
				require.NoError(t, h.Update(t.Context()))
			}
		}
		stopped := make(chan error)
		go func() { stopped <- h.Stop(context.Background()) }()
		require.Eventually(t, func() bool { _, ours := recordingsOf(t, j); return len(ours) == 0 }, time.Minute, time.Millisecond)
		close(outside)
		require.NoError(t, <-stopped)
		assert.Equal(t, 10*(chunks+1), h.burst)
		assert.Empty(t, h.errs)
	})
}

// However it is ended, the recording is.
func TestEnds(t *testing.T) {
	eachMachine(t, silent, func(t *testing.T, j *jvmtest.JVM) {
		t.Run("closed", func(t *testing.T) {
			h := hear(t, j)
			h.SetSettings()
			h.start()
			require.NoError(t, h.Close())
			require.NoError(t, h.AwaitTermination(time.Minute))
			leftNothing(t, j)
			assert.ErrorIs(t, h.Update(t.Context()), stream.ErrClosed)
			assert.ErrorIs(t, h.Dump(t.Context(), "a.jfr"), stream.ErrClosed)
			assert.NoError(t, h.Stop(t.Context()))
		})
		t.Run("closed at once", func(t *testing.T) {
			for n := range 10 {
				h := hear(t, j)
				h.SetSettings()
				require.NoError(t, h.StartAsync(t.Context()))
				time.Sleep(time.Duration(n) * time.Millisecond)
				require.NoError(t, h.Close())
				require.NoError(t, h.AwaitTermination(time.Minute))
				leftNothing(t, j)
				assert.Empty(t, h.errs)
			}
		})
		t.Run("stopped at once", func(t *testing.T) {
			for n := range 10 {
				h := hear(t, j)
				h.SetSettings()
				require.NoError(t, h.StartAsync(t.Context()))
				time.Sleep(time.Duration(n) * time.Millisecond)
				require.NoError(t, h.Stop(t.Context()))
				leftNothing(t, j)
				assert.Empty(t, h.errs)
			}
		})
		t.Run("never started", func(t *testing.T) {
			h := hear(t, j)
			h.SetSettings()
			assert.NoError(t, h.Update(t.Context()), "there is nothing to update")
			assert.ErrorIs(t, h.Dump(t.Context(), "a.jfr"), stream.ErrNotStarted)
			leftNothing(t, j)
			require.NoError(t, h.Stop(t.Context()))
			assert.ErrorIs(t, h.Start(t.Context()), stream.ErrClosed)
			leftNothing(t, j)
		})
		t.Run("cancelled", func(t *testing.T) {
			h := hear(t, j)
			h.SetSettings()
			ctx, cancel := context.WithCancelCause(t.Context())
			require.NoError(t, h.StartAsync(ctx))
			require.Eventually(t, func() bool { _, ours := recordingsOf(t, j); return len(ours) > 0 }, time.Minute, time.Millisecond)
			cancel(errTest)
			assert.Equal(t, errTest, h.AwaitTermination(time.Minute))
			leftNothing(t, j)
		})
		// The virtual machine may start a recording although nobody waits for it any more.
		t.Run("cancelled while it starts", func(t *testing.T) {
			for n := range 25 {
				h := hear(t, j)
				h.SetSettings()
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Duration(n)*time.Millisecond, errTest)
				assert.Equal(t, errTest, h.Start(ctx))
				cancel()
				leftNothing(t, j)
			}
		})
		t.Run("cancelled while it is updated", func(t *testing.T) {
			h := hear(t, j)
			h.SetSettings()
			h.start()
			for n := range 15 {
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Duration(n)*time.Millisecond, errTest)
				h.Enable("jdk.CPULoad").WithPeriod(time.Duration(n+1) * time.Second)
				if err := h.Update(ctx); err != nil {
					assert.ErrorIs(t, err, errTest)
				}
				cancel()
			}
			require.NoError(t, h.Update(t.Context()))
			_, ours := recordingsOf(t, j)
			assert.Len(t, ours, 1)
			h.stop()
			leftNothing(t, j)
		})
		t.Run("stopping is cancelled", func(t *testing.T) {
			h := hear(t, j)
			h.SetSettings()
			h.start()
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(errTest)
			assert.ErrorIs(t, h.Stop(ctx), errTest)
			require.NoError(t, h.AwaitTermination(time.Minute), "it ends all the same")
			leftNothing(t, j)
		})
		for _, others := range []bool{false, true} {
			t.Run(fmt.Sprint("stopped by somebody else, others record: ", others), func(t *testing.T) {
				if others {
					command(t, j, "JFR.start name=other settings=none")
					defer command(t, j, "JFR.stop name=other")
				}
				h := hear(t, j)
				h.SetSettings()
				h.start()
				j.Send("burst 100")
				_, ours := recordingsOf(t, j)
				require.Len(t, ours, 1)
				command(t, j, fmt.Sprintf("JFR.stop name=%d", ours[0].ID))
				h.endsStopped()
			})
		}
		t.Run("closed while it looks whether the machine exits", func(t *testing.T) {
			stream.SetPatience(t, time.Hour)
			h := hear(t, j)
			h.SetSettings()
			h.start()
			_, ours := recordingsOf(t, j)
			require.Len(t, ours, 1)
			command(t, j, fmt.Sprintf("JFR.stop name=%d", ours[0].ID))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			require.Eventually(t, func() bool { return errors.Is(h.Update(ctx), stream.ErrClosed) }, time.Minute, time.Millisecond)
			require.NoError(t, h.Close())
			require.NoError(t, h.AwaitTermination(time.Minute))
			assert.Empty(t, h.errs)
		})
		for _, arguments := range []string{"", " duration=5s filename=/dev/null"} {
			t.Run("that of others ends"+arguments, func(t *testing.T) {
				command(t, j, "JFR.start name=other settings=none"+arguments)
				h := hear(t, j)
				h.start()
				j.Send("burst 100")
				if arguments == "" {
					command(t, j, "JFR.stop name=other")
				}
				h.endsStopped()
			})
		}
	})
}

// endsStopped awaits the end of the stream after a burst, which says why.
func (h *heard) endsStopped() {
	h.t.Helper()
	require.NoError(h.t, h.AwaitTermination(time.Minute))
	assert.Equal(h.t, 100, h.burst)
	require.Len(h.t, h.errs, 1)
	assert.ErrorIs(h.t, h.errs[0], stream.ErrStopped)
}

// A handler can do all but wait for itself.
func TestHandlersOfARecording(t *testing.T) {
	eachMachine(t, silent, func(t *testing.T, j *jvmtest.JVM) {
		h := hear(t, j)
		h.SetSettings()
		first := true
		var dumped error
		h.OnEventType(tick, func(mmapjfr.Event) error {
			return onlyOnce(&first, func() error {
				h.Enable("jdk.CPULoad").WithPeriod(50 * time.Millisecond)
				dumped = h.Dump(context.Background(), t.TempDir())
				return errors.Join(h.Update(context.Background()), h.Stop(context.Background()))
			})
		})
		h.OnClose(func() { h.errs = append(h.errs, h.Stop(context.Background())) })
		h.start()
		j.Send("burst 10")
		h.count("jdk.CPULoad", 10)
		j.Send("burst 10")
		h.until("both", func() bool { return h.burst == 20 })
		require.NoError(t, dumped)
		require.Len(t, h.errs, 1)
		assert.EqualError(t, h.errs[0], "stream: a handler cannot wait until its own stream has ended; close it, or stop it in another goroutine")
		h.OnEventType(tick, func(mmapjfr.Event) error { return h.Close() })
		j.Send("flush")
		j.Send("burst 10")
		j.Send("flush")
		require.NoError(t, h.AwaitTermination(time.Minute))
		assert.Equal(t, 21, h.burst)
		require.Len(t, h.errs, 2)
		assert.Equal(t, h.errs[0].Error(), h.errs[1].Error())
		leftNothing(t, j)
	})
}

// A virtual machine that exits ends the stream, with everything it has committed.
func TestMachineExits(t *testing.T) {
	for name, o := range map[string]jvmtest.Options{
		"alone":  {NoRecording: true, Rate: 1000, Threads: 2},
		"others": {Rate: 1000, Threads: 2},
	} {
		t.Run(name, func(t *testing.T) {
			eachMachine(t, o, func(t *testing.T, j *jvmtest.JVM) {
				h := hear(t, j)
				h.Enable("jdk.CPULoad").WithPeriod(50 * time.Millisecond)
				h.start()
				h.count(tick, 100)
				j.Send("burst 500")
				j.Exit()
				require.NoError(t, h.AwaitTermination(time.Minute))
				assert.Empty(t, h.errs)
				assert.Equal(t, 500, h.burst)
				without(t, h.ticks)
				if name == "alone" {
					assert.Equal(t, j.Committed()[tick], uint64(h.counts[tick]))
				}
				assert.NoError(t, h.Stop(t.Context()), "it has ended")
				assert.ErrorIs(t, h.Update(t.Context()), stream.ErrClosed)
			})
		})
	}
}

// One that is killed has flushed what it has flushed.
func TestMachineIsKilled(t *testing.T) {
	eachMachine(t, jvmtest.Options{NoRecording: true, Rate: 1000}, func(t *testing.T, j *jvmtest.JVM) {
		h := hear(t, j)
		h.SetSettings()
		h.start()
		j.Send("burst 500")
		h.until("the burst", func() bool { return h.burst == 500 })
		j.Kill()
		require.NoError(t, h.AwaitTermination(time.Minute))
		require.Len(t, h.errs, 1)
		assert.ErrorIs(t, h.errs[0], stream.ErrKilled)
		without(t, h.ticks)
	})
}

// One that exits takes no commands at the end, which is no error.
func TestMachineThatIsAboutToExit(t *testing.T) {
	eachMachine(t, silent, func(t *testing.T, j *jvmtest.JVM) {
		h := hear(t, j)
		h.SetSettings()
		h.start()
		require.NoError(t, os.Remove(filepath.Join(os.TempDir(), fmt.Sprintf(".java_pid%d", j.PID))))
		require.NoError(t, h.Close())
		require.ErrorIs(t, h.AwaitTermination(100*time.Millisecond), stream.ErrTimeout)
		j.Kill()
		require.NoError(t, h.AwaitTermination(time.Minute))
		assert.Empty(t, h.errs)
	})
}

// One that does not answer is waited for no longer than is said, and what may be left is reported.
func TestMachineThatDoesNotAnswer(t *testing.T) {
	stream.SetStopWithin(t, 300*time.Millisecond)
	eachMachine(t, silent, func(t *testing.T, j *jvmtest.JVM) {
		h := hear(t, j)
		h.SetSettings()
		h.start()
		late := hear(t, j)
		late.SetSettings()
		release := j.Hang()
		defer release()
		ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errTest)
		defer cancel()
		assert.ErrorIs(t, late.Start(ctx), errTest)
		h.Enable("jdk.CPULoad")
		assert.ErrorIs(t, h.Update(ctx), errTest)
		require.NoError(t, h.Close())
		err := h.AwaitTermination(time.Minute)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorContains(t, err, "may go on; end it with jcmd")
	})
}

// One that is stopped is not waited for.
func TestMachineThatIsStopped(t *testing.T) {
	eachMachine(t, silent, func(t *testing.T, j *jvmtest.JVM) {
		h := hear(t, j)
		h.SetSettings()
		h.start()
		resume := j.Suspend()
		defer resume()
		require.NoError(t, h.Close())
		err := h.AwaitTermination(time.Minute)
		assert.ErrorIs(t, err, attach.ErrSuspended)
		assert.ErrorContains(t, err, "may go on; end it with jcmd")
		_, err = stream.Attach(j.PID)
		assert.ErrorIs(t, err, attach.ErrSuspended)
	})
}
