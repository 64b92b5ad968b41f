package redact

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
)

// TestJDKReadsWhatRulesLeave has rules that change as much as they can. The JDK reads each copy.
func TestJDKReadsWhatRulesLeave(t *testing.T) {
	longtest.JVM(t)
	dir := t.TempDir()
	rules, out := filepath.Join(dir, "own.rules"), filepath.Join(dir, "out.jfr")
	for _, rule := range []string{
		"pseudonym classes", `constant "N" /[0-9]{2,}/`, "constant /[a-z]+/", `constant "N" /[A-Z]+/`, "hash /[0-9]+/", "blank /./",
		"constant field *:*", "blank field *:*", "pseudonym field *:*", "generalise field *:*",
	} {
		t.Run(rule, func(t *testing.T) {
			require.NoError(t, os.WriteFile(rules, []byte(rule+"\n"), 0o600))
			code, _, errs := mjfrCommand(t, "redact", "--force", "--rules", rules, clitest.File("jdk25-profile.jfr"), out)
			require.Equal(t, cli.ExitOK, code, errs)
			data, err := os.ReadFile(out)
			require.NoError(t, err)
			assert.NotEmpty(t, said.Now(t, data, "summary"))
			assert.NotEmpty(t, said.Now(t, data, "print"))
		})
	}
}
