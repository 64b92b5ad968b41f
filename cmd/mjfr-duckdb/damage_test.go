package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/sqlverb"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// TestExitCodesOfDamage are those of mjfr query: 1 where a part of a recording could not be read, also where a type may be missing
// by that, and else 2 for a type that is missing.
func TestExitCodesOfDamage(t *testing.T) {
	one, other := jfrtest.NewChunk(), jfrtest.NewChunk()
	one.Emit(one.Event("test.E", jfrtest.Of("n", "int")), int64(0), 7)
	other.EmitRaw(jfrtest.EventOptions{}, 987, []byte{1, 2, 3})
	unknown := append(one.Bytes(), other.Bytes()...)
	lost, layout := one.Build()
	lost[layout.Metadata[0].Offset+20] ^= 0xff
	for name, c := range map[string]struct {
		data         []byte
		code, noType int
	}{"sound": {one.Bytes(), 0, 2}, "unknown type": {unknown, 1, 2}, "no metadata": {lost, 1, 1}, "metadata of one chunk": {append(lost, one.Bytes()...), 1, 1}} {
		file := filepath.Join(t.TempDir(), "damaged.jfr")
		require.NoError(t, os.WriteFile(file, c.data, 0o600))
		for statement, want := range map[string]int{"select count(*) from E": c.code, "select count(*) from Missing": c.noType} {
			_, said, code := execute(t, "", file, statement)
			assert.Equal(t, want, code, "mjfr-duckdb: %s: %s: %s", name, statement, said)
			verbs := []string{"query"}
			if _, err := exec.LookPath("duckdb"); err == nil {
				verbs = append(verbs, "sql")
			}
			for _, verb := range verbs {
				cmd := exec.Command(mjfr, verb, file, statement)
				if verb == "query" {
					cmd = exec.Command(mjfr, verb, statement, file)
				}
				out, _ := cmd.CombinedOutput()
				assert.Equal(t, want, cmd.ProcessState.ExitCode(), "%s: %s: %s: %s", verb, name, statement, out)
			}
		}
	}
}

// TestSecretsInStatements are in no message.
func TestSecretsInStatements(t *testing.T) {
	const url = "http://usr:PASS@127.0.0.1:1/a.jfr?sig=TOPSEC"
	for _, statement := range []string{
		"from jfr('" + url + "', 'X')", "selec '" + url + "'", `select "` + url + `"`, "select '" + url, "select '" + strings.Repeat("a", 200) + url + strings.Repeat("b", 200) + "' nonsense nonsense",
		"select 1,\n'" + url + "', nonsense",
	} {
		_, said, code := execute(t, "", profile, statement)
		assert.Equal(t, 2, code, statement)
		assert.NotContains(t, said, "PASS")
		assert.NotContains(t, said, "TOPSEC")
	}
}

// TestInterruptedWhileOpening ends while a server gives nothing.
func TestInterruptedWhileOpening(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel(); <-ended }))
	defer server.Close()
	defer close(ended)
	var out, said strings.Builder
	code := sqlverb.Run(ctx, "mjfr-duckdb", new(engine), []string{profile, "from jfr('" + server.URL + "/a.jfr', 'X')"}, strings.NewReader(""), &out, &said)
	assert.Equal(t, 130, code)
	assert.Contains(t, said.String(), "interrupted")
}
