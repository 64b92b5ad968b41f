package open

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// stackText returns all frames of an event.
func stackText(ev mmapjfr.Event) (text string) {
	for f := range ev.StackTrace().Frames() {
		text += f.Text() + "\n"
	}
	return text
}

// TestWaits compares the threads that wait with all events: a wait counts in each step that it lasts in, and not when its
// thread waits for work.
func TestWaits(t *testing.T) {
	all := 0
	for _, name := range []string{"jdk25-profile.jfr", "jdk17-profile.jfr", "jdk25-kinds.jfr", "jdk25-virtual.jfr"} {
		x := explore(t, name)
		start, end := x.set.Span()
		middle := start.Add(end.Sub(start) / 2)
		for _, from := range []string{"", fmt.Sprintf("%f", millis(middle))} {
			const points = 37
			begin := start.UnixNano()
			parameters := []string{"points", fmt.Sprint(points)}
			if from != "" {
				parameters = append(parameters, "from", from)
				begin = middle.UnixNano()
			}
			step := max(1e6, (end.UnixNano()-begin)/points)
			want := map[string][]float64{}
			idle := 0
			for _, ev := range everything(t, x) {
				number, _, is := stateOf(ev)
				if !is || !slices.Contains(waitStates, states[number].name) || engine.EventEndNanos(ev) == ev.StartNanos() {
					continue
				}
				if stack := stackText(ev); slices.Contains([]string{"parked", "waiting"}, states[number].name) && (strings.Contains(stack, "ThreadPoolExecutor.getTask") || strings.Contains(stack, "ForkJoinPool.awaitWork") ||
					strings.Contains(stack, "ReferenceQueue.remove") || strings.Contains(stack, "PlatformRecorder.takeNap") || strings.Contains(stack, "PlatformRecorder.periodicTask") || strings.Contains(stack, "DelayScheduler.loop")) {
					idle++
					continue
				}
				list := make([]float64, points)
				for i := range list {
					list[i] = float64(max(0, min(engine.EventEndNanos(ev), begin+int64(i+1)*step)-max(ev.StartNanos(), begin+int64(i)*step))) / float64(step)
				}
				state := states[number].name
				if want[state] == nil {
					want[state] = make([]float64, points)
				}
				for i := range list {
					want[state][i] += list[i]
				}
			}
			answer := must(t, x, "/api/waits", parameters...)
			all += idle
			for state, list := range want {
				if slices.Max(list) == 0 {
					continue
				}
				got := values(t, answer, state)
				require.Len(t, got, points)
				for i := range list {
					assert.InDelta(t, list[i], got[i], 1e-4, "%s from %s: %s %d", name, from, state, i)
				}
			}
		}
	}
	assert.Positive(t, all, "threads of pools waited for work")
}

// TestViewsSayWhatReachesIn zooms into the middle of a wait: the view counts what begins in the time, as mjfr view does, and
// says that the wait reaches into it, and which time has it.
func TestViewsSayWhatReachesIn(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	var longest mmapjfr.Event
	for _, ev := range everything(t, x) {
		if ev.Type().Name() == "jdk.JavaMonitorEnter" && (longest.IsZero() || ev.Duration() > longest.Duration()) {
			longest = ev
		}
	}
	middle := longest.Start().Add(longest.Duration() / 2)
	want := 0
	for _, ev := range everything(t, x) {
		if ev.Type().Name() == "jdk.JavaMonitorEnter" && ev.Start().Before(middle) && ev.End().After(middle) {
			want++
		}
	}
	chosen := []string{"view", "lock-owners", "from", fmt.Sprintf("%f", millis(middle)), "to", fmt.Sprintf("%f", millis(middle)+0.001)}
	answer := must(t, x, "/api/query", chosen...)
	assert.Zero(t, answer["rows"])
	before := answer["before"].(map[string]any)
	assert.EqualValues(t, want, before["events"])
	chosen[3] = fmt.Sprintf("%f", before["from"])
	answer = must(t, x, "/api/query", chosen...)
	assert.NotZero(t, answer["rows"])
	assert.Nil(t, must(t, x, "/api/query", "view", "lock-owners")["before"])
}
