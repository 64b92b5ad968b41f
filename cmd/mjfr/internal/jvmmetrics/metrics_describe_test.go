package jvmmetrics_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmmetrics"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// everything returns metrics of which each has a value.
func everything(t testing.TB) *jvmmetrics.Metrics {
	m := jvmmetrics.New()
	for _, recording := range []string{"jdk17-profile.jfr", "jdk25-profile.jfr", "jdk25-virtual.jfr"} {
		feed(t, m, open(t, recording))
	}
	j := newJVM(t, jdk25)
	for _, event := range []string{
		"jdk.NativeMemoryUsage", "jdk.DirectBufferStatistics", "jdk.SafepointBegin", "jdk.SafepointEnd",
		"jdk.VirtualThreadSubmitFailed", "jdk.ThreadContextSwitchRate", "jdk.ContainerCPUThrottling",
		"jdk.ContainerCPUUsage", "jdk.ContainerMemoryUsage", "jdk.ContainerConfiguration", "jdk.DataLoss",
	} {
		j.emit(time.Second, event, nil)
	}
	feed(t, m, j.open())
	m.Flushed(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)) // after all of them
	return m
}

func TestPrometheusLint(t *testing.T) {
	problems, err := promlint.New(strings.NewReader(exposition(t, everything(t)))).Lint()
	require.NoError(t, err)
	assert.Empty(t, problems)
}

// TestEventsAreKnown compares the event types of the help texts with those that JVMs describe.
func TestEventsAreKnown(t *testing.T) {
	only25 := []string{
		"jdk.GCHeapMemoryPoolUsage", "jdk.GCHeapMemoryUsage", "jdk.JavaMonitorStatistics", "jdk.NativeMemoryUsage",
		"jdk.NativeMemoryUsageTotal", "jdk.ResidentSetSize", "jdk.SwapSpace", "jdk.VirtualThreadEnd",
		"jdk.VirtualThreadPinned", "jdk.VirtualThreadStart", "jdk.VirtualThreadSubmitFailed",
	}
	described := map[string]bool{}
	for _, help := range regexp.MustCompile(`\(JFR: (.*)\)\.`).FindAllStringSubmatch(exposition(t, everything(t)), -1) {
		for event := range strings.SplitSeq(help[1], ", ") {
			described[event] = true
		}
	}
	handled := map[string]bool{}
	var not17 []string
	rec17, rec25 := open(t, jdk17), open(t, jdk25)
	for _, s := range jvmmetrics.New().Handlers() {
		assert.False(t, handled[s.Type], "%s has two handlers", s.Type)
		if s.Type == "*" {
			continue
		}
		handled[s.Type] = true
		ty, ok := rec25.Type(s.Type)
		assert.True(t, ok && ty.IsEvent(), s.Type)
		if _, ok := rec17.Type(s.Type); !ok {
			not17 = append(not17, s.Type)
		}
	}
	assert.Equal(t, described, handled)
	slices.Sort(not17)
	assert.Equal(t, only25, not17)
}

// TestSettings holds the settings against those that JDK 25 describes for its events.
func TestSettings(t *testing.T) {
	rec := open(t, jdk25)
	settings := jvmmetrics.Settings()
	assert.Contains(t, settings, "jdk.CPULoad#period=1s")
	assert.Contains(t, settings, "jdk.JavaMonitorEnter#stackTrace=false")
	enabled := map[string]bool{}
	for _, s := range settings {
		event, rest, ok := strings.Cut(s, "#")
		require.True(t, ok, s)
		setting, value, ok := strings.Cut(rest, "=")
		require.True(t, ok, s)
		ty, ok := rec.Type(event)
		require.True(t, ok, s)
		assert.True(t, slices.ContainsFunc(ty.Settings(), func(known mmapjfr.Setting) bool {
			return known.Name() == setting
		}), "%s: no such setting", s)
		if setting == "enabled" {
			assert.Equal(t, "true", value)
			assert.False(t, enabled[event], s)
			enabled[event] = true
		}
		assert.True(t, enabled[event], "%s: comes before the event is enabled", s)
		if _, ok := ty.Field("stackTrace"); ok {
			assert.Contains(t, settings, event+"#stackTrace=false")
		}
	}
	for _, burden := range []string{"jdk.VirtualThreadStart", "jdk.ObjectAllocationInNewTLAB"} {
		assert.False(t, enabled[burden], burden)
	}
	events := func(s string) string { event, _, _ := strings.Cut(s, "#"); return event }
	assert.True(t, slices.IsSortedFunc(settings, func(a, b string) int { return strings.Compare(events(a), events(b)) }))
}
