package redact

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// parsed returns a Redactor with rules and a key of zeros.
func parsed(t testing.TB, rules ...string) *Redactor {
	t.Helper()
	r, err := Parse("test", strings.NewReader(strings.Join(rules, "\n")))
	require.NoError(t, err)
	return New(r, Key{})
}

// fields are values of an event.
type fields map[string]string

func (f fields) Text(name string) (string, bool) {
	text, ok := f[name]
	return text, ok
}

func (f fields) Previous() (string, bool) { return "", false }

func (f fields) Context() context.Context { return context.Background() }

func (f fields) Memo() rewrite.Memo { return nil }

// edited returns what becomes of a text of an event.
func edited(r *Redactor, typ, field, text string, others fields) string {
	edit := r.Text(rewrite.Place{Type: typ, Field: field, Event: true})
	if edit == nil {
		return text
	}
	text, _ = edit(text, others)
	return text
}

func TestWrongRules(t *testing.T) {
	for rule, want := range map[string]string{
		"erase email":              `"erase" is not an action; actions are remove, blank`,
		"constant":                 "what does constant apply to?",
		"constant mail":            `"mail" is not a kind; kinds are a /pattern/, event, field, secret`,
		"constant /a(/":            "the pattern is wrong",
		"constant /a":              "a pattern does not end",
		`constant "a email`:        "a quoted text does not end",
		"constant /a*/":            "matches the empty text",
		"blank field":              "field needs a place",
		"blank event jdk.X":        "remove is for whole events",
		"remove email":             "remove is for whole events",
		"remove event jdk.X:y":     "name no field",
		"stay email":               "stay is for whole fields",
		"constant classes":         "classes can only get pseudonyms",
		"blank email from jdk.X":   `"from" is not expected here`,
		"blank email when a=b":     `"when" is not expected here`,
		"blank field a:b when c":   "a condition is FIELD=GLOB,GLOB",
		"learn dog jdk.X:y":        `"dog" cannot be learned`,
		"learn user jdk.X":         "name the field to learn from",
		"learn user":               "learn needs a kind and a place",
		"secret-keys":              "secret-keys needs globs",
		"pseudonym field a as cat": `a pseudonym cannot be one as "cat"`,
	} {
		_, err := Parse("my.rules", strings.NewReader("# a comment\n\n"+rule))
		if assert.Error(t, err, rule) {
			assert.True(t, strings.HasPrefix(err.Error(), "my.rules:3: "+want) || strings.Contains(err.Error(), want), "%s: %v", rule, err)
			assert.Contains(t, err.Error(), "my.rules:3: ")
		}
	}
	_, err := Parse("two", strings.NewReader("x\ny"))
	assert.ErrorContains(t, err, "two:1:")
	assert.ErrorContains(t, err, "two:2:")
}

func TestActions(t *testing.T) {
	for rule, want := range map[string]string{
		`blank email`:                                   "mail  now",
		`constant email`:                                "mail [REDACTED] now",
		`constant "a \"b\"" email # c`:                  `mail a "b" now`,
		`hash email`:                                    "mail #1f94d15434a92aa2 now",
		`generalise email`:                              "mail [email] now",
		`constant /m[a-z]il\b/`:                         "[REDACTED] ann@acme.com now",
		`constant email in jdk.*`:                       "mail ann@acme.com now",
		`constant email in jdk.*,test.*`:                "mail [REDACTED] now",
		`constant email in test.E:te?t`:                 "mail [REDACTED] now",
		`blank field test.*`:                            "",
		`constant field test.E:text`:                    "[REDACTED]",
		`constant field test.E:other`:                   "mail ann@acme.com now",
		`stay field *` + "\nconstant email":             "mail ann@acme.com now",
		"search field *\nblank field *\nconstant email": "mail [REDACTED] now",
		"blank field * when key=nothing\nconstant field * when key=K*": "[REDACTED]",
	} {
		assert.Equal(t, want, edited(parsed(t, rule), "test.E", "text", "mail ann@acme.com now", fields{"key": "key"}), rule)
	}
	for rule, want := range map[string]int64{
		"blank field jdk.X:port": 0, "constant \"7\" field jdk.X:port": 7, "generalise field X": 8000, "constant field jdk.X:port": 0,
	} {
		assert.Equal(t, want, parsed(t, rule).Number(rewrite.Place{Type: "jdk.X", Field: "port"})(8443), rule)
	}
	r := parsed(t, "pseudonym field jdk.X:port", "blank field jdk.Y when a=b", "constant email")
	n := r.Number(rewrite.Place{Type: "jdk.X", Field: "port"})
	assert.NotEqual(t, int64(8443), n(8443))
	assert.Less(t, n(8443), int64(8192))
	assert.Equal(t, n(8443), n(8443))
	assert.Nil(t, r.Number(rewrite.Place{Type: "jdk.Y", Field: "port"}))
	assert.True(t, parsed(t, "remove event jdk.Init*,X").Drops("jdk.InitialEnvironmentVariable"))
	assert.False(t, parsed(t, "remove event jdk.Init*,X").Drops("jdk.Y"))
}

// TestPseudonyms: a pseudonym says of what kind a text was, and is the same wherever the text is.
func TestPseudonyms(t *testing.T) {
	r := New(Default(), Key{})
	for text, want := range map[string]string{
		"ann@acme.com":                `^user-[a-z2-7]{8}@host-[a-z2-7]{8}$`,
		"10.1.2.3":                    `^ip-10\.1-[a-z2-7]{8}$`,
		"2001:db8::7":                 `^ip-2001:db8-[a-z2-7]{8}$`,
		"/home/ann/work/plan.xlsx":    `^/home/user-[a-z2-7]{8}/dir-[a-z2-7]{8}/file-[a-z2-7]{8}\.xlsx$`,
		`C:\Users\ann\work\plan.xlsx`: `^C:\\Users\\user-[a-z2-7]{8}\\dir-[a-z2-7]{8}\\file-[a-z2-7]{8}\.xlsx$`,
		"see http://db7:80/x":         `^see http://host-[a-z2-7]{8}:80/x$`,
	} {
		got := edited(r, "test.E", "text", text, nil)
		assert.Regexp(t, want, got)
		assert.Equal(t, got, edited(r, "test.F", "text", text, nil))
		assert.Equal(t, got, edited(r, "test.E", "text", got, nil), "it is not found again")
	}
	assert.Equal(t, edited(r, "jdk.SocketRead", "host", "db7", nil), regexp.MustCompile(`host-.{8}`).FindString(edited(r, "test.E", "text", "http://DB7/", nil)))
	assert.Equal(t, "localhost", edited(r, "jdk.SocketRead", "host", "localhost", nil))
	other := New(Default(), RandomKey())
	assert.NotEqual(t, edited(r, "test.E", "text", "10.1.2.3", nil), edited(other, "test.E", "text", "10.1.2.3", nil))
}

// TestSecretsByName: the key of an event says that its value is a secret.
func TestSecretsByName(t *testing.T) {
	r := New(Default(), Key{})
	assert.Equal(t, Marker, edited(r, "jdk.InitialSystemProperty", "value", "hunter2", fields{"key": "db.Password"}))
	assert.Equal(t, "hunter2", edited(r, "jdk.InitialSystemProperty", "value", "hunter2", fields{"key": "db.name"}))
	assert.Equal(t, "false", edited(r, "jdk.InitialSystemProperty", "value", "false", fields{"key": "authenticate"}))
	assert.Equal(t, Marker, edited(r, "jdk.StringFlag", "value", "hunter2", fields{"name": "KeyStorePassword"}))
	assert.Equal(t, Marker, edited(r, "jdk.InitialEnvironmentVariable", "value", "anything", fields{"key": "ANYTHING"}))
	assert.Equal(t, "en_US", edited(r, "jdk.InitialEnvironmentVariable", "value", "en_US", fields{"key": "LANG"}))
	assert.Equal(t, "-Dx=1 -Dtoken="+Marker, edited(r, "jdk.InitialEnvironmentVariable", "value", "-Dx=1 -Dtoken=abc", fields{"key": "JAVA_TOOL_OPTIONS"}))
}

// TestMarksHideNothing: a secret that begins as the text of a rule is one all the same.
func TestMarksHideNothing(t *testing.T) {
	r := New(Default(), Key{})
	for _, secret := range []string{"?abc", "[REDACTED]abc", "HostName:x", "user-abcdefgh"} {
		assert.Equal(t, "password=[REDACTED]", edited(r, "test.E", "text", "password="+secret, nil))
	}
}

// TestAdd: rules that are added decide first, and keys are added, or new.
func TestAdd(t *testing.T) {
	with := func(text string) *Redactor {
		own, err := Parse("own", strings.NewReader(text))
		require.NoError(t, err)
		rules := Default()
		rules.Add(own)
		return New(rules, Key{})
	}
	assert.Equal(t, "db7", edited(with("stay field jdk.SocketRead:host"), "jdk.SocketRead", "host", "db7", nil))
	assert.Equal(t, "badge=[REDACTED] password=[REDACTED]", edited(with("secret-keys *badge*"), "test.E", "text", "badge=a1 password=b2", nil))
	assert.Equal(t, "badge=[REDACTED] password=b2", edited(with("secret-keys none *badge*"), "test.E", "text", "badge=a1 password=b2", nil))
}

func TestKeyFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	k, err := ReadKey(path)
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Zero(t, info.Mode().Perm()&0o077)
	again, err := ReadKey(path)
	require.NoError(t, err)
	assert.Equal(t, k, again)
	require.NoError(t, os.WriteFile(path, []byte("no key"), 0o600))
	_, err = ReadKey(path)
	assert.ErrorContains(t, err, "it has no key")
	assert.NotContains(t, err.Error(), "no key\n")
}

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		glob, text string
		want       bool
	}{
		{"*", "", true}, {"a*c", "abbc", true}, {"a*c", "abcd", false}, {"*b*", "abc", true}, {"a?c", "abc", true}, {"a?c", "ac", false}, {"", "", true}, {"a**", "a", true},
		{"*a*b", "aab", true}, {"jdk.*", "jdk", false},
	} {
		assert.Equal(t, c.want, matchGlob(c.glob, c.text), "%s %s", c.glob, c.text)
	}
}

// TestPage reads the rules of docs/REDACT.md, which names all actions and kinds.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/REDACT.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```rules\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, 2)
	for _, b := range blocks {
		_, err := Parse("REDACT.md", strings.NewReader(b[1]))
		assert.NoError(t, err)
	}
	for _, name := range append(verbs, kindNames[kindSecret:]...) {
		assert.True(t, strings.Contains(string(page), "`"+name), name)
	}
}

// TestOddFiles: rules with a byte order mark are read; a line that is too long is an error in our words; a key is short.
func TestOddFiles(t *testing.T) {
	r, err := Parse("my.rules", strings.NewReader("\ufeffconstant email\n"))
	require.NoError(t, err)
	assert.Len(t, r.list, 1)
	_, err = Parse("my.rules", strings.NewReader("constant email\n# "+strings.Repeat("x", maxRuleLine)))
	assert.EqualError(t, err, "my.rules:2: the line has more than 65536 bytes")

	long := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(long, []byte(strings.Repeat("0", 64)+strings.Repeat(" ", 4<<10)), 0o600))
	_, err = ReadKey(long)
	require.NoError(t, err, "blanks after the key")
	require.NoError(t, os.WriteFile(long, []byte(strings.Repeat("0", 1<<20)), 0o600))
	_, err = ReadKey(long)
	assert.ErrorContains(t, err, "it has no key")
}
