package jvmstats_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
)

// TestSettings looks for the settings of a release in what its recordings tell of the
// types.
func TestSettings(t *testing.T) {
	for release, name := range map[int]string{17: "jdk17-empty.jfr", 25: "jdk25-empty.jfr"} {
		rec := opentest.Bytes(t, said.Recording(t, name))
		for _, s := range jvmstats.Settings(release, release == 25) {
			typeName, rest, _ := strings.Cut(s, "#")
			key, value, ok := strings.Cut(rest, "=")
			require.True(t, ok && value != "", s)
			ty, ok := rec.Type(typeName)
			require.True(t, ok, "%s in JDK %d", typeName, release)
			names := map[string]bool{}
			for _, has := range ty.Settings() {
				names[has.Name()] = true
			}
			assert.True(t, names[key], "%s in JDK %d: there are %v", s, release, maps.Collect(maps.All(names)))
		}
	}
	old := strings.Join(jvmstats.Settings(17, false), "\n")
	assert.NotContains(t, old, "JavaExceptionThrow", "all of them would be recorded")
	assert.Contains(t, strings.Join(jvmstats.Settings(25, false), "\n"), "jdk.JavaExceptionThrow#throttle=")
	assert.NotContains(t, old, "stackTrace=false", "events are shown with their stacks")
	served := jvmstats.Settings(17, true)
	assert.Contains(t, served, "jdk.JavaMonitorEnter#stackTrace=false")
	assert.Contains(t, served, "jdk.GCCPUTime#enabled=true")
	assert.NotContains(t, served, "jdk.VirtualThreadStart#enabled=true", "too many")
	period := slices.DeleteFunc(served, func(s string) bool { return !strings.HasPrefix(s, "jdk.ThreadAllocationStatistics#period=") })
	assert.Equal(t, "jdk.ThreadAllocationStatistics#period=5s", period[len(period)-1], "the last one holds")
	for _, s := range jvmstats.Settings(0, false) {
		assert.Contains(t, old, s)
	}
}
