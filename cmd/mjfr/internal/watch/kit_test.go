package watch

import (
	"testing"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
)

// mjfrCommand runs mjfr with the verbs that the tests use.
func mjfrCommand(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return clitest.Run(t, args, New)
}
