package configure

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jvmtest"
)

// mjfr runs mjfr with the verbs of this package.
var mjfr = clitest.Mjfr(New, NewSettings)

// fakeJDK makes a JDK with files of testdata, and makes JAVA_HOME name it.
func fakeJDK(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, "lib", "jfr"), 0o700))
	for from, to := range map[string]string{"own.jfc": "default.jfc", "more.jfc": "profile.jfc"} {
		data, err := os.ReadFile(filepath.Join("testdata", from))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(home, "lib", "jfr", to), data, 0o600))
	}
	t.Setenv("JAVA_HOME", home)
	t.Setenv("PATH", "")
	return home
}

func TestConfigureNeedsAJDK(t *testing.T) {
	t.Setenv("JAVA_HOME", t.TempDir())
	t.Setenv("PATH", "")
	code, out, errs := mjfr(t, "configure", "--output", "-")
	assert.Equal(t, cli.ExitData, code)
	assert.Empty(t, out)
	assert.Equal(t, "mjfr configure: could not find file 'default.jfc': it belongs to a JDK, and none was found; "+
		"set JAVA_HOME, put java on PATH, name a running JVM by --jvm, or a file by --input\n", errs)

	home := fakeJDK(t)
	code, _, errs = mjfr(t, "configure", "--input", "profil", "--output", "-")
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, errs, "could not find file 'profil'; did you mean profile?")
	_, _, errs = mjfr(t, "configure", "--input", "elephant", "--output", "-")
	assert.Contains(t, errs, "; the JDK has default, profile in "+filepath.Join(home, "lib", "jfr"))
}

func TestConfigureToStandardOutput(t *testing.T) {
	fakeJDK(t)
	code, out, errs := mjfr(t, "configure", "--input", "profile", "--output", "-", "--verbose", "more=true")
	assert.Equal(t, cli.ExitOK, code)
	assert.True(t, strings.HasPrefix(out, "<?xml "), out)
	assert.Contains(t, errs, "\nSetting:\n\"more.One#cutoff=true\"\n")
}

func TestListOptions(t *testing.T) {
	fakeJDK(t)
	code, out, errs := mjfr(t, "configure", "--list-options", "--input", "profile,none")
	assert.Equal(t, cli.ExitOK, code)
	assert.Equal(t, "Options for profile:\n\n  more=<true|false>  (false)\n\n  words=<text>  (a  b)\n\nOptions for none:\n", out)
	assert.Equal(t, "mjfr configure: Setting 'more.One#enabled' refers to missing control 'mode'\n", errs)
	code, _, _ = mjfr(t, "configure", "--list-options", "mode=off")
	assert.Equal(t, cli.ExitUsage, code)
}

func TestConfigureKeepsTheRestOfAValue(t *testing.T) {
	fakeJDK(t)
	_, out, _ := mjfr(t, "configure", "--input", "none", "--output", "-", "+a#b=c=d")
	assert.Contains(t, out, ">c=d<")
}

func TestCompletion(t *testing.T) {
	fakeJDK(t)
	complete := func(words ...string) string {
		_, out, _ := mjfr(t, append([]string{"__complete", "configure"}, words...)...)
		return out
	}
	assert.Contains(t, complete("m"), "mode=\tThe mode\n")
	assert.Contains(t, complete("mode="), "mode=off\tOff\nmode=low\tLow\n")
	assert.Contains(t, complete("own.F"), "own.First#\n")
	assert.Contains(t, complete("own.First#th"), "own.First#threshold=\tnow 20 ms\n")
	assert.Contains(t, complete("--input", "profile", "mor"), "more=\tMore\n")
}

// TestConfigureForAJVM takes the files of the JDK of a running JVM.
func TestConfigureForAJVM(t *testing.T) {
	j := jvmtest.Start(t, jvmtest.Options{})
	want, err := os.ReadFile(filepath.Join(j.JDK.Home, "lib", "jfr", "profile.jfc"))
	require.NoError(t, err)
	t.Setenv("JAVA_HOME", "")
	t.Setenv("PATH", "")
	code, out, errs := mjfr(t, "configure", "--input", "profile", "--output", "-", "--jvm", strconv.Itoa(j.PID))
	assert.Equal(t, cli.ExitOK, code, errs)
	assert.Equal(t, bytes.Count(want, []byte("<setting ")), strings.Count(out, "<setting "))
	code, _, errs = mjfr(t, "configure", "--output", "-", "--jvm", "1999999999")
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, errs, "no such process")
}
