package attach_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

func TestQuote(t *testing.T) {
	for value, want := range map[string]string{
		"":            `""`,
		"plain":       "plain",
		"a=b,c":       "a=b,c",
		"two words":   `"two words"`,
		"don't":       `"don't"`,
		`say "hello"`: `'say "hello"'`,
		`back\slash`:  `back\slash`,
		`end\`:        `end\`,
		"tab\tis":     "tab\tis",
		"größe":       "größe",
	} {
		got, err := attach.Quote(value)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for value, says := range map[string]string{
		"two\nlines":    "line end",
		"zero\x00":      "zero byte",
		`both ' and "`:  "quotes of both kinds",
		`a blank, end\`: "backslash at its end",
	} {
		_, err := attach.Quote(value)
		assert.ErrorContains(t, err, says)
	}
}

func TestJavaText(t *testing.T) {
	for s, java := range map[string]string{
		"":           "",
		"plain é €":  "plain é €",
		"😀":          "\xed\xa0\xbd\xed\xb8\x80",
		"a😀b🜁\u00e9": "a\xed\xa0\xbd\xed\xb8\x80b\xed\xa0\xbd\xed\xbc\x81\u00e9",
		"\U0010ffff": "\xed\xaf\xbf\xed\xbf\xbf",
	} {
		assert.Equal(t, java, attach.ToJava(s))
		assert.Equal(t, s, attach.FromJava(java))
	}
	for _, s := range []string{"\xed", "\xed\xa0\xbd", "\xed\xa0\xbd\xed", "\xed\xb8\x80\xed\xa0\xbd", "\xed\xa0\xbdxyz", "한"} {
		assert.Equal(t, s, attach.FromJava(s), "what is no pair stays")
	}
}

// TestParseSettings reads what running recordings have enabled.
func TestParseSettings(t *testing.T) {
	const text = `Recording 1: name=x maxsize=250.0MB (running)

 Allocation Requiring GC (jdk.AllocationRequiringGC)
   [stackTrace=true,enabled=false]
 CPU Time Sample (jdk.CPUTimeSample)
   [throttle=500/s,enabled=true]

Recording 2: name=y (stopped)

 CPU Time Sample (jdk.CPUTimeSample)
   [throttle=1 ms,enabled=true]

Recording 3: name=z (running)

 Method (Trace) (jdk.MethodTrace)
   [filter=a,b,enabled=true]
`
	assert.Equal(t, []attach.EventSetting{
		{"jdk.CPUTimeSample", "throttle", "500/s"}, {"jdk.CPUTimeSample", "enabled", "true"},
		{"jdk.MethodTrace", "filter", "a,b"}, {"jdk.MethodTrace", "enabled", "true"},
	}, attach.ParseSettings(text))
	assert.Empty(t, attach.ParseSettings("No available recordings.\n"))
}

func TestRequest(t *testing.T) {
	for _, c := range []struct {
		protocol int
		args     []string
		want     string
	}{
		{1, []string{"properties"}, "1\x00properties\x00\x00\x00\x00"},
		{1, []string{"jcmd", "VM.version"}, "1\x00jcmd\x00VM.version\x00\x00\x00"},
		{2, []string{"properties"}, "2\x0011\x00properties\x00"},
		{2, []string{"jcmd", "a", "", "b", "c"}, "2\x0012\x00jcmd\x00a\x00\x00b\x00c\x00"},
		{2, []string{"jcmd", "é😀"}, "2\x0014\x00jcmd\x00é\xed\xa0\xbd\xed\xb8\x80\x00"},
	} {
		got, err := attach.NewRequest(c.protocol, c.args[0], c.args[1:]...)
		require.NoError(t, err)
		assert.Equal(t, c.want, string(got))
	}
	long := ""
	for len(long) <= attach.MaxArgument1 {
		long += "x"
	}
	_, err := attach.NewRequest(1, "jcmd", long)
	assert.ErrorContains(t, err, "a command of 1025 bytes is too long for a JVM before JDK 24, which takes 1024")
	_, err = attach.NewRequest(1, "jcmd", long[1:])
	assert.NoError(t, err)
	_, err = attach.NewRequest(2, "jcmd", long)
	assert.NoError(t, err)
	for len(long) <= 256<<10 {
		long += long
	}
	_, err = attach.NewRequest(2, "jcmd", long)
	assert.ErrorContains(t, err, "too long for a JVM, which takes 262144")
	_, err = attach.NewRequest(2, "jcmd", "a\x00b")
	assert.ErrorContains(t, err, "zero byte")
}

func TestParseAnswer(t *testing.T) {
	code, text, err := attach.ParseAnswer(7, []byte("-1\nno\nway\n"))
	require.NoError(t, err)
	assert.Equal(t, -1, code)
	assert.Equal(t, "no\nway\n", text)
	for _, answer := range []string{"\n", "0", "x\n", "0 \n", "00000000000000000000000\n", "99999999999999999999\n", "\x00\xff\n"} {
		_, _, err := attach.ParseAnswer(7, []byte(answer))
		assert.ErrorIs(t, err, attach.ErrBadReply, answer)
		assert.ErrorContains(t, err, "process 7")
	}
}

func TestSplitCommand(t *testing.T) {
	for _, c := range []struct {
		args, jvm, program []string
		main               string
	}{
		{nil, nil, nil, ""},
		{[]string{"java"}, []string{}, nil, ""},
		{[]string{"java", "-Xmx1g", "-cp", "a b.jar", "a.Main", "-x"}, []string{"-Xmx1g", "-cp", "a b.jar"}, []string{"-x"}, "a.Main"},
		{[]string{"java", "-jar", "my app.jar", "one"}, []string{}, []string{"one"}, "my app.jar"},
		{[]string{"java", "-jar"}, []string{}, nil, ""},
		{[]string{"java", "-p", "mods", "-m", "m/a.Main"}, []string{"-p", "mods"}, []string{}, "m/a.Main"},
		{[]string{"java", "--module=m/a.Main", "1"}, []string{}, []string{"1"}, "m/a.Main"},
		{[]string{"java", "@opts", "--add-modules", "x", "Main.java"}, []string{"@opts", "--add-modules", "x"}, []string{}, "Main.java"},
	} {
		jvm, main, program := attach.SplitCommand(c.args)
		assert.Equal(t, c.jvm, jvm, c.args)
		assert.Equal(t, c.main, main)
		assert.Equal(t, c.program, program)
	}
}

func TestMainOf(t *testing.T) {
	for _, c := range []struct {
		command     string
		args        []string
		main, whole string
	}{
		{"", nil, "", ""},
		{"a.Main one two", nil, "a.Main", "a.Main one two"},
		{"my app.jar one", []string{"java", "-jar", "my app.jar", "one"}, "my app.jar", "my app.jar one"},
		{"my app.jar", []string{"java", "-jar", "my app.jar"}, "my app.jar", "my app.jar"},
		{"a.Main one", []string{"eclipse", "-x"}, "a.Main", "a.Main one"},
		{"a.Main one", []string{"launcher", "thing"}, "a.Main", "a.Main one"},
		{"", []string{"java", "-Xmx1g", "a.Main", "one"}, "a.Main", "a.Main one"},
		{"jdk.compiler/com.sun.tools.javac.launcher.Main Sleeper.java one", []string{"java", "Sleeper.java", "one"}, "Sleeper.java", "Sleeper.java one"},
		{"jdk.compiler/com.sun.tools.javac.launcher.SourceLauncher Sleeper.java", nil, "Sleeper.java", "Sleeper.java"},
	} {
		main, whole := attach.MainOf(c.command, c.args)
		assert.Equal(t, c.main, main, c.command)
		assert.Equal(t, c.whole, whole)
	}
}

func TestParseCheck(t *testing.T) {
	got := attach.ParseCheck(`Recording 1: name=one maxsize=250.0MB (running)

Recording 2: name=a b (running) 'x duration=3700s maxsize=11.8MB maxage=90s (stopped)

Recording 3: name=two
lines maxage=1s (new)

Recording 4: name= (delayed)

Recording 5: name=x maxsize=1,5kB (closed)
Recording 6: name=y maxsize=12 maxage=7d (running)
Recording 99999999999999999999: name=z (running)
Recording 7: name=broken (dancing)
`)
	mib := func(n float64) int64 { return int64(n * (1 << 20)) }
	assert.Equal(t, []attach.Recording{
		{ID: 1, Name: "one", State: "running", MaxSize: 250 << 20},
		{ID: 2, Name: "a b (running) 'x", State: "stopped", Duration: 3700 * time.Second, MaxSize: mib(11.8), MaxAge: 90 * time.Second},
		{ID: 3, Name: "two\nlines", State: "new", MaxAge: time.Second},
		{ID: 4, State: "delayed"},
		{ID: 5, Name: "x", State: "closed", MaxSize: 1536},
		{ID: 6, Name: "y", State: "running", MaxSize: 12, MaxAge: 168 * time.Hour},
	}, got)
	assert.Empty(t, attach.ParseCheck("No available recordings.\n\nUse jcmd 1 JFR.start to start a recording.\n"))
	assert.Empty(t, attach.ParseCheck(""))
}

func FuzzParseCheck(f *testing.F) {
	f.Add("Recording 1: name=one duration=1s maxsize=250.0MB maxage=2d (running)\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range attach.ParseCheck(text) {
			assert.GreaterOrEqual(t, r.MaxSize, int64(0))
			assert.GreaterOrEqual(t, r.Duration, time.Duration(0))
		}
	})
}
