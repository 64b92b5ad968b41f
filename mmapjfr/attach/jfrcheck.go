package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/internal/parseunit"
)

// Recording is a recording that a JVM has.
type Recording struct {
	ID   int
	Name string
	// State is new, delayed, running, stopped or closed.
	State string
	// Duration is how long it is to last, and MaxAge how much of it is kept; 0 is
	// without a limit.
	Duration, MaxAge time.Duration
	// MaxSize is how many bytes are kept, or 0 for all. The JVM writes about four digits of it.
	MaxSize int64
}

// Recordings returns the recordings that the JVM has, by id. Flight Recorder is not started
// for that where it has not been used so far.
func (vm *VM) Recordings(ctx context.Context) ([]Recording, error) {
	// JFR.check would start Flight Recorder. The flag is set when it has been started.
	if flag, err := vm.run(ctx, "printflag", "FlightRecorder"); err == nil && strings.Contains(flag, "-XX:-FlightRecorder") {
		return nil, nil
	}
	text, err := vm.Command(ctx, "JFR.check")
	if err != nil {
		return nil, err
	}
	list := parseCheck(text)
	if len(list) == 0 && !strings.Contains(text, "No available recordings") {
		return nil, &CommandError{Command: "JFR.check", Text: strings.TrimSpace(text)}
	}
	return list, nil
}

// recordingLine is what JFR.check writes about a recording. Names may contain anything, even line
// ends.
var recordingLine = lazy.Regexp(`(?ms)^Recording ([0-9]+): name=(.*?)(?: duration=(\S+))?(?: maxsize=(\S+))?(?: maxage=(\S+))? \((new|delayed|running|stopped|closed)\)$`)

func parseCheck(text string) []Recording {
	var list []Recording
	for _, match := range recordingLine().FindAllStringSubmatch(strings.ReplaceAll(text, "\r\n", "\n"), -1) {
		id, err := strconv.Atoi(match[1])
		if err != nil {
			continue
		}
		r := Recording{ID: id, Name: match[2], State: match[6], MaxSize: parseSize(match[4])}
		r.Duration, _ = parseTimespan(match[3]) // 0 if it is missing
		r.MaxAge, _ = parseTimespan(match[5])
		list = append(list, r)
	}
	return list
}

// EventSettings returns what the running recordings set of types of events, each recording after the
// other. Types that a recording has not enabled are left out. Flight Recorder is started for that
// where it has not been used so far.
func (vm *VM) EventSettings(ctx context.Context) ([]EventSetting, error) {
	text, err := vm.Command(ctx, "JFR.check verbose=true")
	if err != nil {
		return nil, err
	}
	return parseSettings(text), nil
}

// settingsLines are what JFR.check writes about the settings of a type.
var settingsLines = lazy.Regexp(`(?m)^ .*\((\S+)\)\n {3}\[(.*)\]$`)

func parseSettings(text string) (list []EventSetting) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	heads := recordingLine().FindAllStringSubmatchIndex(text, -1)
	for i, head := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		if state := text[head[12]:head[13]]; state != "running" {
			continue
		}
		for _, match := range settingsLines().FindAllStringSubmatch(text[head[1]:end], -1) {
			var of []EventSetting
			for part := range strings.SplitSeq(match[2], ",") {
				name, value, ok := strings.Cut(part, "=")
				switch {
				case ok:
					of = append(of, EventSetting{match[1], name, value})
				case len(of) > 0: // a comma in a value
					of[len(of)-1].Value += "," + part
				}
			}
			if slices.Contains(of, EventSetting{match[1], "enabled", "true"}) {
				list = append(list, of...)
			}
		}
	}
	return list
}

// parseSize reads a size such as 250.0MB, or 1000. It returns 0 for other text.
func parseSize(s string) int64 {
	s = strings.ReplaceAll(s, ",", ".") // some languages write a comma
	n, ok := parseunit.Bytes(s)
	if !ok || n < 0 || n >= 1<<63 {
		return 0
	}
	return int64(n)
}

// Stop stops and closes a recording: its contents are written to the Filename that it was started
// with, if any, and are lost otherwise. The files of the repository stay as long as other
// recordings need them.
func (vm *VM) Stop(ctx context.Context, id int) error {
	return vm.expect(ctx, "JFR.stop name="+strconv.Itoa(id), "Stopped recording")
}

// Dump writes the contents of a recording to a file, while the recording goes on. The path is one
// of the JVM's file system, and the JVM writes the file as its own user. If the path is a
// directory, the JVM makes up a name.
func (vm *VM) Dump(ctx context.Context, id int, path string) error {
	if path == "" {
		return errors.New("name a file to dump to")
	}
	literal, err := vm.literal(ctx, "JFR.dump", path)
	if err != nil {
		return err
	}
	c := newCommandLine("JFR.dump")
	c.option("name", strconv.Itoa(id))
	c.option("filename", literal)
	if c.err != nil {
		return c.err
	}
	return vm.expect(ctx, c.String(), "Dumped recording")
}

// expect sends a command to Flight Recorder. It succeeded if a line of the answer begins with done.
func (vm *VM) expect(ctx context.Context, line, done string) error {
	text, err := vm.Command(ctx, line)
	if err != nil {
		return err
	}
	for said := range strings.Lines(text) {
		if strings.HasPrefix(said, done) {
			return nil
		}
	}
	return &CommandError{Command: commandName("jcmd", []string{line}), Text: strings.TrimSpace(text)}
}

// literal writes a path so that a command does not change it. Newer JVMs expand %p and %t, as their
// help says. Older ones execute the command, but fail when they print such a path.
func (vm *VM) literal(ctx context.Context, command, path string) (string, error) {
	if !strings.Contains(path, "%") {
		return path, nil
	}
	help, err := vm.Command(ctx, "help "+command)
	if err != nil {
		return "", err
	}
	if !strings.Contains(help, "%p") {
		return "", fmt.Errorf("%q has a %% in it, which the JVM of process %d is too old for", path, vm.PID())
	}
	return strings.ReplaceAll(path, "%", "%%"), nil
}
