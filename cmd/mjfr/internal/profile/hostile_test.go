package profile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
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
			if i++; !longtest.Every(i, 16) {
				continue
			}
			out := filepath.Join(t.TempDir(), "out")
			code, _, errs := mjfr(t, "profile", "--format", f.Name, "-o", out, "--timestamps="+strconv.FormatBool(f.Name == "otlp"), file)
			require.Contains(t, []int{cli.ExitOK, cli.ExitData}, code, "%s: %s", f.Name, errs)
			text, err := os.ReadFile(out)
			if os.IsNotExist(err) {
				require.NotEmpty(t, errs, f.Name)
				continue
			}
			require.NoError(t, err)
			require.Less(t, len(text), 64<<20, f.Name)
			if strings.Contains("speedscope cpuprofile firefox", f.Name) {
				require.True(t, json.Valid(text), f.Name)
			}
		}
	})
}

// TestTrailing reports what lies after the last chunk and cannot be read.
func TestTrailing(t *testing.T) {
	first, err := os.ReadFile(clitest.File("jdk25-profile.jfr"))
	require.NoError(t, err)
	second, err := os.ReadFile(clitest.File("jdk17-profile.jfr"))
	require.NoError(t, err)
	second[0] ^= 0xff
	for name, more := range map[string][]byte{"a recording": second, "its middle": second[len(second)/2:], "zeros": make([]byte, 100_000)} {
		file := filepath.Join(t.TempDir(), "a.jfr")
		require.NoError(t, os.WriteFile(file, append(slices.Clone(first), more...), 0o600))
		code, out, errs := mjfr(t, "profile", file)
		assert.Equal(t, cli.ExitData, code, name)
		assert.NotEmpty(t, out, name)
		assert.Contains(t, errs, "before the end", name)
	}
}
