package internal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/suggest"
)

func TestSuggestTo(t *testing.T) {
	names := []string{"jdk.CPULoad", "jdk.ThreadCPULoad", "jdk.GarbageCollection", "jdk.JavaThreadStatistics", "name"}
	for word, want := range map[string][]string{
		"CPULaod":          {"jdk.CPULoad"},
		"jdk.cpuload":      {"jdk.CPULoad"},
		"CPULoads":         {"jdk.CPULoad"},
		"GarbageColection": {"jdk.GarbageCollection"},
		"Thread":           {"jdk.JavaThreadStatistics", "jdk.ThreadCPULoad"},
		"nmae":             {"name"},
		"Elephant":         nil,
		"":                 nil,
	} {
		assert.Equal(t, want, suggest.To(word, names), word)
	}
	assert.Len(t, suggest.To("aaa", []string{"aaa1", "aaa2", "aaa3", "aaa4"}), 3)
	assert.Equal(t, []string{"aaa1"}, suggest.To("aaa", []string{"aaa1", "aaa1"}), "each name once")
}

func TestSuggestQuestion(t *testing.T) {
	assert.Equal(t, "; did you mean name or names?", suggest.Question("nam", []string{"name", "names", "x"}))
	assert.Empty(t, suggest.Question("nam", []string{"x"}))
}
