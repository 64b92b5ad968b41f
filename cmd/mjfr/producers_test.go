package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// TestOtherProducers compares summaries and metadata of recordings of other producers
// with the JDK's. They are not part of the project: it is skipped where they, or a
// JDK, are not at hand.
func TestOtherProducers(t *testing.T) {
	longtest.Slow(t, "it asks JDKs again and again")
	files := longtest.Others(t)
	home := longtest.JDK25(t)
	if len(files) == 0 {
		t.Skip("there are no recordings of other producers")
	}
	// The virtual machines of these do not number types alike; the JDK takes one's
	// for the other's.
	joined := map[string]bool{"event-with-type-zero.jfr": true, "jdk15.jfr": true}
	compared := 0
	for _, packed := range files {
		name := strings.TrimSuffix(filepath.Base(packed), ".gz")
		path := unpacked(t, packed)
		if path == "" || joined[name] {
			continue // it is older than what is read here, or there is no truth
		}
		for _, question := range [][]string{{"summary"}, {"metadata"}, {"metadata", "--ids"}} {
			want, refusal, err := oracle.Verbatim(t.Context(), home, path, question...)
			require.NoError(t, err)
			if refusal != "" {
				continue
			}
			code, out, told := mjfrCommand(t, append(question, path)...)
			assert.Equal(t, cli.ExitOK, code, "%s: %s", name, told)
			t.Run(name+" "+strings.Join(question, " "), func(t *testing.T) { said.Same(t, want, []byte(out)) })
			compared++
		}
	}
	assert.GreaterOrEqual(t, compared, 20)
}

// unpacked writes what is in a packed recording to a file whose name the JDK takes.
func unpacked(t *testing.T, packed string) string {
	t.Helper()
	set, err := input.Open(t.Context(), []string{packed}, input.Options{})
	if err != nil {
		return ""
	}
	defer set.Close()
	path := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(packed), ".gz"))
	require.NoError(t, os.WriteFile(path, engine.RecordingIndex(set.Recordings[0]).Data(), 0o644))
	return path
}
