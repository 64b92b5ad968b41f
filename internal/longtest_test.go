package internal_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/longtest"
)

// TestLongtestSwitch runs what the switch allows for each of its values.
func TestLongtestSwitch(t *testing.T) {
	for value, want := range map[string][]string{
		"":         nil,
		"long":     {"long"},
		"jvm":      {"jvm"},
		"jvm,long": {"long", "jvm"},
		"slow":     {"slow"},
		"longjvm":  nil,
	} {
		t.Setenv(longtest.Variable, value)
		var ran []string
		t.Run("with "+value, func(t *testing.T) {
			t.Run("long", func(t *testing.T) {
				longtest.Long(t, "it is an example")
				ran = append(ran, "long")
			})
			t.Run("slow", func(t *testing.T) {
				longtest.Slow(t, "it is an example")
				ran = append(ran, "slow")
			})
			t.Run("jvm", func(t *testing.T) {
				longtest.JVM(t)
				ran = append(ran, "jvm")
			})
		})
		assert.Equal(t, want, ran, value)
		assert.Equal(t, slices.Contains(want, "slow"), longtest.Enabled(), value)
	}
	t.Setenv(longtest.Variable, "")
	t.Setenv("JAVA25_HOME", t.TempDir())
	t.Run("no JVM", func(t *testing.T) {
		longtest.JDK25(t)
		t.Error("a JDK is found without the switch")
	})
}
