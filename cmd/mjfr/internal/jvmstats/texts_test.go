package jvmstats_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// ticks returns events of two types that have a number each.
func ticks(t *testing.T, n int) []mmapjfr.Event {
	b := newChunk()
	for _, name := range []string{"Tick", "Tock"} {
		ty := b.Event(name, jfrtest.Of("n", "int"))
		for i := range n {
			b.Emit(ty, int64(i), i)
		}
	}
	return inOrder(t, b.Bytes())
}

// numbers returns the numbers of the events that are kept.
func numbers(t *testing.T, s jvmstats.Snapshot) []int {
	var all []int
	for _, text := range s.Recent {
		require.True(t, strings.HasPrefix(text, s.Picked+" {\n"), text)
		n := 0
		_, err := fmt.Sscanf(text[strings.Index(text, "n = "):], "n = %d", &n)
		require.NoError(t, err)
		all = append(all, n)
	}
	return all
}

func upTo(from, to int) (all []int) {
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}

func TestPick(t *testing.T) {
	events := ticks(t, 120)
	v := jvmstats.New()
	observe := func(from, to int) {
		for _, ev := range events[2*from : 2*to] {
			require.NoError(t, v.Observe(ev))
		}
		v.Flushed(time.Time{})
	}
	observe(0, 3)
	observe(3, 20)
	assert.Empty(t, v.Snapshot().Recent, "nothing picked")
	v.Pick("Tick")
	assert.Equal(t, upTo(3, 7), numbers(t, v.Snapshot()), "the first after the flush")
	observe(20, 30)
	assert.Equal(t, append(upTo(3, 7), upTo(20, 30)...), numbers(t, v.Snapshot()), "all of those that follow")
	observe(30, 100)
	s := v.Snapshot()
	assert.Equal(t, upTo(50, 100), numbers(t, s), "the last 50")
	assert.Equal(t, "Tick", s.Picked)
	v.Pick("Tock")
	assert.Equal(t, upTo(30, 34), numbers(t, v.Snapshot()))
	v.Pick("Tick")
	assert.Equal(t, upTo(50, 100), numbers(t, v.Snapshot()), "they stay until another one comes")
	v.Pick("Nothing")
	s = v.Snapshot()
	assert.Equal(t, "Nothing", s.Picked)
	assert.Empty(t, s.Recent)
	observe(100, 110)
	v.Pick("")
	assert.Equal(t, jvmstats.Snapshot{}.Picked, v.Snapshot().Picked)
}

// TestPickBefore picks a type that has no events yet.
func TestPickBefore(t *testing.T) {
	v := jvmstats.New()
	v.Pick("Tick")
	for _, ev := range ticks(t, 10) {
		require.NoError(t, v.Observe(ev))
	}
	assert.Equal(t, upTo(0, 10), numbers(t, v.Snapshot()))
}

// TestTexts compares with what the JDK prints.
func TestTexts(t *testing.T) {
	const name = "jdk25-profile.jfr"
	v := jvmstats.New()
	v.Pick("jdk.GarbageCollection")
	for _, ev := range inOrder(t, said.Recording(t, name)) {
		require.NoError(t, v.Observe(ev))
	}
	printed := string(said.Of(t, name, "print", "--stack-depth", "64").Out)
	texts := v.Snapshot().Recent
	require.Len(t, texts, 7)
	for _, text := range texts {
		assert.Contains(t, printed, text)
	}
}

// TestLongTexts has texts that are cut.
func TestLongTexts(t *testing.T) {
	b := newChunk()
	ty := b.Event("Long", jfrtest.Of("text", jfrtest.StringClass))
	b.Emit(ty, 1, strings.Repeat("ü", 40_000))
	events := inOrder(t, b.Bytes())
	v := jvmstats.New()
	require.NoError(t, v.Observe(events[0]))
	v.Pick("Long")
	require.NoError(t, v.Observe(events[0]))
	texts := v.Snapshot().Recent
	require.Len(t, texts, 2)
	for i, most := 0, 16<<10; i < len(texts); i++ {
		assert.LessOrEqual(t, len(texts[i]), most+len("…\n"))
		assert.Greater(t, len(texts[i]), most-4)
		assert.True(t, strings.HasSuffix(texts[i], "ü…\n"))
	}
}
