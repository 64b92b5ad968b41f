package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// withApp runs with on names, and returns what was reported and the exit code.
func withApp(t *testing.T, stdin io.Reader, do func(*input.Set) error, names ...string) (told string, code int) {
	var stderr bytes.Buffer
	a := &App{Stdin: stdin, Stderr: &stderr, verb: &cobra.Command{Use: "verb"}}
	err := a.With(context.Background(), names, do)
	code = a.exitCode(context.Background(), err)
	return stderr.String(), code
}

func withOne(t *testing.T) func(*input.Set) error {
	return func(set *input.Set) error {
		assert.Len(t, set.Recordings, 1)
		return nil
	}
}

func TestWithReadsStandardInput(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("../../../../testdata", "jdk25-empty.jfr"))
	require.NoError(t, err)
	told, code := withApp(t, bytes.NewReader(raw), withOne(t), "-")
	assert.Empty(t, told)
	assert.Equal(t, ExitOK, code)
}

func TestWithTellsOfTruncatedData(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("../../../../testdata", "jdk25-profile.jfr"))
	require.NoError(t, err)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err = z.Write(raw)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "a.jfr.gz")
	require.NoError(t, os.WriteFile(path, b.Bytes()[:b.Len()*3/4], 0o666))
	told, code := withApp(t, nil, withOne(t), path)
	assert.Equal(t, "verb: "+path+": its gzip data ends too early; copy it again; the readable part is included\n", told)
	assert.Equal(t, ExitData, code)
}

// A chunk that a virtual machine has just begun is as it should be.
func TestWithMentionsRemarks(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("../../../../testdata", "jdk25-empty.jfr"))
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.jfr"), raw, 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.jfr"), nil, 0o666))
	told, code := withApp(t, nil, withOne(t), dir)
	assert.Equal(t, "verb: "+filepath.Join(dir, "b.jfr")+": skipped: it has only just begun\n", told)
	assert.Equal(t, ExitOK, code)
}

// TestWithoutSecrets takes passwords and queries of URLs out of any text.
func TestWithoutSecrets(t *testing.T) {
	a := new(App)
	for text, want := range map[string]string{
		"no URL":                                  "no URL",
		"https://h/a.jfr: gone":                   "https://h/a.jfr: gone",
		"from jfr('https://u:pw@h/a?sig=x','X')":  "from jfr('https://h/a?...','X')",
		"(http://b/k?sig=x): gone":                "(http://b/k?...): gone",
		`"HTTPS://u:it''s@h/a"`:                   `"HTTPS://h/a"`,
		"https://h/a?...: gone":                   "https://h/a?...: gone",
		"x://u:pw@h/?a, http://h/o?a http://h/?b": "x://u:pw@h/?a, http://h/o?... http://h/?...",
	} {
		assert.Equal(t, want, a.WithoutSecrets(text))
		assert.Equal(t, want, a.WithoutSecrets(want))
	}
}
