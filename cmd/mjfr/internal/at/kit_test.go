package at

import (
	"testing"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/events"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/index"
)

// mjfrCommand runs mjfr with the verbs that the tests use.
func mjfrCommand(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return clitest.Run(t, args, New, events.New, index.New)
}
