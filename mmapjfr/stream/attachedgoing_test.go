//go:build linux || darwin

package stream_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// ticksIn returns the numbers of the ticks in a recording, by worker.
func ticksIn(t *testing.T, path string) (numbers [][]int64) {
	t.Helper()
	rec := opentest.File(t, path)
	number, worker := mmapjfr.Path("number"), mmapjfr.Path("worker")
	for ev, err := range rec.Select(mmapjfr.Types(tick)).Events() {
		require.NoError(t, err)
		w := int(ev.Int(worker))
		for len(numbers) <= w {
			numbers = append(numbers, nil)
		}
		numbers[w] = append(numbers[w], ev.Int(number))
	}
	return numbers
}

// A recording that takes another one's place leaves no gap.
func TestUpdate(t *testing.T) {
	eachMachine(t, jvmtest.Options{NoRecording: true, Rate: 2000}, func(t *testing.T, j *jvmtest.JVM) {
		h := hear(t, j)
		h.Enable("jdk.ActiveSetting")
		h.start()
		h.count(tick, 200)
		_, before := recordingsOf(t, j)
		require.NoError(t, h.Update(t.Context()), "nothing has changed")
		_, ours := recordingsOf(t, j)
		assert.Equal(t, before, ours)
		for n := range 5 {
			period := time.Duration(n+1) * 10 * time.Millisecond
			h.Enable("jdk.CPULoad").WithPeriod(period)
			require.NoError(t, h.Update(t.Context()))
			_, ours := recordingsOf(t, j)
			require.Len(t, ours, 1)
			assert.NotEqual(t, before[0].Name, ours[0].Name)
			value := fmt.Sprintf("%d ms", period.Milliseconds())
			h.until(value, func() bool { return h.settings["jdk.CPULoad#period"] == value })
		}
		h.count("jdk.CPULoad", 10)

		// One that is refused changes nothing, until what is wrong is mended.
		_, before = recordingsOf(t, j)
		h.SetSettings("nonesuch")
		var refused *attach.CommandError
		require.ErrorAs(t, h.Update(t.Context()), &refused)
		_, ours = recordingsOf(t, j)
		assert.Equal(t, before, ours)
		h.SetSettings("none")
		h.Disable("jdk.CPULoad")
		require.NoError(t, h.Update(t.Context()))
		h.until("the last change", func() bool { return h.settings["jdk.CPULoad#enabled"] == "false" })

		// What was recorded before an update is not dumped any more.
		h.mu.Lock()
		last := slices.Max(h.ticks[0])
		h.mu.Unlock()
		h.Enable("jdk.ThreadPark")
		require.NoError(t, h.Update(t.Context()))
		file := filepath.Join(t.TempDir(), "updated.jfr")
		require.NoError(t, h.Dump(t.Context(), file))
		for _, numbers := range ticksIn(t, file) {
			require.NotEmpty(t, numbers)
			assert.Greater(t, slices.Min(numbers), last)
		}
		h.stop()
		without(t, h.ticks)
	})
}

// A dump has everything that has been delivered, and is a recording like any other.
func TestDump(t *testing.T) {
	eachMachine(t, jvmtest.Options{NoRecording: true, Rate: 2000}, func(t *testing.T, j *jvmtest.JVM) {
		h := hear(t, j)
		h.SetSettings()
		h.start()
		for n := range 3 {
			h.count(tick, 500*(n+1))
			h.mu.Lock()
			first, last := slices.Min(h.ticks[0]), slices.Max(h.ticks[0])
			h.mu.Unlock()
			file := filepath.Join(t.TempDir(), "a dump.jfr")
			require.NoError(t, h.Dump(t.Context(), file))
			numbers := ticksIn(t, file)
			without(t, numbers)
			assert.Equal(t, first, slices.Min(numbers[0]))
			assert.GreaterOrEqual(t, slices.Max(numbers[0]), last)
		}
		var refused *attach.CommandError
		assert.ErrorAs(t, h.Dump(t.Context(), filepath.Join(t.TempDir(), "no", "such", "a.jfr")), &refused)
		h.stop()
		without(t, h.ticks)
	})
}

// What others had recorded before does not come, unless it is asked for, and they go on.
func TestOthersRecord(t *testing.T) {
	eachMachine(t, jvmtest.Options{}, func(t *testing.T, j *jvmtest.JVM) {
		j.Send("burst 30")
		before := j.Send("flush")
		j.Send("burst 10") // is flushed later than the recording begins
		h := hear(t, j)
		h.Enable("jdk.CPULoad").WithPeriod(50 * time.Millisecond)
		h.start()
		j.Send("burst 50")
		h.until("the burst", func() bool { return h.burst >= 50 })
		j.Send("rotate") // others start recordings, and stop them
		j.Send("burst 50")
		j.Send("rotate")
		h.until("the burst", func() bool { return h.burst >= 100 })
		h.stop()
		assert.Equal(t, 100, h.burst)

		h = hear(t, j)
		h.Enable("jdk.CPULoad").WithPeriod(50 * time.Millisecond)
		require.NoError(t, h.SetStartTime(before))
		h.start()
		h.stop()
		assert.Equal(t, 110, h.burst, "a start time asks for what others have")
		others, ours := recordingsOf(t, j)
		assert.Empty(t, ours)
		require.Len(t, others, 1)
		assert.Equal(t, attach.Recording{ID: 1, Name: "load", State: "running", MaxSize: others[0].MaxSize}, others[0])
	})
}

// With nothing set the stream follows what others record, from now on.
func TestNothingSet(t *testing.T) {
	eachMachine(t, silent, func(t *testing.T, j *jvmtest.JVM) {
		nothing := func() {
			h := hear(t, j)
			h.SetMaxAge(time.Hour) // which makes no recording
			assert.ErrorIs(t, h.Start(t.Context()), stream.ErrNoRecording)
			leftNothing(t, j)
		}
		nothing()
		h := hear(t, j)
		command(t, j, "JFR.start name=later settings=none")
		j.Send("burst 20")
		j.Send("flush")
		h.start()
		j.Send("burst 30")
		h.until("the burst", func() bool { return h.burst >= 30 })
		assert.ErrorIs(t, h.Dump(t.Context(), "a.jfr"), stream.ErrNoRecording)
		require.NoError(t, h.Update(t.Context()))
		leftNothing(t, j)
		h.Enable("jdk.CPULoad").WithPeriod(30 * time.Millisecond)
		require.NoError(t, h.Update(t.Context()))
		_, ours := recordingsOf(t, j)
		assert.Len(t, ours, 1, "now there is something set")
		h.count("jdk.CPULoad", 5)
		h.stop()
		assert.Equal(t, 30, h.burst)

		h = hear(t, j)
		h.start()
		j.Send("burst 30")
		j.Send("flush")
		h.until("the burst", func() bool { return h.burst >= 30 })
		h.stop()
		assert.Equal(t, 30, h.burst)
		others, ours := recordingsOf(t, j)
		assert.Empty(t, ours)
		assert.Len(t, others, 1)
		command(t, j, "JFR.stop name=later")
		nothing() // although there is a directory
	})
}

// JFR.configure moves the repository of a virtual machine while it records. From then on all
// of its chunks say that they are the last one.
func TestRepositoryMoves(t *testing.T) {
	for _, exit := range []bool{true, false} {
		t.Run(map[bool]string{true: "and it exits", false: "and it is stopped"}[exit], func(t *testing.T) {
			eachMachine(t, jvmtest.Options{NoRecording: true, Rate: 1000}, func(t *testing.T, j *jvmtest.JVM) {
				h := hear(t, j)
				h.SetSettings()
				h.start()
				for n := range 2 {
					dir := t.TempDir()
					command(t, j, "JFR.configure repositorypath="+dir)
					held, err := filepath.Glob(filepath.Join(dir, "*", "*.jfr"))
					require.NoError(t, err)
					require.Len(t, held, 1)
					for range 3 {
						j.Send("burst 100")
						j.Send("rotate")
					}
					h.until("the bursts", func() bool { return h.burst == 300*(n+1) })
				}
				j.Send("burst 100")
				command(t, j, "JFR.configure repositorypath="+t.TempDir())
				if exit {
					// Where it goes just before it exits nobody can see.
					h.until("the move", func() bool { return h.burst == 700 })
					j.Send("burst 50")
					h.until("what is there", func() bool { return h.burst == 750 })
				}
				j.Send("burst 50")
				if exit {
					j.Exit()
					require.NoError(t, h.AwaitTermination(time.Minute))
					assert.Empty(t, h.errs)
					assert.Equal(t, j.Committed()[tick], uint64(h.counts[tick]))
				} else {
					h.stop()
					leftNothing(t, j)
				}
				assert.Equal(t, map[bool]int{true: 800, false: 750}[exit], h.burst)
				without(t, h.ticks)
			})
		})
	}
}

// mappings counts what of chunks is mapped.
func mappings(t *testing.T) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	return strings.Count(string(maps), ".jfr")
}

// openFiles counts what is open.
func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(files)
}

// Streams that come and go leave nothing, here or in the virtual machine.
func TestNothingIsLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells what is open and mapped")
	}
	eachMachine(t, silent, func(t *testing.T, j *jvmtest.JVM) {
		files := func() (list []string) {
			for _, pattern := range []string{"settings-*.jfc", fmt.Sprintf(".attach_pid%d", j.PID)} {
				for _, dir := range []string{os.TempDir(), fmt.Sprintf("/proc/%d/cwd", j.PID)} {
					found, err := filepath.Glob(filepath.Join(dir, pattern))
					require.NoError(t, err)
					list = append(list, found...)
				}
			}
			return list
		}
		before := files()
		cycle := func(n int) {
			r, err := stream.Attach(j.PID)
			require.NoError(t, err)
			r.Enable("jdk.CPULoad").WithPeriod(time.Second)
			if n%2 == 0 {
				r.SetSettings("default", "profile") // goes by a file
			}
			r.OnError(func(err error) { assert.NoError(t, err) })
			flushed, goesOn := make(chan bool, 1000), make(chan bool)
			r.OnFlush(func() error {
				flushed <- true
				<-goesOn
				return nil
			})
			require.NoError(t, r.StartAsync(t.Context()))
			if n%5 == 0 {
				close(goesOn)
				require.NoError(t, r.Close())
				require.NoError(t, r.AwaitTermination(time.Minute))
				return
			}
			require.Eventually(t, func() bool { _, ours := recordingsOf(t, j); return len(ours) > 0 }, time.Minute, time.Millisecond)
			for len(flushed) == 0 {
				j.Send("flush")
				time.Sleep(5 * time.Millisecond)
			}
			switch n % 5 {
			case 1: // in a chunk
				require.NoError(t, r.Close())
			case 2: // with chunks opened ahead
				j.Send("rotate")
				r.Disable("jdk.CPULoad")
				require.NoError(t, r.Update(t.Context()))
				require.NoError(t, r.Close())
			case 3: // after some
				j.Send("rotate")
				r.Disable("jdk.CPULoad")
				require.NoError(t, r.Update(t.Context()))
			}
			close(goesOn)
			require.NoError(t, r.Stop(t.Context()))
		}
		for n := range 10 {
			cycle(n)
		}
		defer debug.SetGCPercent(debug.SetGCPercent(-1)) // what is not closed is not cleaned up either
		open, mapped, running := openFiles(t), mappings(t), goleak.IgnoreCurrent()
		for n := range 50 {
			cycle(n)
		}
		assert.NoError(t, goleak.Find(running))
		assert.LessOrEqual(t, openFiles(t), open)
		assert.LessOrEqual(t, mappings(t), mapped)
		leftNothing(t, j)
		assert.Eventually(t, func() bool {
			// Others may have some of their own for a moment.
			for _, file := range files() {
				if !strings.Contains(strings.Join(before, " "), file) {
					return false
				}
			}
			return true
		}, 10*time.Second, 50*time.Millisecond)
	})
}
