package jvmtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// jvmFlush is the shortest interval at which a JVM flushes.
const jvmFlush = time.Second

// Options say how a JVM is started and what it does. The zero Options are a JVM of
// the newest JDK with a recording of [LoadSettings], that commits nothing until told.
type Options struct {
	// Major is the version of the JDK; 0 for the newest there is.
	Major int

	// Base is the folder in which the JVM makes its repository; a temporary one if
	// it is empty. Like all paths here it must not have a comma.
	Base string
	// NoRecording starts the JVM without a recording, and so without a repository.
	NoRecording bool
	// Recording has more of the recording's options, such as maxage=2s,maxsize=5m.
	Recording string
	// FlushInterval is how often events are made readable; 0 for the JDK's own, one second. As the
	// JVM takes no less, the program flushes then, too. It counts in whole milliseconds.
	FlushInterval time.Duration
	// MaxChunkSize in bytes begins a new chunk; 0 for the JDK's own, 12 MB. The JVM
	// wants 1 MiB at least, and looks about each second.
	MaxChunkSize int64
	// Dump is a file to which the recording is written at a normal exit.
	Dump string
	// JVM has further options of java.
	JVM []string

	// Threads commit together Rate events mmapjfr.Tick a second; 0 threads are one.
	Threads int
	Rate    float64
	// Busy adds threads that allocate, contend, throw and collect garbage, so that
	// events of the JDK come, too.
	Busy bool
	// New adds to them threads, classes, stacks and texts that were never before.
	New bool
	// Duration ends the JVM; 0 leaves it running until the command to exit.
	Duration time.Duration
}

// LoadSettings writes the settings that a JVM has by default to a file, and returns
// its path: events of the JDK that say nothing of the machine or its user.
func LoadSettings(t testing.TB) string {
	t.Helper()
	path := filepath.Join(folder(t), "load.jfc")
	if err := os.WriteFile(path, source(t, "load.jfc"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// folder returns a temporary folder without a comma in its path, which ends an option
// of JFR. Those of t.TempDir have the name of the test in theirs.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "jvmtest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // nothing of use is left there
	return dir
}

// arguments returns what java is called with.
func (o *Options) arguments(t testing.TB, classPath string) []string {
	t.Helper()
	if strings.Contains(o.Base+o.Dump, ",") {
		t.Fatal("jvmtest: JFR takes no path with a comma, which may come from the name of the test")
	}
	args := []string{
		"-XX:+UseSerialGC", "-Xms64m", "-Xmx128m", "-XX:TieredStopAtLevel=1",
		"--add-opens", "jdk.jfr/jdk.jfr.internal=ALL-UNNAMED",
		"-Duser.language=en", "-Duser.country=US",
	}
	args = append(args, o.JVM...)
	recorder := []string{"repository=" + o.Base}
	if o.MaxChunkSize != 0 {
		recorder = append(recorder, fmt.Sprintf("maxchunksize=%d", o.MaxChunkSize))
	}
	args = append(args, "-XX:FlightRecorderOptions:"+strings.Join(recorder, ","))
	if !o.NoRecording {
		args = append(args, "-XX:StartFlightRecording:"+strings.Join(o.recording(t), ","))
	}
	busy := "calm"
	if o.Busy {
		busy = "busy"
	}
	if o.New {
		busy = "new"
	}
	flush := int64(0)
	if o.FlushInterval < jvmFlush {
		flush = o.FlushInterval.Milliseconds()
	}
	return append(args, "-cp", classPath, "mmapjfr.Load",
		strconv.Itoa(max(o.Threads, 1)), strconv.FormatFloat(o.Rate, 'f', -1, 64),
		strconv.FormatInt(o.Duration.Milliseconds(), 10), busy, strconv.FormatInt(flush, 10))
}

func (o *Options) recording(t testing.TB) []string {
	t.Helper()
	options := []string{"name=load", "settings=" + LoadSettings(t)}
	if o.FlushInterval >= jvmFlush {
		options = append(options, fmt.Sprintf("flush-interval=%dms", o.FlushInterval.Milliseconds()))
	}
	if o.Dump != "" {
		options = append(options, "dumponexit=true", "filename="+o.Dump)
	}
	if o.Recording != "" {
		options = append(options, o.Recording)
	}
	return options
}
