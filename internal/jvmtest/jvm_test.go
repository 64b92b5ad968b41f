package jvmtest_test

import (
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/internal/opentest"
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

		rec := opentest.File(t, dump)
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
		c := jvmtest.StartConsumer(t, j.Repository, jvmtest.ConsumeOptions{Epoch: true, Every: every, Idle: time.Minute})
		j.Send("register late.First")
		j.Send("emit late.First 100")
		j.Send("flush")
		j.Send("rotate")
		j.Send("burst 100")
		j.Send("rotate")
		j.Send("flush")
		files, n, complete := chunks(t, j.Repository), uint64(0), map[string]int{}
		for _, file := range files[:len(files)-1] {
			rec := opentest.File(t, file)
			n += rec.EventCount()
			for text, times := range withoutText(sample(t, rec, every)) {
				complete[text] += times
			}
		}
		got := c.StopAt(n)
		j.Exit()

		rec := opentest.File(t, dump)
		assert.Equal(t, j.Committed()["late.First"], got.Counts["late.First"])
		assert.LessOrEqual(t, got.Counts["mmapjfr.Tick"], j.Committed()["mmapjfr.Tick"])
		assert.Greater(t, got.Events(), uint64(1000))
		assert.Greater(t, got.Flushes, uint64(3))
		assert.NotEmpty(t, got.Delays)
		assert.Empty(t, got.Failures)
		assert.Positive(t, got.CPU)

		// All of the chunks that were complete has come; what is in the last one need not have.
		require.NotEmpty(t, got.Sample)
		want, own := withoutText(got.Sample), withoutText(sample(t, rec, every))
		require.NotEmpty(t, complete)
		// A JVM writes constants again until its chunk ends: a later reader now and
		// then sees others than the stream did.
		assert.LessOrEqual(t, more(want, own), 1+len(want)/10_000, "of %d", len(want))
		assert.LessOrEqual(t, more(complete, want), 1+len(want)/10_000, "of %d", len(complete))
	})
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

// more returns how many texts are in one sample and not in the other.
func more(in, other map[string]int) (n int) {
	for text, times := range in {
		n += max(times-other[text], 0)
	}
	return n
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
