package jvmstats_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestSettings looks for the settings of a release in what its recordings tell of the
// types.
func TestSettings(t *testing.T) {
	for release, name := range map[int]string{17: "jdk17-empty.jfr", 25: "jdk25-empty.jfr"} {
		rec, err := mmapjfr.OpenBytes(said.Recording(t, name))
		require.NoError(t, err)
		defer rec.Close()
		for _, s := range jvmstats.Settings(release) {
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
	old := strings.Join(jvmstats.Settings(17), "\n")
	assert.NotContains(t, old, "JavaExceptionThrow", "all of them would be recorded")
	assert.Contains(t, strings.Join(jvmstats.Settings(25), "\n"), "jdk.JavaExceptionThrow#throttle=")
	for _, s := range jvmstats.Settings(0) {
		assert.Contains(t, old, s)
	}
}
