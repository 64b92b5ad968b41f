package copies_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
)

// TestScrubAsTheJDK compares what both say, and the events that both leave.
func TestScrubAsTheJDK(t *testing.T) {
	home := longtest.JDK25(t)
	// More settings go with us, and types with the same name are counted together.
	settings := regexp.MustCompile(`(?m)^(?:\{"@type":"jdk.ActiveSetting".*|jdk.ActiveSetting .*|gen.Loaders\$Loaded .*)\n`)
	at := folder(t)
	for _, options := range [][]string{
		{"--exclude-events", "jdk.GC*,ObjectAllocationSample"},
		{"--include-events", "ThreadSleep", "--include-threads", "contender*"},
		{"--exclude-categories", "JVM", "--exclude-events", "Nope"},
		{"--include-categories", "Java Application,Nope", "--exclude-events", "*Sample"},
		{"--exclude-events", "jdk.?GC*", "--exclude-events", "jdk.Thread*"},
	} {
		require.NoError(t, os.WriteFile(at("app.jfr"), data(t, "jdk25-profile.jfr"), 0o600))
		words := append(append([]string{"scrub"}, options...), at("app.jfr"), at("copy.jfr"))
		want, err := exec.Command(filepath.Join(home, "bin", "jfr"), words...).CombinedOutput()
		require.NoError(t, err)
		theirs := events(t, at("copy.jfr"))
		ours := output(t, append(words, "--force")...)
		align := regexp.MustCompile(` +(\d+/\d+)`) // the longest name decides
		said.Same(t, []byte(align.ReplaceAllString(settings.ReplaceAllString(string(want), ""), " $1")),
			[]byte(align.ReplaceAllString(settings.ReplaceAllString(ours, ""), " $1")))
		said.Same(t, []byte(settings.ReplaceAllString(theirs, "")), []byte(settings.ReplaceAllString(events(t, at("copy.jfr")), "")))
	}
}

// TestJDKReadsCopies compares what the JDK prints of copies with what mjfr prints, and, where nothing is taken out, with
// what the JDK prints of the recording.
func TestJDKReadsCopies(t *testing.T) {
	longtest.JVM(t)
	at := folder(t)
	profile, chunks, oldObjects := clitest.File("jdk25-profile.jfr"), clitest.File("jdk17-chunks.jfr"), clitest.File("jdk17-oldobjects.jfr")
	b := jfrtest.NewChunk()
	ty := b.Event("test.Event", jfrtest.EventThread())
	b.Constant("java.lang.Thread", 1, "os", 1, "main", 1, 0, false)
	b.Emit(ty, 1_000_500, 1)
	b.Checkpoint(0).Pool("java.lang.Thread")
	empty := filepath.Join(t.TempDir(), "empty-pool.jfr") // async-profiler and native images write such ones
	require.NoError(t, os.WriteFile(empty, b.Bytes(), 0o600))
	for _, c := range [][]string{
		{"slice", "--from", "0%", empty}, {"scrub", "--exclude-events", "none", empty}, {"assemble", filepath.Dir(empty)},
		{"slice", "--from", "1s", "--to", "3s", profile}, {"slice", "--only", "--events", "Object*", profile}, {"compact", profile},
		{"compact", chunks}, {"convert", oldObjects},
		{"slice", "--from", "0%", clitest.File("concat-jdk17-jdk25.jfr")}, {"scrub", "--exclude-events", "none", clitest.File("concat-jdk17-jdk25.jfr")},
		{"slice", "--from", "10%", profile, clitest.File("jdk17-profile.jfr")},
		{"merge", clitest.File("jdk17-profile.jfr"), profile}, {"merge", "--label", "none", chunks, clitest.File("jdk25-chunks.jfr")},
	} {
		t.Run(strings.Join(c[:2], " "), func(t *testing.T) {
			code, _, stderr := mjfr(t, append(c, "--force", at("copy.jfr"))...) // the second recording may be before the first
			require.Equal(t, cli.ExitOK, code, stderr)
			copied, err := os.ReadFile(at("copy.jfr"))
			require.NoError(t, err)
			whole := said.Now(t, copied, "print", "--json")
			said.Same(t, []byte(whole), []byte(output(t, "print", "--json", at("copy.jfr"))))
			if (c[0] == "compact" || c[0] == "convert") && c[1] != chunks { // it reads later chunks by the first one's clock
				recording, err := os.ReadFile(c[len(c)-1])
				require.NoError(t, err)
				said.Same(t, []byte(said.Now(t, recording, "print", "--json")), []byte(whole))
			}
			assert.NotEmpty(t, said.Now(t, copied, "summary"))
			assert.NotEmpty(t, said.Now(t, copied, "view", "recording"))
		})
	}
}

// TestJDKReadsPartsOfManyChunks has copies of which one chunk is made anew and the next one is copied, or made anew, too:
// the JDK takes constants of one for those of the other, by their keys.
func TestJDKReadsPartsOfManyChunks(t *testing.T) {
	longtest.JVM(t)
	at := folder(t)
	times := regexp.MustCompile(`"\d{4}-\d\d-\d\dT[^"]*"|"PT[^"]*"`) // it reads all by the first chunk's clock
	for _, c := range [][]string{
		{"slice", "--from", "10%", clitest.File("jdk25-chunks.jfr")}, {"slice", "--to", "90%", clitest.File("jdk17-chunks.jfr")},
		{"scrub", "--exclude-events", "gen.Chunks$OnlyFirst", clitest.File("jdk25-chunks.jfr")},
		{"convert", clitest.File("jdk25-chunks.jfr")}, {"compact", "--chunk-size", "64kB", clitest.File("jdk17-profile.jfr")},
	} {
		output(t, append(c, "--force", at("copy.jfr"))...)
		copied, err := os.ReadFile(at("copy.jfr"))
		require.NoError(t, err)
		want := times.ReplaceAllString(said.Now(t, copied, "print", "--json", "--stack-depth", "64"), "")
		said.Same(t, []byte(want), []byte(times.ReplaceAllString(output(t, "print", "--json", "--stack-depth", "64", at("copy.jfr")), "")))
	}
}
