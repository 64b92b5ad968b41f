package mmapjfr_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle"
)

// jdk returns the home of a JDK 25, or skips.
func judge(t *testing.T) string {
	if raceEnabled {
		t.Skip("race detector: nothing here is concurrent, and the JDK is slow enough")
	}
	return longtest.JDK25(t)
}

// TestAsksJDKAgain asks the JDK about the recordings of the repository, so that
// answers which have gone stale are noticed.
func TestAsksJDKAgain(t *testing.T) {
	home := judge(t)
	for _, file := range recordings(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			said, err := oracle.AskTruth(context.Background(), home, file)
			require.NoError(t, err)
			kept, err := oracle.Load(file)
			require.NoError(t, err)
			assert.Empty(t, kept.Truth().Events.Diff(said.Events), "the answers kept are not what the JDK says now")
			assert.Equal(t, kept.Truth().Summary, said.Summary)
			compare(t, file, said)
		})
	}
}

// askOthers makes what the JDK says of the recordings of other producers anew.
var askOthers = flag.Bool("ask", false, "ask a JDK 25 about the recordings of other producers, and keep what it says in testdata")

// TestAgreesWithJDKOnOtherProducers compares with what the JDK says of the
// recordings of other producers, where they are at hand.
func TestAgreesWithJDKOnOtherProducers(t *testing.T) {
	longtest.Long(t, "it takes many seconds")
	for name, data := range otherProducers(t) {
		if strings.HasPrefix(name, "7u40") || strings.HasPrefix(name, "8u40") {
			continue // the old format, which is refused
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), name)
			require.NoError(t, os.WriteFile(file, data, 0o600))
			kept := filepath.Join("..", "testdata", "answers", "others", filepath.Base(oracle.AnswersPath(file)))
			if *askOthers {
				said, err := oracle.Ask(t.Context(), judge(t), file)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(kept, said.Text(), 0o644)) // part of the repository
			}
			text, err := os.ReadFile(kept)
			require.NoError(t, err)
			require.NoError(t, os.Mkdir(filepath.Dir(oracle.AnswersPath(file)), 0o755))
			require.NoError(t, os.WriteFile(oracle.AnswersPath(file), text, 0o600))
			said, err := oracle.Load(file)
			require.NoError(t, err)
			compare(t, file, said.Truth())
		})
	}
}

// otherProducers returns the recordings of other producers by name, or skips.
func otherProducers(t *testing.T) map[string][]byte {
	files := longtest.Others(t)
	if len(files) == 0 {
		t.Skip("the recordings of other producers are not here")
	}
	all := make(map[string][]byte)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for bytes.HasPrefix(data, []byte("\x1f\x8b")) {
			r, err := gzip.NewReader(bytes.NewReader(data))
			require.NoError(t, err)
			data, err = io.ReadAll(r)
			require.NoError(t, err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".gz")] = data
	}
	return all
}
