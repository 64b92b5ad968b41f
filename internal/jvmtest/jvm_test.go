package jvmtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// each runs a test on both JDKs whose way of writing differs.
func each(t *testing.T, test func(t *testing.T, major int)) {
	for _, major := range []int{17, 25} {
		t.Run("jdk"+strconv.Itoa(major), func(t *testing.T) { test(t, major) })
	}
}

// TestCommitted compares what the program says it committed with what the recording
// holds that the JVM writes at its exit.
func TestCommitted(t *testing.T) {
	each(t, func(t *testing.T, major int) {
		dump := filepath.Join(t.TempDir(), "all.jfr")
		j := jvmtest.Start(t, jvmtest.Options{Major: major, Dump: dump, Threads: 3, Rate: 2000, Busy: true})
		assert.Equal(t, major, j.JDK.Major)
		assert.Equal(t, j.Base, filepath.Dir(j.Repository))
		assert.Contains(t, filepath.Base(j.Repository), strconv.Itoa(j.PID))
		first := j.Send("register late.First")
		j.Send("emit late.First 12")
		j.Send("rotate")
		j.Send("gc")
		j.Send("burst 500")
		j.Send("unregister late.First")
		j.Send("emit late.First 30")
		j.Send("rotate")
		assert.False(t, j.Send("flush").Before(first))
		assert.Len(t, chunks(t, j.Repository), 3)
		j.Exit()

		rec, err := mmapjfr.Open(dump)
		require.NoError(t, err)
		defer rec.Close()
		assert.Len(t, rec.Chunks(), 3)
		got := counts(t, rec)
		assert.EqualValues(t, 12, j.Committed()["late.First"])
		assert.Greater(t, j.Committed()["mmapjfr.Tick"], uint64(500))
		for name, n := range j.Committed() {
			assert.Equal(t, n, got[name], name)
		}
		assert.NotZero(t, got["jdk.GarbageCollection"])
		assert.NotZero(t, got["jdk.JavaMonitorEnter"])
		assert.NotZero(t, got["jdk.JavaExceptionThrow"])
	})
}

func TestOptions(t *testing.T) {
	t.Run("no recording", func(t *testing.T) {
		j := jvmtest.Start(t, jvmtest.Options{NoRecording: true})
		assert.Empty(t, j.Repository)
	})
	t.Run("not preserved", func(t *testing.T) {
		j := jvmtest.Start(t, jvmtest.Options{Major: 25})
		j.Exit()
		assert.NoDirExists(t, j.Repository)
	})
	t.Run("flush interval", func(t *testing.T) {
		// The JVM's own flushes are put off, so that those seen are the program's.
		j := jvmtest.Start(t, jvmtest.Options{Rate: 1000, FlushInterval: 20 * time.Millisecond, Recording: "flush-interval=1h"})
		require.Eventually(t, func() bool {
			header, err := os.ReadFile(chunks(t, j.Repository)[0])
			return err == nil && len(header) > stateAt && header[stateAt] >= 5 && header[stateAt] != stateWriting
		}, time.Minute, time.Millisecond)
	})
	t.Run("the JVM's flush interval", func(t *testing.T) {
		j := jvmtest.Start(t, jvmtest.Options{Rate: 1000, FlushInterval: time.Hour})
		header, err := os.ReadFile(chunks(t, j.Repository)[0])
		require.NoError(t, err)
		j.Send("burst 10")
		j.Kill()
		after, err := os.ReadFile(chunks(t, j.Repository)[0])
		require.NoError(t, err)
		assert.Equal(t, header[:jvmtest.HeaderSize], after[:jvmtest.HeaderSize])
	})
	t.Run("killed", func(t *testing.T) {
		j := jvmtest.Start(t, jvmtest.Options{})
		j.Kill()
		j.Kill()
		assert.Len(t, chunks(t, j.Repository), 1)
	})
	t.Run("chunk size and retention", func(t *testing.T) {
		base := t.TempDir()
		j := jvmtest.Start(t, jvmtest.Options{
			Base: base, MaxChunkSize: 1 << 20, FlushInterval: 100 * time.Millisecond, Recording: "maxsize=1m",
			JVM: []string{"-Dsome=thing"},
		})
		assert.Equal(t, base, j.Base)
		first := chunks(t, j.Repository)[0]
		require.Eventually(t, func() bool {
			j.Send("burst 20000")
			_, err := os.Stat(first)
			return os.IsNotExist(err)
		}, time.Minute, 100*time.Millisecond, "the first chunk is not removed")
	})
}

// TestConsume compares the JDK's stream with its recording, and the sample with what
// this package's own readers take.
func TestConsume(t *testing.T) {
	each(t, func(t *testing.T, major int) {
		jvmtest.Need(t, jdk.JudgeMajor)
		const every = 7
		dump := filepath.Join(t.TempDir(), "all.jfr")
		j := jvmtest.Start(t, jvmtest.Options{
			Major: major, Dump: dump, Threads: 2, Rate: 1000, Busy: true, FlushInterval: 200 * time.Millisecond,
		})
		c := jvmtest.StartConsumer(t, j.Repository, jvmtest.ConsumeOptions{Epoch: true, Every: every})
		j.Send("register late.First")
		j.Send("emit late.First 100")
		j.Send("flush")
		j.Send("rotate")
		j.Send("burst 100")
		j.Send("rotate")
		j.Send("flush")
		time.Sleep(4 * time.Second) // the JDK's stream looks for new files each second
		j.Exit()
		got := c.Stop()

		rec, err := mmapjfr.Open(dump)
		require.NoError(t, err)
		defer rec.Close()
		assert.Equal(t, j.Committed()["late.First"], got.Counts["late.First"])
		assert.LessOrEqual(t, got.Counts["mmapjfr.Tick"], j.Committed()["mmapjfr.Tick"])
		assert.Greater(t, got.Events(), uint64(1000))
		assert.Greater(t, got.Flushes, uint64(3))
		assert.NotEmpty(t, got.Delays)
		assert.Empty(t, got.Failures)
		assert.Positive(t, got.CPU)

		// What was written to the last chunk while the JVM ended need not have come.
		require.NotEmpty(t, got.Sample)
		want, own := withoutText(got.Sample), withoutText(sample(t, rec, every))
		assert.Greater(t, len(want), len(own)/2)
		differ := 0
		for text, n := range want {
			differ += max(n-own[text], 0)
		}
		// A JVM writes constants again until its chunk ends: a later reader now and
		// then sees others than the stream did.
		assert.LessOrEqual(t, differ, 1+len(want)/10_000, "of %d", len(want))
	})
}

func TestConsumeOptions(t *testing.T) {
	j := jvmtest.Start(t, jvmtest.Options{Major: 25, Threads: 1, Rate: 500, FlushInterval: 100 * time.Millisecond})
	j.Send("register late.First")
	j.Send("emit late.First 9")
	j.Send("flush")
	got := jvmtest.StartConsumer(t, j.Base, jvmtest.ConsumeOptions{Types: []string{"mmapjfr.Tick", "late.First"}, Unordered: true})
	time.Sleep(3 * time.Second)
	now := got.Stop()
	assert.Zero(t, now.Counts["late.First"], "without a start time the stream begins now")
	assert.NotZero(t, now.Counts["mmapjfr.Tick"])
	assert.Len(t, now.Counts, 1)
	assert.Nil(t, now.Sample)

	j.Kill()
	all := jvmtest.StartConsumer(t, j.Base, jvmtest.ConsumeOptions{Epoch: true, Types: []string{"late.First"}, Idle: 2 * time.Second}).Wait()
	assert.Equal(t, map[string]uint64{"late.First": 9}, all.Counts)
}

var textField = regexp.MustCompile(`"text":("(\\.|[^"\\])*"|null)`)

// withoutText leaves out a field for which the JDK's stream has null now and then, where
// the recording has a string.
func withoutText(texts map[string]int) map[string]int {
	out := map[string]int{}
	for text, n := range texts {
		out[textField.ReplaceAllString(text, "")] += n
	}
	return out
}

func chunks(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jfr"))
	require.NoError(t, err)
	return files
}

func counts(t *testing.T, rec *mmapjfr.Recording) map[string]uint64 {
	t.Helper()
	got := map[string]uint64{}
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		got[ev.Type().Name()]++
	}
	return got
}

func sample(t *testing.T, rec *mmapjfr.Recording, every uint64) map[string]int {
	t.Helper()
	printer, err := print.NewPrinter(print.Options{Format: print.JSON, StackDepth: 9999, Zone: time.UTC})
	require.NoError(t, err)
	texts := map[string]int{}
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		if jvmtest.Sampled(ev, every) {
			texts[string(oracle.Canonical(nil, printer.Append(nil, ev)))]++
		}
	}
	return texts
}
