package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/cmd/jfrbench/internal/peers"
)

// peerReader is a reader of recordings and the works that it does. A new one needs a class that
// extends Peers.Reader, and an entry in readers.
type peerReader struct {
	name     string     // as -readers names it
	class    string     // in package peers
	jars     []artifact // of the reader, which come first, and of what it needs; none for what is in the JDK
	contests []contest
}

// readers are the readers in their order.
var readers = []peerReader{
	{name: "jdk", class: peers.JDKReader, contests: []contest{
		{work: "summary", peer: "jfr summary",
			note: "The JDK reads the frames of the events in one thread and decodes no field. jfrbench decodes none either, on all processors."},
		{work: "count", peer: "RecordingFile",
			note: "The JDK makes an object of each event with all its values, and of each constant once a chunk, in one thread. " +
				"jfrbench finds every field and checks that it lies inside the event, and decodes none, on all processors."},
		{work: "read", peer: "RecordingFile",
			note: "The JDK does the same as for count, and getValue is called for each field by name: a reference gives an object, " +
				"and what is inside that is not looked at. jfrbench decodes every field, and looks up which constant it refers to, in batches on all processors."},
		{work: "type", peer: "EventStream",
			note: "The JDK skips events of other types and uses its event objects again, but makes objects of all constants of each chunk, " +
				"in one thread. jfrbench skips events of other types and reads no constants."},
	}},
	{name: "jmc", class: peers.JMCReader, jars: jmcJars, contests: []contest{
		{work: "count", peer: "JMC",
			note: "JMC loads all chunks, several at once, makes an object of each event with all its values and keeps it until the end; " +
				"then the events are counted one by one. jfrbench does what is said above of count."},
		{work: "read", peer: "JMC",
			note: "JMC does the same as for count, and then the accessor of each field is called. jfrbench does what is said above of read."},
		{work: "type", peer: "JMC",
			note: "JMC leaves out events of other types while it loads, but makes objects of all constants of each chunk. " +
				"jfrbench does what is said above of type."},
	}},
}

// workNames are the works in their order.
var workNames = []string{"summary", "count", "read", "type"}

// readerNames returns the names of the readers, in their order.
func readerNames() (names []string) {
	for _, r := range readers {
		names = append(names, r.name)
	}
	return names
}

// measure has a reader do its works in turn with jfrbench, those that were asked for.
func (r peerReader) measure(ctx context.Context, s sides, o peersOptions, progress io.Writer) (rows []contest) {
	rows = slices.DeleteFunc(slices.Clone(r.contests), func(c contest) bool { return !slices.Contains(o.works, c.work) })
	if len(rows) == 0 {
		return nil
	}
	version := s.version
	if len(r.jars) > 0 {
		version = r.jars[0].version
	}
	path, missing := s.classPath(r.jars)
	var broken error
	if missing == nil {
		broken = s.compile(ctx, path, peers.Main, r.class)
	}
	for i := range rows {
		c := &rows[i]
		c.version, c.missing = version, missing
		if c.work != "summary" { // that is a command
			c.err = broken
		}
		if c.missing == nil && c.err == nil && ctx.Err() == nil {
			fmt.Fprintf(progress, "measuring %s with %s\n", c.work, c.peer)
			c.hold(o.runs, func() (lap, error) { return s.theirs(ctx, path, r.class, c.work) }, func() (lap, error) { return s.ours(ctx, c.work) })
		}
	}
	return rows
}

// jmcJars are JMC's reader and what it needs.
var jmcJars = []artifact{
	{"org.openjdk.jmc", "flightrecorder", "9.1.1"}, {"org.openjdk.jmc", "common", "9.1.1"},
	{"org.owasp.encoder", "encoder", "1.2.3"}, {"org.lz4", "lz4-java", "1.8.0"},
}

// artifact is a jar by its names on Maven Central.
type artifact struct{ group, name, version string }

// in returns the path of the jar in a repository of Maven. The error says how to get it.
func (a artifact) in(repository string) (string, error) {
	folders := append([]string{repository}, strings.Split(a.group, ".")...)
	jar := filepath.Join(append(folders, a.name, a.version, a.name+"-"+a.version+".jar")...)
	if _, err := os.Stat(jar); err != nil {
		return "", fmt.Errorf("%s is missing; mvn dependency:get -Dartifact=%s:%s:%s fetches it", jar, a.group, a.name, a.version)
	}
	return jar, nil
}

// mavenRepository returns the folder where Maven keeps jars, the one of the flag if there is one.
func mavenRepository(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("the repository of Maven is not known, and -maven names it")
	}
	return filepath.Join(home, ".m2", "repository"), nil
}

// classPath returns the class path of the compiled classes and some jars. The error names the
// first jar that is missing; the first of a list brings the others.
func (s sides) classPath(jars []artifact) (string, error) {
	path := []string{s.classes}
	for _, a := range jars {
		jar, err := a.in(s.repository)
		if err != nil {
			return "", err
		}
		path = append(path, jar)
	}
	return strings.Join(path, string(filepath.ListSeparator)), nil
}

// compile compiles classes of package peers into the folder of classes.
func (s sides) compile(ctx context.Context, classPath string, classes ...string) error {
	args := []string{"-cp", classPath, "-encoding", "UTF-8", "-d", s.classes}
	for _, class := range classes {
		file := filepath.Join(s.classes, class+".java")
		if err := os.WriteFile(file, peers.Source(class), 0o600); err != nil {
			return err
		}
		args = append(args, file)
	}
	if _, _, err := timed(s.command(ctx, "javac", args...)); err != nil {
		return fmt.Errorf("%s could not be compiled: %w", strings.Join(classes, " and "), err)
	}
	return nil
}
