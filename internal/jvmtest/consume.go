package jvmtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// ConsumeOptions say what the JDK's stream does. The zero options are a stream as
// EventStream.openRepository makes it, of all types, without a sample.
type ConsumeOptions struct {
	// Epoch sets the start time to 1970, so that all there is in the repository is
	// delivered as well.
	Epoch bool
	// Unordered takes the events as they lie in the file.
	Unordered bool
	// Types are those that are subscribed to; none for all.
	Types []string
	// Every writes down one event of this number; 0 none. See [Sampled].
	Every uint64
	// Idle ends the stream when it has had no flush for so long after its first one. 0 leaves that
	// to the stream, which ends with the JVM but not if that is killed, and to Stop.
	Idle time.Duration
}

// Consumed is what the JDK's stream delivered.
type Consumed struct {
	Counts  map[string]uint64 // events by type
	Flushes uint64            // calls of onFlush
	// Delays are how long the last mmapjfr.Tick of each flush had been committed when
	// it was delivered. The wait for the flush is part of it.
	Delays []time.Duration
	// Failures are what onError was called with.
	Failures []string
	// CPU is the time of all processors that the process took while it streamed,
	// without the start of its JVM.
	CPU time.Duration
	// Sample are, with times by the clock of their own chunk, where the JDK's stream takes that of
	// the first for all, the canonical texts (package oracle) of the events in the sample, and how
	// often each occurs.
	Sample map[string]int
}

// Events returns how many events of all types were delivered.
func (c *Consumed) Events() (n uint64) {
	for _, count := range c.Counts {
		n += count
	}
	return n
}

// Consumer is a running EventStream of the JDK, in a process of its own.
type Consumer struct {
	process
	t      testing.TB
	dir    string
	sample bool
}

// StartConsumer starts the EventStream of a JDK 25 on a repository that there must be, and returns
// when the stream has been started. It is killed at the end of the test if it still runs.
func StartConsumer(t testing.TB, repository string, o ConsumeOptions) *Consumer {
	t.Helper()
	kit := Need(t, jdk.JudgeMajor)
	c := &Consumer{t: t, dir: t.TempDir(), sample: o.Every > 0}
	c.start(t, kit, o.arguments(classes(t, kit), repository, c.dir))
	t.Cleanup(func() { _ = c.cmd.Process.Kill(); _ = c.cmd.Wait() }) // both fail if it has ended
	if !c.out.Scan() || c.out.Text() != "started" {
		_ = c.cmd.Wait()
		t.Fatalf("the JDK's stream does not start but says %q\n%s", c.out.Text(), c.stderr.String())
	}
	return c
}

func (o *ConsumeOptions) arguments(classPath, repository, dir string) []string {
	types := "-"
	if len(o.Types) > 0 {
		types = strings.Join(o.Types, ",")
	}
	args := []string{
		"-XX:+UseSerialGC", "-Duser.timezone=UTC", "-Duser.language=en", "-Duser.country=US",
		"--add-opens", "jdk.jfr/jdk.jfr.internal.tool=ALL-UNNAMED",
		"--add-opens", "jdk.jfr/jdk.jfr.internal.consumer=ALL-UNNAMED",
		"-cp", classPath, "mmapjfr.Consume",
		repository, dir, strconv.FormatUint(o.Every, 10), strconv.FormatInt(o.Idle.Milliseconds(), 10), types,
	}
	if o.Epoch {
		args = append(args, "epoch")
	}
	if o.Unordered {
		args = append(args, "unordered")
	}
	return args
}

// Stop closes the stream and returns what it delivered.
func (c *Consumer) Stop() *Consumed {
	c.t.Helper()
	_ = c.stdin.Close() // the end of its input is what it waits for
	return c.Wait()
}

// StopAt waits until as many events have been flushed, closes the stream and returns what
// it delivered. It waits no longer than [ConsumeOptions.Idle] for each flush.
func (c *Consumer) StopAt(events uint64) *Consumed {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.stdin, events); err != nil {
		c.t.Fatalf("the JDK's stream has ended: %v\n%s", err, c.stderr.String())
	}
	return c.Stop()
}

// Wait returns what the stream delivered when it has ended.
func (c *Consumer) Wait() *Consumed {
	c.t.Helper()
	got := &Consumed{Counts: map[string]uint64{}}
	for c.out.Scan() {
		if err := got.line(c.out.Text()); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := c.cmd.Wait(); err != nil {
		c.t.Fatalf("the JDK's stream failed: %v\n%s", err, c.stderr.String())
	}
	if c.sample {
		got.Sample = readSample(c.t, filepath.Join(c.dir, "sample.json"))
	}
	return got
}

// line takes one line of what the consumer says at its end.
func (c *Consumed) line(line string) error {
	key, value, _ := strings.Cut(line, " ")
	number, name, _ := strings.Cut(value, " ")
	if key == "failure" {
		c.Failures = append(c.Failures, value)
		return nil
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || !slices.Contains([]string{"count", "delay", "flushes", "cpu"}, key) {
		return fmt.Errorf("the JDK's stream says %q", line)
	}
	switch key {
	case "count":
		c.Counts[name] = uint64(n)
	case "delay":
		c.Delays = append(c.Delays, time.Duration(n))
	case "flushes":
		c.Flushes = uint64(n)
	case "cpu":
		c.CPU = time.Duration(n)
	}
	return nil
}

func readSample(t testing.TB, path string) map[string]int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // only read
	texts := map[string]int{}
	for ev, err := range oracle.SplitEvents(f) {
		if err != nil {
			t.Fatal(err)
		}
		texts[string(ev.Text)]++
	}
	return texts
}

// Sampled reports whether an event is in the sample of one event in every that a [Consumer] writes,
// by its type and start, so that two readers take the same sample. It takes none if every is 0.
func Sampled(ev mmapjfr.Event, every uint64) bool {
	return every > 0 && sampleHash(ev.Type().Name(), ev.Start().UnixNano())%every == 0
}

// sampleHash is FNV-1a, folded so that its low bits are as good as the others.
func sampleHash(name string, nanos int64) uint64 {
	const prime = 0x100000001b3
	hash := uint64(0xcbf29ce484222325)
	for _, c := range []byte(name) {
		hash = (hash ^ uint64(c)) * prime
	}
	for n := range 8 {
		hash = (hash ^ uint64(byte(nanos>>(8*n)))) * prime
	}
	return hash ^ hash>>32
}
