package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/leakcheck"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// verbsOfFiles are all verbs that read recordings, in ways that are right, and in some that
// are not. Standard output is what was asked for; nothing else may show what was recorded.
var verbsOfFiles = [][]string{
	{"summary", "--extended"}, {"print"}, {"print", "--json"}, {"print", "--format", "csv"}, {"print", "--where", "utf8 ~ a"},
	{"print", "--where", "int > many"}, {"print", "--where", "none = 1"}, {"print", "--thread", "none of these"}, {"print", "--events", "none"},
	{"print", "--format", "csv", "--fields", "none"}, {"metadata"}, {"types"}, {"chunks"}, {"constants"}, {"constants", "jdk.types.Symbol"},
	{"constants", "--unused"}, {"events"}, {"events", "--where", "inner = 1"}, {"verify"}, {"verify", "--json"},
}

// TestWhatIsNoOutputShowsNoValues runs all verbs on damaged recordings, and looks at standard
// error.
func TestWhatIsNoOutputShowsNoValues(t *testing.T) {
	random, said, turn := 4, 0, 0
	if !longtest.Enabled() {
		random = 1
	}
	path := filepath.Join(t.TempDir(), "a.jfr")
	for what, data := range leakcheck.Damaged(random) {
		require.NoError(t, os.WriteFile(path, data, 0o600))
		verbs := verbsOfFiles
		for _, at := range []int{0, 100, len(data) / 2, len(data) - 1, len(data) + 10} {
			verbs = append(verbs, []string{"at", strconv.Itoa(at)})
		}
		turn++
		for i, args := range verbs {
			if (i+turn)%longtest.Cases(5, 1) > 0 {
				continue
			}
			args := append(args[:1:1], append([]string{path}, args[1:]...)...)
			_, _, stderr := mjfrCommand(t, args...)
			assert.Empty(t, leakcheck.Leak(stderr), "%s: %v", what, args)
			said += len(stderr)
		}
	}
	assert.Greater(t, said, longtest.Cases(1_000, 10_000), "they have said something")
}
