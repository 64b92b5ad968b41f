package attach_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

func TestParseEventSetting(t *testing.T) {
	for text, want := range map[string]attach.EventSetting{
		"jdk.CPULoad":                             {"jdk.CPULoad", "enabled", "true"},
		"jdk.CPULoad#enabled=false":               {"jdk.CPULoad", "enabled", "false"},
		"jdk.CPULoad#period=1s":                   {"jdk.CPULoad", "period", "1 s"},
		"jdk.CPULoad#period=1000 ms":              {"jdk.CPULoad", "period", "1 s"},
		"jdk.CPULoad#period= 20 ms ":              {"jdk.CPULoad", "period", "20 ms"},
		"jdk.CPULoad#period=everyChunk":           {"jdk.CPULoad", "period", "everyChunk"},
		"jdk.CPULoad#period=beginChunk":           {"jdk.CPULoad", "period", "beginChunk"},
		"jdk.CPULoad#period=endChunk":             {"jdk.CPULoad", "period", "endChunk"},
		"jdk.FileRead#threshold=1m30s":            {"jdk.FileRead", "threshold", "90 s"},
		"jdk.FileRead#threshold=0":                {"jdk.FileRead", "threshold", "0 s"},
		"jdk.FileRead#threshold=0ns":              {"jdk.FileRead", "threshold", "0 s"},
		"jdk.FileRead#stackTrace=true":            {"jdk.FileRead", "stackTrace", "true"},
		"jdk.OldObjectSample#cutoff=infinity":     {"jdk.OldObjectSample", "cutoff", "infinity"},
		"jdk.OldObjectSample#cutoff=2h":           {"jdk.OldObjectSample", "cutoff", "2 h"},
		"jdk.ObjectAllocationSample#throttle=9/s": {"jdk.ObjectAllocationSample", "throttle", "9/s"},
		"jdk.CPUTimeSample#throttle=10ms":         {"jdk.CPUTimeSample", "throttle", "10 ms"},
		"jdk.CPUTimeSample#throttle=500/s":        {"jdk.CPUTimeSample", "throttle", "500/s"},
		"jdk.JavaExceptionThrow#throttle=off":     {"jdk.JavaExceptionThrow", "throttle", "off"},
		"jdk.MethodTrace#filter=a.B::c;@d.E=f":    {"jdk.MethodTrace", "filter", "a.B::c;@d.E=f"},
		"Plain#own-setting=x y":                   {"Plain", "own-setting", "x y"},
		"größe.$Übung_2#Ü=\"":                     {"größe.$Übung_2", "Ü", `"`},
	} {
		got, err := attach.ParseEventSetting(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got)
		again, err := attach.ParseEventSetting(got.String())
		require.NoError(t, err)
		assert.Equal(t, got, again)
	}
}

func TestParseEventSettingRejects(t *testing.T) {
	for text, says := range map[string]string{
		"":                             `"" is not the name of an event type such as jdk.CPULoad`,
		"#period=1s":                   "is not the name of an event type",
		"jdk.CPU Load":                 "is not the name of an event type",
		"jdk.*#enabled=true":           "is not the name of an event type",
		"jdk..X":                       "is not the name of an event type",
		"jdk.2X":                       "is not the name of an event type",
		"+jdk.X#period=1s":             "is not the name of an event type",
		"jdk.CPULoad#":                 "names no setting of jdk.CPULoad: write it as in jdk.CPULoad#period=1s",
		"jdk.CPULoad#period":           "has no value for period: write it as in jdk.CPULoad#period=1s",
		"jdk.CPULoad=1s":               "names no setting of jdk.CPULoad: write it as in jdk.CPULoad#period=1s",
		"jdk.CPULoad#=1s":              `"" is not the name of a setting`,
		"jdk.CPULoad#a b=1s":           `"a b" is not the name of a setting`,
		"jdk.CPULoad#period=":          "period has no value",
		"jdk.CPULoad#enabled=yes":      "enabled: it is either true or false",
		"jdk.CPULoad#stackTrace=1":     "stackTrace: it is either true or false",
		"jdk.CPULoad#period=1":         `period: "1" is not a duration such as 20ms, 1 s or 5m, or everyChunk, beginChunk or endChunk`,
		"jdk.CPULoad#period=-1s":       "is not a duration",
		"jdk.CPULoad#threshold=soon":   `threshold: "soon" is not a duration such as 20ms, 1 s or 5m`,
		"jdk.X#cutoff=never":           "or infinity",
		"jdk.X#throttle=fast":          `throttle: "fast" is not a rate such as 100/s, or off`,
		"jdk.X#filter=a\nb":            "filter has a control character in its value",
		"jdk.X#threshold=9999999999d":  "is too long a time",
		"jdk.X#threshold=99999999999h": "is too long a time",
	} {
		_, err := attach.ParseEventSetting(text)
		assert.ErrorContains(t, err, says, "%q", text)
	}
}

func TestTimespan(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s": 0, "1ns": 1, "1us": time.Microsecond, "1500us": 1500 * time.Microsecond, "20ms": 20 * time.Millisecond,
		"1s": time.Second, "90s": 90 * time.Second, "2m": 2 * time.Minute, "3h": 3 * time.Hour, "36h": 36 * time.Hour, "2d": 48 * time.Hour,
	} {
		assert.Equal(t, want, attach.Timespan(d, ""))
		got, err := attach.ParseTimespan(attach.Timespan(d, " "))
		require.NoError(t, err)
		assert.Equal(t, d, got)
	}
}

func TestEnabling(t *testing.T) {
	got, err := attach.Enabling([]attach.EventSetting{
		{"a.A", "period", "1000ms"},
		{"b.B", "enabled", "false"},
		{"b.B", "threshold", "0 ns"},
		{"a.A", "period", "2s"},
		{"c.C", "stackTrace", "true"},
		{"c.C", "enabled", "false"},
	})
	require.NoError(t, err)
	assert.Equal(t, []attach.EventSetting{
		{"a.A", "enabled", "true"},
		{"a.A", "period", "2 s"},
		{"b.B", "enabled", "false"},
		{"b.B", "threshold", "0 s"},
		{"c.C", "enabled", "false"},
		{"c.C", "stackTrace", "true"},
	}, got)
	_, err = attach.Enabling([]attach.EventSetting{{"a.A", "enabled", "perhaps"}})
	assert.ErrorContains(t, err, "a.A#enabled=perhaps cannot be used: enabled: it is either true or false")
}

func TestJFC(t *testing.T) {
	text, err := attach.JFC([]attach.EventSetting{
		{"jdk.A", "enabled", "true"}, {"b.B", "filter", `<&">`}, {"jdk.A", "period", "1 s"},
	})
	require.NoError(t, err)
	assert.Equal(t, `<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0" label="Attached">
  <event name="jdk.A">
    <setting name="enabled">true</setting>
    <setting name="period">1 s</setting>
  </event>
  <event name="b.B">
    <setting name="filter">&lt;&amp;&#34;&gt;</setting>
  </event>
</configuration>`, string(text))
}

// TestReadJFC reads what is written, and leaves out what has no value.
func TestReadJFC(t *testing.T) {
	want := []attach.EventSetting{{"a.B", "enabled", "false"}, {"a.B", "period", "everyChunk"}, {"jdk.C", "threshold", "20 ms"}}
	text, err := attach.JFC(append(want, attach.EventSetting{Event: "jdk.C", Setting: "filter"}))
	require.NoError(t, err)
	got, err := attach.ReadJFC(bytes.NewReader(text))
	require.NoError(t, err)
	assert.Equal(t, want, got)
	_, err = attach.ReadJFC(bytes.NewReader(text[:len(text)/2]))
	assert.ErrorContains(t, err, "cannot read the event settings")
}
