package configure

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/jfc"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// recording writes a recording with settings: type, name, value and time.
func recording(t *testing.T, settings ...[4]any) string {
	t.Helper()
	b := jfrtest.NewChunk()
	setting := b.Event(settingEvent, jfrtest.Of("id", "long"), jfrtest.Of("name", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass))
	for _, name := range []string{"test.B", "test.A", "jdk.ActiveRecording"} {
		b.Event(name, jfrtest.Of("n", "int"))
	}
	for _, s := range settings {
		id := int64(4711)
		if typ := b.Lookup(s[0].(string)); typ != nil {
			id = typ.ID
		}
		b.Emit(setting, int64(s[3].(int)), id, s[1], s[2])
	}
	file := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	return file
}

func TestSettings(t *testing.T) {
	file := recording(t,
		[4]any{"test.B", "period", "1 s", 5}, [4]any{"test.B", "period", "early", 2}, [4]any{"test.B", "period", "2 s", 5},
		[4]any{"test.B", "enabled", "true", 1}, [4]any{"test.A", "filter", "<\"é\x01>", 1}, [4]any{"test.A", "none", jfrtest.Null{}, 1},
		[4]any{"test.A", "empty", "", 1})
	code, out, errs := mjfr(t, "settings", file)
	assert.Equal(t, cli.ExitOK, code)
	assert.Empty(t, errs)
	_, events, _ := strings.Cut(out, "version=\"2.0\">\n")
	assert.Equal(t, `
  <event name="test.A">
    <setting name="empty"/>
    <setting name="filter">&lt;&quot;&#233;&#65533;&gt;</setting>
  </event>

  <event name="test.B">
    <setting name="enabled">true</setting>
    <setting name="period">2 s</setting>
  </event>

</configuration>
`, events)
	read, err := jfc.Read(strings.NewReader(out))
	require.NoError(t, err)
	assert.Len(t, slices.Collect(read.Settings()), 4)

	_, out, _ = mjfr(t, "settings", "--table", file)
	assert.Contains(t, out, "test.B\tperiod\t2 s\tJVM\n")
	_, out, _ = mjfr(t, "settings", "--json", file)
	var d document
	require.NoError(t, json.Unmarshal([]byte(out), &d))
	assert.Equal(t, "2 s", d.Events[1].Settings["period"])
}

func TestSettingsOfUnknownTypes(t *testing.T) {
	file := recording(t, [4]any{"test.B", "enabled", "true", 1}, [4]any{"no.Type", "enabled", "true", 1})
	code, _, errs := mjfr(t, "settings", file)
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, errs, "1 setting left out")
	code, out, errs := mjfr(t, "settings", recording(t))
	assert.Equal(t, cli.ExitData, code)
	assert.Empty(t, out)
	assert.Contains(t, errs, "it has no settings")
}

func TestSettingsOfAsyncProfiler(t *testing.T) {
	file := recording(t, [4]any{"test.B", "interval", "10000000", 1}, [4]any{"jdk.ActiveRecording", "event", "cpu", 1})
	code, out, errs := mjfr(t, "settings", file)
	assert.Equal(t, cli.ExitData, code)
	assert.Empty(t, out)
	assert.Contains(t, errs, "options of async-profiler, which no .jfc file can set")
	_, out, _ = mjfr(t, "settings", "--table", file)
	assert.Contains(t, out, "test.B\tinterval\t10000000\tasync-profiler\n")

	both := filepath.Join(t.TempDir(), "both.jfr")
	var data []byte
	for _, name := range []string{file, recording(t, [4]any{"test.B", "enabled", "true", 1})} {
		chunk, err := os.ReadFile(name)
		require.NoError(t, err)
		data = append(data, chunk...)
	}
	require.NoError(t, os.WriteFile(both, data, 0o600))
	code, out, errs = mjfr(t, "settings", both)
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, errs, "options of async-profiler are left out")
	assert.Contains(t, out, `<setting name="enabled">true`)
	assert.NotContains(t, out, "interval")
}

func TestSettingsDiff(t *testing.T) {
	one := recording(t, [4]any{"test.B", "enabled", "true", 1}, [4]any{"test.A", "enabled", "true", 1}, [4]any{"test.A", "period", "1 s", 1})
	two := recording(t, [4]any{"test.A", "enabled", "true", 1}, [4]any{"test.A", "period", "2 s", 1})
	code, out, _ := mjfr(t, "settings", "--diff", two, one)
	assert.Equal(t, cli.ExitOK, code)
	assert.Equal(t, "Event\tSetting\tValue\tOther\tRecorder\ntest.A\tperiod\t1 s\t2 s\tJVM\ntest.B\tenabled\ttrue\t\tJVM\n", out)
	_, out, _ = mjfr(t, "settings", "--json", "--diff", two, one)
	assert.Contains(t, strings.Join(strings.Fields(out), " "), `"setting": "enabled", "value": "true", "other": null`)
	code, out, errs := mjfr(t, "settings", "--diff", one, one)
	assert.Equal(t, cli.ExitOK, code)
	assert.Empty(t, out)
	assert.Contains(t, errs, "the settings are the same")
}

// TestSettingsMakeTheRecordingAgain records with the file that mjfr settings printed.
func TestSettingsMakeTheRecordingAgain(t *testing.T) {
	longtest.Slow(t, "it asks JDKs again and again")
	longtest.JVM(t)
	for _, j := range jdk.All() {
		if j.Major < 17 {
			continue
		}
		for _, template := range []string{"profile", "default"} {
			dir := t.TempDir()
			record := func(settings, file string) string {
				file = filepath.Join(dir, file)
				cmd := jdk.Command(t.Context(), j.Home, "jfr", "-J-XX:StartFlightRecording:settings="+settings+",filename="+file, "help")
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, string(out))
				return file
			}
			first := record(template, "first.jfr")
			code, made, errs := mjfr(t, "settings", first)
			require.Equal(t, cli.ExitOK, code, errs)
			again := filepath.Join(dir, "again.jfc")
			require.NoError(t, os.WriteFile(again, []byte(made), 0o600))
			second := record(again, "second.jfr")
			code, out, errs := mjfr(t, "settings", "--diff", second, first)
			assert.Equal(t, cli.ExitOK, code)
			assert.Empty(t, out, "JDK %d", j.Major)
			assert.Equal(t, "mjfr settings: the settings are the same\n", errs)
			assert.Greater(t, strings.Count(made, "<setting "), 200, "JDK %d", j.Major)
		}
	}
}
