package said

import (
	"regexp"
	"testing"
)

// executions are the lines that say how long a view took.
var executions = regexp.MustCompile(`(?m)^Execution: .*$`)

// View is [Of] for jfr view: the words are its options and the name of a view. The lines
// that say how long it took are "Execution: ".
func View(t testing.TB, recording string, words ...string) Answer {
	t.Helper()
	a := Of(t, recording, append([]string{"view"}, words...)...)
	a.Out = executions.ReplaceAll(a.Out, []byte("Execution: "))
	return a
}

// ViewQuestion is a question to jfr view.
type ViewQuestion struct {
	Recording string
	Words     []string
}

// ViewQuestions are the questions whose answers are kept. The views of all recordings, or chunks
// of those that jfr does not read, are kept as one answer, and so are all their events.
func ViewQuestions() (list []ViewQuestion) {
	ask := func(recording string, words ...string) {
		list = append(list, ViewQuestion{recording, words})
	}
	for _, name := range viewed {
		ask(name, "all-views")
		ask(name, "all-events")
		ask(name, "types")
	}
	const profile, cpu, kinds = "jdk25-profile.jfr", "jdk25-cputime.jfr", "jdk25-kinds.jfr"
	ask(profile, "--width", "60", "all-views")
	ask(profile, "--width", "200", "--truncate", "beginning", "all-views")
	ask(profile, "--cell-height", "3", "all-views")
	ask(cpu, "--verbose", "all-views")
	ask(cpu, "--verbose", "--width", "72", "--cell-height", "2", "--truncate", "beginning", "all-views")
	ask(cpu, "--width", "10", "all-views")
	for _, one := range []string{"FileRead", "jdk.GarbageCollection", "ExecutionSample", "hot-methods", "GC", "recording", "jvm-information", "nonsense"} {
		ask(profile, one)
		ask(profile, "--verbose", "--cell-height", "5", "--width", "90", one)
	}
	for _, one := range kindsOfEvents {
		ask(kinds, one)
	}
	ask(kinds, "--verbose", "--cell-height", "4", "--width", "60", "gen.KindEvents$References")
	ask(kinds, "--width", "40", "--truncate", "beginning", "Some_Name$1")
	return list
}

// viewed are the recordings of testdata, or chunks of them. Jfr waits without end for the rest of a
// recording that is unfinished.
var viewed = []string{
	"jdk17-chunks.jfr", "jdk17-empty.jfr", "jdk17-flushed.jfr", "jdk17-kinds.jfr", "jdk17-live.jfr#0", "jdk17-oldobjects.jfr",
	"jdk17-profile.jfr", "jdk17-strings.jfr", "jdk25-chunks.jfr", "jdk25-chunks.jfr#1", "jdk25-cputime.jfr", "jdk25-empty.jfr",
	"jdk25-flushed.jfr", "jdk25-killed.jfr#0", "jdk25-kinds.jfr", "jdk25-live-2.jfr#0", "jdk25-oldobjects.jfr", "jdk25-profile.jfr",
	"jdk25-strings.jfr", "jdk25-virtual.jfr", "concat-jdk17-jdk25.jfr", "concat-jdk25-jdk25.jfr",
}

// kindsOfEvents are event types of jdk25-kinds.jfr. Jfr fails for all at once, because it fails
// for one of them.
var kindsOfEvents = []string{
	"gen.KindEvents$Primitives", "gen.KindEvents$Instants", "gen.KindEvents$Spans", "gen.KindEvents$Measures",
	"gen.KindEvents$UnsignedNumbers", "gen.Throttled", "gen.KindEvents$References", "gen.KindEvents$Nothing", "gen.Trace",
	"gen.Dynamic", "Derived", "gen.named.Some_Name$1", "gen.Übung.名前", "JavaAgent", "ActiveSetting",
}
