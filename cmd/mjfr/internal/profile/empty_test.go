package profile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// TestEmpty says why nothing is selected, and replaces the file of another run.
func TestEmpty(t *testing.T) {
	for want, args := range map[string][]string{
		"nothing took 1h": {"--latency", "1h"},
		"--latency and --gc-pauses leave no sample":                                              {"--gc-pauses", "in", "-t", "alloc"},
		"the options leave none of the types that profiles of type lock can be made of":          {"-t", "lock", "--categories", "JVM"},
		"the options leave none of the types that profiles of type lock or alloc can be made of": {"-t", "lock,alloc", "--events", "ExecutionSample", "--to", "50%"},
		"no sample passes --include nosuch":                                                      {"--include", "nosuch"},
		"no sample of type cpu passes --exclude . and --state bogus":                             {"-t", "cpu", "--exclude", ".", "--state", "bogus"},
		"the recording has no events of profiler.Malloc; mjfr types":                             {"-t", "malloc", "--from", "1s"},
		"none of the selected events is a sample of type wall":                                   {"-t", "wall", "--from", "1s"},
		"of 5 events of jdk.ThreadPark none begins before --to 50%":                              {"--event", "ThreadPark", "--to", "50%"},
		"of 51 events of 19 types none matches --where 'bytesRead > 1GB'":                        {"--where", "bytesRead > 1GB"},
	} {
		for i, format := range formats {
			if !longtest.Every(i+len(want), 4) || format.Events || format.Single && args[1] == "lock,alloc" {
				continue // of all events, and of one type
			}
			out := filepath.Join(t.TempDir(), "out")
			require.NoError(t, os.WriteFile(out, []byte("of another run"), 0o600))
			code, _, errs := mjfr(t, append(append([]string{"profile", "--format", format.Name, "--force", "-o", out}, args...), clitest.File("jdk25-profile.jfr"))...)
			assert.Equal(t, cli.ExitOK, code, errs)
			assert.Contains(t, errs, want)
			text, err := os.ReadFile(out)
			require.NoError(t, err)
			assert.NotEqual(t, "of another run", string(text), "%s %v", format.Name, args)
		}
	}
	code, out, errs := mjfr(t, "profile", "--include", "nosuch", clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, cli.ExitOK, code)
	assert.Empty(t, out)
	assert.NotEmpty(t, errs)
	_, _, errs = mjfr(t, "profile", "-t", "wall", clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, "mjfr profile: no event of jdk.ExecutionSample is a sample of type wall; mjfr profile without -t shows the first type that the recording has\n", errs)
	_, _, errs = mjfr(t, "profile", "-t", "trace", clitest.File("jdk25-profile.jfr"))
	assert.Contains(t, errs, "no jdk.MethodTrace events: the recording has it enabled, and its filter is empty; record with jdk.MethodTrace#filter=CLASS::METHOD\n")
}
