package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
)

// otherViews are questions whose answers differ from those of the JDK, with the reason. DIFFERENCES.md has
// all reasons.
var otherViews = map[string]string{
	"concat-jdk17-jdk25.jfr all-events":                            "the JDK knows the types of the first chunk only",
	"concat-jdk17-jdk25.jfr all-views":                             "the JDK knows the types of the first chunk only",
	"concat-jdk17-jdk25.jfr types":                                 "the JDK knows the types of the first chunk only",
	"concat-jdk25-jdk25.jfr all-events":                            "several chunks",
	"concat-jdk25-jdk25.jfr all-views":                             "types with the same name",
	"concat-jdk25-jdk25.jfr types":                                 "several chunks",
	"jdk17-chunks.jfr all-events":                                  "types with the same name",
	"jdk17-chunks.jfr all-views":                                   "fields that JDK 17 does not have",
	"jdk17-empty.jfr all-views":                                    "fields that JDK 17 does not have",
	"jdk17-flushed.jfr all-views":                                  "fields that JDK 17 does not have",
	"jdk17-kinds.jfr all-events":                                   "the JDK gives up",
	"jdk17-kinds.jfr all-views":                                    "fields that JDK 17 does not have",
	"jdk17-oldobjects.jfr all-views":                               "fields that JDK 17 does not have",
	"jdk17-profile.jfr all-events":                                 "types with the same name",
	"jdk17-profile.jfr all-views":                                  "fields that JDK 17 does not have",
	"jdk17-strings.jfr all-events":                                 "halves of characters",
	"jdk17-strings.jfr all-views":                                  "fields that JDK 17 does not have",
	"jdk25-chunks.jfr all-events":                                  "types with the same name",
	"jdk25-chunks.jfr all-views":                                   "types with the same name",
	"jdk25-kinds.jfr ActiveSetting":                                "labels that are empty",
	"jdk25-kinds.jfr all-events":                                   "the JDK gives up",
	"jdk25-kinds.jfr all-views":                                    "labels that are empty",
	"jdk25-kinds.jfr gen.KindEvents$Primitives":                    "characters that are no letters",
	"jdk25-kinds.jfr gen.KindEvents$Instants":                      "times beyond 292 years",
	"jdk25-kinds.jfr gen.Übung.名前":                                 "labels that are empty",
	"jdk25-profile.jfr all-events":                                 "types with the same name",
	"jdk25-profile.jfr all-views":                                  "types with the same name",
	"jdk25-profile.jfr recording":                                  "types with the same name",
	"jdk25-profile.jfr --cell-height 3 all-views":                  "types with the same name",
	"jdk25-profile.jfr --width 60 all-views":                       "types with the same name",
	"jdk25-profile.jfr --width 200 --truncate beginning all-views": "types with the same name",
	"jdk25-strings.jfr all-events":                                 "halves of characters",
}

// TestViewAsTheJDK compares mjfr view with what jfr view of JDK 25 says of testdata, word for word.
func TestViewAsTheJDK(t *testing.T) {
	for i, q := range said.ViewQuestions() {
		words := strings.Join(q.Words, " ")
		if !longtest.Every(i, 8) || strings.Contains(words, "--verbose") || strings.Contains(q.Recording, "#") {
			continue // the statements of --verbose are ours; a chunk has no file
		}
		want := said.View(t, q.Recording, q.Words...)
		file := filepath.Join("..", "..", "testdata", q.Recording)
		_, got, _ := mjfrCommand(t, append(append([]string{"view", "--utc"}, q.Words...), file)...)
		if reason, other := otherViews[q.Recording+" "+words]; other {
			assert.NotEqual(t, string(want.Out), got, "%s %s is equal, although: %s", q.Recording, words, reason)
		} else if want.Refusal == "" {
			assert.Equal(t, string(want.Out), got, "%s %s", q.Recording, words)
		}
	}
}

// TestTiesAsTheJDK compares all views of fresh recordings, in which many rows are equal. What JDK 25 refuses of a recording
// of JDK 17 is left out.
func TestTiesAsTheJDK(t *testing.T) {
	for _, major := range []int{17, 25} {
		file := filepath.Join(t.TempDir(), "ties.jfr")
		jvmtest.Ties(t, major, file)
		data := longtest.Read(t, file)
		for _, view := range []string{
			"all-views", "--width 60 --truncate beginning all-views", "--width 300 --cell-height 1 all-views", "all-events", "types",
		} {
			words := append([]string{"view"}, strings.Fields(view)...)
			_, got, _ := mjfrCommand(t, append(words, "--utc", file)...)
			for _, want := range strings.Split(said.Now(t, data, words...), "\n\n") {
				if strings.Contains(want, "Missing event found") {
					continue
				}
				_, after, found := strings.Cut(got, want)
				require.True(t, found, "JDK %d %s: not there, or not in this place:\n%s", major, view, want)
				got = after
			}
		}
	}
}

// TestOwnViewsWithTakenNames reads views from the folder of a user's settings and from files.
func TestOwnViewsWithTakenNames(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home [a]")
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home) // on Windows
	dir := filepath.Join(home, ".config")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "mjfr"), 0o700))
	own := filepath.Join(dir, "mjfr", "own.views")
	require.NoError(t, os.WriteFile(own, []byte("view: mine\nselect count(*) 'Own' from CPULoad"), 0o600))
	other := filepath.Join(dir, "other.views")
	require.NoError(t, os.WriteFile(other, []byte("view: Mine\nselect count(*) 'Other' from CPULoad"), 0o600))
	file := filepath.Join("..", "..", "testdata", "jdk25-profile.jfr")
	_, out, _ := mjfrCommand(t, "view", "mine", file)
	assert.Contains(t, out, "Own")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	_, _, said := mjfrCommand(t, "view", "mine", file)
	assert.Contains(t, said, "no view or event type mine")
	t.Setenv("XDG_CONFIG_HOME", dir)
	_, out, said = mjfrCommand(t, "view", "-f", other, "mine", file)
	assert.Contains(t, out, "Other")
	assert.Contains(t, said, "own.views: the view mine is left out: a file before has one with this name")
	require.NoError(t, os.WriteFile(own, []byte("view: All-Views\nselect count(*) from CPULoad"), 0o600))
	code, _, said := mjfrCommand(t, "view", "all-views", file)
	assert.NotZero(t, code)
	assert.Contains(t, said, "own.views: no view can be called All-Views, which mjfr view shows itself; give it another name")
}
