package profile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/profiletest"
)

// TestHostile writes recordings that nobody would make in all formats: what is JSON is valid, and
// nothing is greater than a few times the recording.
func TestHostile(t *testing.T) {
	i := 0
	profiletest.Recordings(t, func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "a.jfr")
		require.NoError(t, os.WriteFile(file, data, 0o600))
		for _, f := range formats {
			if i++; !longtest.Every(i, 5) {
				continue
			}
			out := filepath.Join(t.TempDir(), "out")
			code, _, errs := mjfr(t, "profile", "--format", f.name, "-o", out, "--timestamps="+strconv.FormatBool(f.name == "otlp"), file)
			require.Contains(t, []int{cli.ExitOK, cli.ExitData}, code, "%s: %s", f.name, errs)
			text, err := os.ReadFile(out)
			if os.IsNotExist(err) {
				require.NotEmpty(t, errs, f.name)
				continue
			}
			require.NoError(t, err)
			require.Less(t, len(text), 64<<20, f.name)
			if strings.Contains("speedscope cpuprofile firefox", f.name) {
				require.True(t, json.Valid(text), f.name)
			}
		}
	})
}
