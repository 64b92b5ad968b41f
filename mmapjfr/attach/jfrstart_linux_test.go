package attach_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

const startedAnswer = "0\nStarted recording 3. No limit specified, using maxsize=250MB as default.\n\nUse jcmd 7 JFR.dump name=3 filename=FILEPATH to copy recording data to file.\n"

// recordingJVM is a JVM that starts what it is asked to.
func recordingJVM(t *testing.T, version string, protocol int) *fake {
	f := newMachine(t).self()
	f.version, f.protocol = version, protocol
	f.answers["JFR.start"] = startedAnswer
	return f
}

func TestStartRecordingLine(t *testing.T) {
	cpu := attach.EventSetting{Event: "jdk.CPULoad", Setting: "period", Value: "300ms"}
	for want, o := range map[string]attach.RecordingOptions{
		"settings=none disk=true":                                                          {},
		"settings=none disk=false":                                                         {InMemory: true},
		"settings=default disk=true":                                                       {Settings: []string{"default"}},
		"settings=default settings=profile disk=true":                                      {Settings: []string{"default", "profile"}},
		`settings="/my files/a.jfc" disk=true`:                                             {Settings: []string{"/my files/a.jfc"}},
		`name="two words" settings=none disk=true`:                                         {Name: "two words"},
		`name='"' settings=none disk=true`:                                                 {Name: `"`},
		"name=é😀 settings=none disk=true":                                                  {Name: "é😀"},
		"settings=none maxage=90m disk=true":                                               {MaxAge: 90 * time.Minute},
		"settings=none maxsize=1000000 disk=true":                                          {MaxSize: 1e6},
		"settings=none duration=1500ms disk=true":                                          {Duration: 1500 * time.Millisecond},
		"settings=none filename=/a/b.jfr disk=true":                                        {Filename: "/a/b.jfr"},
		"settings=none flush-interval=200ms disk=true":                                     {FlushInterval: 200 * time.Millisecond},
		"settings=none disk=true +jdk.CPULoad#enabled=true +jdk.CPULoad#period=\"300 ms\"": {Events: []attach.EventSetting{cpu}},
		"settings=profile disk=true +jdk.CPULoad#enabled=true +jdk.CPULoad#period=\"300 ms\"": {
			Settings: []string{"profile"}, Events: []attach.EventSetting{cpu},
		},
		"settings=none disk=true +jdk.CPULoad#enabled=false": {
			Settings: []string{"none"}, Events: []attach.EventSetting{{"jdk.CPULoad", "enabled", "false"}},
		},
	} {
		f := recordingJVM(t, "17", 1)
		id, err := f.open().StartRecording(t.Context(), o)
		require.NoError(t, err, want)
		assert.Equal(t, 3, id)
		require.Len(t, f.lines(), 1)
		assert.Equal(t, "JFR.start "+want, attach.FromJava(f.lines()[0]))
	}
}

// TestStartRecordingByFile has event settings that cannot be in the line.
func TestStartRecordingByFile(t *testing.T) {
	var many []attach.EventSetting
	for c := range 26 {
		many = append(many, attach.EventSetting{Event: "jdk.SomethingWithALongName" + string(rune('A'+c)), Setting: "period", Value: "1 s"})
	}
	one := []attach.EventSetting{{"jdk.CPULoad", "period", "1s"}}
	both := []attach.EventSetting{{"jdk.MethodTrace", "filter", `'"`}}
	for name, c := range map[string]struct {
		version  string
		protocol int
		o        attach.RecordingOptions
		before   string
		holds    string
	}{
		"an old JVM":                    {"16", 1, attach.RecordingOptions{Events: one}, "", `<setting name="period">1 s</setting>`},
		"an old JVM without events":     {"11", 1, attach.RecordingOptions{}, "", `label="Attached"></configuration>`},
		"an old JVM with settings":      {"1.8", 1, attach.RecordingOptions{Settings: []string{"default"}, Events: one}, "settings=default ", "jdk.CPULoad"},
		"many events":                   {"17", 1, attach.RecordingOptions{Events: many}, "", "LongNameZ"},
		"many events and settings":      {"23", 1, attach.RecordingOptions{Settings: []string{"profile"}, Events: many}, "settings=profile ", "LongNameZ"},
		"several settings":              {"25", 2, attach.RecordingOptions{Settings: []string{"default", "profile"}, Events: one}, "settings=default settings=profile ", "jdk.CPULoad"},
		"what cannot be quoted":         {"25", 2, attach.RecordingOptions{Events: both}, "", "&#39;&#34;"},
		"what cannot be quoted, no set": {"17", 1, attach.RecordingOptions{Settings: []string{"none"}, Events: both}, "", "&#39;&#34;"},
	} {
		t.Run(name, func(t *testing.T) {
			f := recordingJVM(t, c.version, c.protocol)
			delete(f.answers, "JFR.start")
			f.other = func(line string) string {
				rest, ok := strings.CutPrefix(line, "JFR.start "+c.before+"settings=/tmp/")
				require.True(t, ok, line)
				file, rest, ok := strings.Cut(rest, " ")
				require.True(t, ok)
				assert.Equal(t, "disk=true", rest)
				text, err := os.ReadFile(f.path("root/tmp/" + file))
				assert.NoError(t, err)
				assert.Contains(t, string(text), c.holds)
				assert.Contains(t, string(text), `<configuration version="2.0"`)
				info, err := os.Stat(f.path("root/tmp/" + file))
				require.NoError(t, err)
				assert.Equal(t, os.FileMode(0o644), info.Mode())
				return startedAnswer
			}
			id, err := f.open().StartRecording(t.Context(), c.o)
			require.NoError(t, err)
			assert.Equal(t, 3, id)
			assert.Len(t, f.lines(), 1)
			left, _ := filepath.Glob(f.path("root/tmp/*.jfc"))
			assert.Empty(t, left)
		})
	}
}

// TestContainersCannotHaveFilesElsewhere is about one with a link in the place of its
// temporary directory.
func TestContainersCannotHaveFilesElsewhere(t *testing.T) {
	f := recordingJVM(t, "16", 1)
	elsewhere := t.TempDir()
	vm := f.open()
	require.NoError(t, os.Rename(f.path("root/tmp"), f.path("root/moved")))
	require.NoError(t, os.Symlink(elsewhere, f.path("root/tmp")))
	require.NoError(t, os.Rename(f.path("root/moved/"+filepath.Base(f.socket())), f.socket()))
	_, err := vm.StartRecording(t.Context(), attach.RecordingOptions{})
	assert.ErrorContains(t, err, "cannot pass event settings to process")
	require.NoError(t, os.RemoveAll(f.path("cwd")))
	require.NoError(t, os.Remove(f.socket()))
	_, err = f.host().Open(t.Context(), f.pid)
	assert.ErrorContains(t, err, "cannot ask process")
}

// TestStartRecordingOfManyEvents fits into a line since protocol 2.
func TestStartRecordingOfManyEvents(t *testing.T) {
	f := recordingJVM(t, "25", 2)
	o := attach.RecordingOptions{}
	for c := range 26 {
		o.Events = append(o.Events, attach.EventSetting{Event: "jdk.SomethingWithALongName" + string(rune('A'+c)), Setting: "enabled", Value: "true"})
	}
	_, err := f.open().StartRecording(t.Context(), o)
	require.NoError(t, err)
	assert.Contains(t, f.lines()[0], "+jdk.SomethingWithALongNameZ#enabled=true")
}

func TestStartRecordingRejects(t *testing.T) {
	for says, o := range map[string]attach.RecordingOptions{
		"cannot be named 12":                    {Name: "12"},
		"cannot have limits below 0":            {MaxAge: -1},
		"a recording cannot have limits":        {FlushInterval: -time.Second},
		"cannot last 500ms, but a second":       {Duration: 500 * time.Millisecond},
		"a recording in memory has no age":      {InMemory: true, MaxAge: time.Hour},
		`"none" cannot be one of several`:       {Settings: []string{"profile", "none"}},
		"a set of settings needs a name":        {Settings: []string{""}},
		"the event setting a.B#c= cannot":       {Events: []attach.EventSetting{{"a.B", "c", ""}}},
		"name: \"a\\nb\" has a line end":        {Name: "a\nb"},
		`filename: "a\nb" has a line end`:       {Filename: "a\nb"},
		"name: \"a\\rb\" has a line end":        {Name: "a\rb"},
		"name: \"a\\x00b\" has a line end":      {Name: "a\x00b"},
		"the JVM refused JFR.start: What? Why?": {Name: "refused"},
		"the JVM has not done JFR.start":        {Name: "silent"},
		"has a % in it, which the JVM of":       {Filename: "/100%.jfr"},
	} {
		f := recordingJVM(t, "17", 1)
		f.answers["JFR.start name=refused"] = "0\nWhat? Why?\n"
		f.answers["JFR.start name=silent"] = "0\n"
		delete(f.answers, "JFR.start")
		f.answers["help"] = "0\nfilename: where to write\n"
		id, err := f.open().StartRecording(t.Context(), o)
		assert.ErrorContains(t, err, says)
		assert.Zero(t, id)
	}
}

func TestFlushIntervalNeedsJava14(t *testing.T) {
	f := recordingJVM(t, "13", 1)
	vm := f.open()
	_, err := vm.StartRecording(t.Context(), attach.RecordingOptions{FlushInterval: time.Second})
	assert.ErrorContains(t, err, "is of Java 13, and only Java 14 and later have a flush interval")
	_, err = vm.StartRecording(t.Context(), attach.RecordingOptions{})
	assert.NoError(t, err)
}

func TestStartRecordingOfAnUnknownVersion(t *testing.T) {
	for _, version := range []string{"", "next", "0", "-17", "99999999999"} {
		_, err := recordingJVM(t, version, 2).open().StartRecording(t.Context(), attach.RecordingOptions{})
		assert.ErrorIs(t, err, attach.ErrBadReply)
	}
}

func TestStartRecordingWithWarnings(t *testing.T) {
	f := recordingJVM(t, "25", 2)
	f.answers["JFR.start"] = "0\nWarning! Something is odd.\nStarted recording 12.\n"
	vm := f.open()
	id, err := vm.StartRecording(t.Context(), attach.RecordingOptions{})
	require.NoError(t, err)
	assert.Equal(t, 12, id)
	f.answers["JFR.start"] = "0\nStarted recording 99999999999999999999.\n"
	_, err = vm.StartRecording(t.Context(), attach.RecordingOptions{})
	assert.Error(t, err)
}

func TestStopAndDump(t *testing.T) {
	f := recordingJVM(t, "25", 2)
	f.answers["JFR.stop name=3"] = "0\nStopped recording \"one\".\n"
	f.answers["JFR.dump name=3 filename="] = "0\nDumped recording \"one\", 1 kB written to:\n\n/a.jfr\n"
	f.answers["help JFR.dump"] = "0\n'%p' in the filename will be replaced by the PID\n"
	f.other = func(string) string { return "0\nCould not find 4.\n\nUse JFR.check without options.\n" }
	vm := f.open()
	assert.NoError(t, vm.Stop(t.Context(), 3))
	assert.NoError(t, vm.Dump(t.Context(), 3, "/my dumps/100%.jfr"))
	assert.Equal(t, []string{"JFR.stop name=3", "help JFR.dump", `JFR.dump name=3 filename="/my dumps/100%%.jfr"`}, f.lines())
	assert.EqualError(t, vm.Stop(t.Context(), 4), "the JVM refused JFR.stop: Could not find 4.\n\nUse JFR.check without options.")
	assert.ErrorContains(t, vm.Dump(t.Context(), 4, "x"), "the JVM refused JFR.dump: Could not find 4.")
	assert.ErrorContains(t, vm.Dump(t.Context(), 3, ""), "name a file to dump to")
	assert.ErrorContains(t, vm.Dump(t.Context(), 3, "a\nb"), "line end")
	f.answers["help JFR.dump"] = "0\nfilename: where to\n"
	assert.ErrorContains(t, vm.Dump(t.Context(), 3, "/100%.jfr"), "is too old for")
}

func TestCheck(t *testing.T) {
	f := recordingJVM(t, "25", 2)
	vm := f.open()
	f.flag = "-XX:-FlightRecorder"
	recordings, err := vm.Recordings(t.Context())
	require.NoError(t, err)
	assert.Empty(t, recordings)
	assert.Empty(t, f.lines(), "JFR has not started yet")
	f.flag = "-XX:+FlightRecorder"
	f.answers["JFR.check"] = "0\nNo available recordings.\n\nUse jcmd 1 JFR.start to start a recording.\n"
	recordings, err = vm.Recordings(t.Context())
	require.NoError(t, err)
	assert.Empty(t, recordings)
	f.answers["JFR.check"] = "0\nRecording 1: name=one maxsize=250.0MB (running)\n"
	recordings, err = vm.Recordings(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []attach.Recording{{ID: 1, Name: "one", State: "running", MaxSize: 250 << 20}}, recordings)
	f.flag = "" // no flag
	f.answers["JFR.check"] = "0\nWhat?\n"
	_, err = vm.Recordings(t.Context())
	assert.EqualError(t, err, "the JVM refused JFR.check: What?")
}
