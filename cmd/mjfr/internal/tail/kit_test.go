package tail

import (
	"testing"

	printverb "github.com/mmapjfr/jfr/cmd/mjfr/internal/print"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
)

// mjfrCommand runs mjfr with the verbs that the tests use.
func mjfrCommand(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return clitest.Run(t, args, New, printverb.New)
}

// output runs mjfr, which must succeed without a word on standard error.
func output(t *testing.T, args ...string) string {
	t.Helper()
	code, out, told := mjfrCommand(t, args...)
	require.Equal(t, cli.ExitOK, code, told)
	require.Empty(t, told)
	return out
}
