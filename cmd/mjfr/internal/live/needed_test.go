package live

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// fakeRecorder is a JVM that records something, and a JDK with settings.
type fakeRecorder struct{ records, profile []string }

func parsed(texts []string) (list []attach.EventSetting, err error) {
	for _, text := range texts {
		s, err := attach.ParseEventSetting(text)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func (f *fakeRecorder) EventSettings(context.Context) ([]attach.EventSetting, error) {
	return parsed(f.records)
}

func (f *fakeRecorder) SettingsOf(_ context.Context, set string) ([]attach.EventSetting, error) {
	if set != setsDefaults || f.profile == nil {
		return nil, errors.New("it is not there")
	}
	return parsed(f.profile)
}

// TestLacking adds what a JVM does not record.
func TestLacking(t *testing.T) {
	profile := []string{
		"jdk.CPULoad", "jdk.CPULoad#period=1s", "jdk.FileRead", "jdk.FileRead#threshold=20ms", "jdk.FileWrite",
		"jdk.ObjectCount#enabled=false", "jdk.ObjectCount#period=everyChunk", "jdk.ObjectCountAfterGC#enabled=false",
		"jdk.CPUTimeSample#enabled=false", "jdk.CPUTimeSample#throttle=10ms",
	}
	cpuTime := []string{"jdk.CPUTimeSample", "jdk.CPUTimeSample#throttle=500/s"}
	for name, c := range map[string]struct {
		records, profile, need []string
		settings               []string
		said                   string
	}{
		"a name":             {nil, profile, []string{"CPULoad"}, []string{"jdk.CPULoad", "jdk.CPULoad#period=1 s"}, "jdk.CPULoad"},
		"several":            {nil, profile, []string{"jdk.CPULoad", "CPULoad", "FileWrite"}, []string{"jdk.CPULoad", "jdk.CPULoad#period=1 s", "jdk.FileWrite"}, "jdk.CPULoad and jdk.FileWrite"},
		"one that is off":    {nil, profile, []string{"ObjectCount"}, []string{"jdk.ObjectCount", "jdk.ObjectCount#period=everyChunk"}, "jdk.ObjectCount"},
		"those that are on":  {nil, profile, []string{"jdk.*"}, []string{"jdk.CPULoad", "jdk.CPULoad#period=1 s", "jdk.FileRead", "jdk.FileRead#threshold=20 ms", "jdk.FileWrite"}, "jdk.CPULoad, jdk.FileRead and jdk.FileWrite"},
		"none is on":         {nil, profile, []string{"ObjectCount*"}, []string{"jdk.ObjectCount", "jdk.ObjectCount#period=everyChunk", "jdk.ObjectCountAfterGC"}, "jdk.ObjectCount and jdk.ObjectCountAfterGC"},
		"recorded":           {[]string{"jdk.CPULoad"}, profile, []string{"CPULoad", "jdk.*"}, nil, ""},
		"one is":             {[]string{"jdk.CPULoad"}, profile, []string{"CPULoad", "jdk.FileWrite"}, []string{"jdk.FileWrite"}, "jdk.FileWrite"},
		"not a second rate":  {cpuTime, profile, []string{"CPUTimeSample"}, nil, ""},
		"a program's":        {nil, profile, []string{"Tick", "Tock"}, []string{"jdk.ActiveSetting"}, "the program's own event types"},
		"a program's, there": {cpuTime, profile, []string{"Tick"}, nil, ""},
		"a full name":        {cpuTime, profile, []string{"a.Tick"}, []string{"a.Tick"}, "a.Tick"},
		"no files":           {nil, nil, []string{"CPULoad", "jdk.GC*"}, []string{"jdk.CPULoad"}, "the event types of its settings profile and jdk.CPULoad"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := lackingIn(t.Context(), &fakeRecorder{c.records, c.profile}, c.need)
			require.NoError(t, err)
			if len(c.settings) > 0 && !slices.Contains(c.settings, periods) {
				c.settings = append(c.settings, periods)
			}
			assert.Equal(t, c.settings, l.settings)
			assert.Equal(t, c.said, l.String())
			assert.Equal(t, c.profile == nil, len(l.sets) > 0)
			_, err = parsed(l.settings)
			assert.NoError(t, err)
		})
	}
	many := lacking{types: []string{"a", "b", "c", "d", "e"}}
	assert.Equal(t, "a, b, c and 2 more event types", many.String())
}
