package jvmstats_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
)

// everything returns metrics of which each has a value.
func everything(t testing.TB) *jvmstats.Vitals {
	m := jvmstats.New()
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
		"jdk.CPUTimeSample", "jdk.GCHeapMemoryPoolUsage", "jdk.GCHeapMemoryUsage", "jdk.JavaMonitorStatistics", "jdk.NativeMemoryUsage",
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
	for _, name := range jvmstats.New().EventTypes() {
		handled[name] = true
		ty, ok := rec25.Type(name)
		assert.True(t, ok && ty.IsEvent(), name)
		if _, ok := rec17.Type(name); !ok {
			not17 = append(not17, name)
		}
	}
	for name := range described {
		assert.True(t, handled[name], name)
	}
	slices.Sort(not17)
	assert.Equal(t, only25, not17)
}
