package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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
		if !longtest.Every(i, 4) || strings.Contains(words, "--verbose") || strings.Contains(q.Recording, "#") {
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
