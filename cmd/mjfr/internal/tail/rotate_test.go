package tail

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jvmtest"
)

// TestTailOfChunksThatRotate prints chunk after chunk; what it keeps of one must not be
// needed by the next. The events are those of one chunk, three times.
func TestTailOfChunksThatRotate(t *testing.T) {
	const chunks = 3
	profile := clitest.File("jdk25-profile.jfr")
	dir := jvmtest.Rotated(t, profile, chunks)
	for _, args := range [][]string{
		{"--ndjson"},
		{"--csv", "--events", "jdk.ThreadPark", "--fields", "parkedClass,eventThread"},
		{"--ndjson", "--where", "eventThread ~ 'main'"},
		{},
	} {
		lines := func(source string) int {
			return strings.Count(tailed(t, append(args, "--from", "start", source)...), "\n")
		}
		head := 0
		if len(args) > 1 && args[0] == "--csv" {
			head = 1
		}
		assert.Equal(t, chunks*(lines(profile)-head)+head, lines(dir), args)
	}
}
