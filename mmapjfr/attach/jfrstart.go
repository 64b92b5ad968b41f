package attach

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/lazy"
)

// quote writes a value so that the JVM's parser of commands reads it unchanged. The parser knows
// quotes of both kinds and no escapes, but a quote after a backslash does not end a text, and the
// backslash stays. It takes each line for a command of its own.
func quote(value string) (string, error) {
	if strings.ContainsAny(value, "\n\r\x00") {
		return "", fmt.Errorf("%q has a line end or a zero byte in it, which JVM commands cannot have", value)
	}
	if value != "" && !strings.ContainsAny(value, ` "'`) {
		return value, nil
	}
	mark := `"`
	if strings.Contains(value, mark) {
		mark = `'`
	}
	if strings.Contains(value, mark) {
		return "", fmt.Errorf("%q has quotes of both kinds in it, which JVM commands cannot have", value)
	}
	if strings.HasSuffix(value, `\`) {
		return "", fmt.Errorf("%q has blanks or quotes in it and a backslash at its end, which JVM commands cannot have", value)
	}
	return mark + value + mark, nil
}

// commandLine is a command to a JVM while it is put together.
type commandLine struct {
	text strings.Builder
	err  error // the first
}

func newCommandLine(name string) *commandLine {
	c := new(commandLine)
	c.text.WriteString(name)
	return c
}

// option adds a value with its name, unless the value is empty.
func (c *commandLine) option(name, value string) {
	if value == "" {
		return
	}
	quoted, err := quote(value)
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("%s: %w", name, err)
	}
	c.text.WriteString(" " + name + "=" + quoted)
}

func (c *commandLine) String() string { return c.text.String() }

// Command has the JVM execute a command of jcmd, such as VM.version, GC.class_histogram or
// JFR.configure stackdepth=128, and returns the JVM's answer, of up to 64 MiB. The context limits
// the time.
//
// If the JVM refuses, the error is a [*CommandError]. Commands that begin with JFR are different:
// if Flight Recorder refuses, only the answer says so.
func (vm *VM) Command(ctx context.Context, line string) (string, error) {
	if strings.ContainsAny(line, "\n\r") {
		return "", fmt.Errorf("the command %q has more than one line, which a JVM takes for several", line)
	}
	return vm.run(ctx, "jcmd", line)
}

// RecordingOptions are what a recording records, and how much of it is kept. Paths
// are those of the JVM: it opens the files, as its own user, and relative paths are
// below its working directory.
type RecordingOptions struct {
	// Name is what others see of the recording. The JVM makes one up if it is empty.
	// It cannot be a number, which stands for a recording's id.
	Name string
	// Settings are the sets of event settings that the recording starts from, one
	// over the other: names of those that the JDK has, default and profile, or paths
	// of .jfc files. Without any, or with the one name none, only the events that
	// Events names are recorded, and those that the program itself defines, unless
	// they are disabled where they are defined or in Events.
	Settings []string
	// Events change the settings, or add to them. Types that something is set of are
	// enabled, unless enabled is set to false.
	Events []EventSetting
	// MaxAge and MaxSize, in bytes, are how much is kept on disk, if they are not 0.
	// If neither is set and Duration is not either, the JVM keeps 250 MB.
	MaxAge  time.Duration
	MaxSize int64
	// Duration ends the recording, after a second or more. The JVM then writes it to
	// Filename, and newer JVMs into their working directory if it is empty.
	Duration time.Duration
	// Filename is where the recording is written when it stops or the JVM ends.
	Filename string
	// FlushInterval is how often what has been recorded is written to the repository,
	// so that it can be followed. It is a second if it is 0. JDK 14 has it first.
	FlushInterval time.Duration
	// InMemory keeps what is recorded in memory until it is dumped: it cannot be
	// followed, and MaxAge, MaxSize and FlushInterval cannot be set.
	InMemory bool
}

// The versions of Java that have learned something.
const (
	flushes     = 14 // JFR writes to the repository all the time
	takesEvents = 17 // JFR.start takes event settings
)

// none is the set of settings that has none.
const none = "none"

// Check returns an error for what a JVM would misunderstand, or would only warn of. It asks none.
// [VM.StartRecording] fails with the same error.
func (o *RecordingOptions) Check() error {
	_, err := strconv.Atoi(o.Name)
	switch {
	case o.Name != "" && err == nil:
		return fmt.Errorf("a recording cannot be named %s: numbers are ids", o.Name)
	case o.MaxAge < 0 || o.MaxSize < 0 || o.Duration < 0 || o.FlushInterval < 0:
		return errors.New("a recording cannot have limits below 0")
	case o.Duration > 0 && o.Duration < time.Second:
		return fmt.Errorf("a recording cannot last %v, but a second or more", o.Duration)
	case o.InMemory && (o.MaxAge > 0 || o.MaxSize > 0 || o.FlushInterval > 0):
		return errors.New("a recording in memory has no age, size or interval on disk")
	}
	for _, s := range o.Settings {
		if s == "" {
			return errors.New("a set of settings needs a name, such as default or profile")
		}
		if s == none && len(o.Settings) > 1 {
			return fmt.Errorf("%q cannot be one of several settings", s)
		}
	}
	_, err = o.line(o.Filename, nil)
	return err
}

// bare reports whether only what Events names is to be recorded.
func (o *RecordingOptions) bare() bool {
	return len(o.Settings) == 0 || len(o.Settings) == 1 && o.Settings[0] == none
}

// started is what the JVM says of a recording that it has started. Warnings can
// stand before it.
var started = lazy.Regexp(`(?m)^Started recording ([0-9]+)\.`)

// StartRecording starts a recording and returns its id. It goes on until it is
// stopped, or its Duration is over, whatever becomes of this process.
//
// JVMs before Java 17 take event settings from files only, and no JVM takes very many
// otherwise; then they are written to a file in the JVM's temporary directory, which
// is removed when the JVM has read it.
//
// The error is a [*CommandError] with the JVM's own words if it refuses, as for a
// .jfc file that it cannot read. When the context ends while the JVM is at it the
// recording may have been started nevertheless; see [VM.Recordings].
func (vm *VM) StartRecording(ctx context.Context, o RecordingOptions) (id int, err error) {
	if err := o.Check(); err != nil {
		return 0, err
	}
	events, err := enabling(o.Events)
	if err != nil {
		return 0, err
	}
	version, err := vm.javaVersion(ctx)
	if err != nil {
		return 0, err
	}
	if o.FlushInterval > 0 && version < flushes {
		return 0, fmt.Errorf("the JVM of process %d is of Java %d, and only Java %d and later have a flush interval", vm.PID(), version, flushes)
	}
	filename, err := vm.literal(ctx, "JFR.start", o.Filename)
	if err != nil {
		return 0, err
	}
	line, err := o.line(filename, events)
	// Several sets of settings cannot be combined with events in a line either.
	if version < takesEvents || err == nil && vm.tooLong(line) || len(events) > 0 && (err != nil || len(o.Settings) > 1) {
		file, remove, err := vm.leaveSettings(events)
		if err != nil {
			return 0, err
		}
		defer remove()
		settings := []string{file}
		if !o.bare() {
			settings = append(append([]string(nil), o.Settings...), file)
		}
		o.Settings = settings
		line, err = o.line(filename, nil)
		if err != nil {
			return 0, err
		}
	} else if err != nil {
		return 0, err
	}
	return vm.start(ctx, line)
}

func (vm *VM) start(ctx context.Context, line string) (id int, err error) {
	text, err := vm.Command(ctx, line)
	if err != nil {
		return 0, err
	}
	match := started().FindStringSubmatch(text)
	if match == nil {
		return 0, &CommandError{Command: "JFR.start", Text: strings.TrimSpace(text)}
	}
	return strconv.Atoi(match[1])
}

// line is the command that starts the recording.
func (o *RecordingOptions) line(filename string, events []EventSetting) (string, error) {
	c := newCommandLine("JFR.start")
	c.option("name", o.Name)
	if o.bare() {
		c.option("settings", none)
	} else {
		for _, s := range o.Settings {
			c.option("settings", s)
		}
	}
	limit := func(name string, d time.Duration) {
		if d > 0 {
			c.option(name, timespan(d, ""))
		}
	}
	limit("maxage", o.MaxAge)
	if o.MaxSize > 0 {
		c.option("maxsize", strconv.FormatInt(o.MaxSize, 10))
	}
	limit("duration", o.Duration)
	c.option("filename", filename)
	limit("flush-interval", o.FlushInterval)
	c.option("disk", strconv.FormatBool(!o.InMemory))
	for _, s := range events {
		// The plus adds what the settings do not have yet.
		c.option("+"+s.Event+"#"+s.Setting, s.Value)
	}
	return c.String(), c.err
}

// tooLong reports whether a line is more than the JVM takes at once.
func (vm *VM) tooLong(line string) bool {
	return vm.protocol == protocol1 && len(toJava(line)) > maxArgument1
}
