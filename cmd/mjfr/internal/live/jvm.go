package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// Options are the flags of verbs that follow a source.
type Options struct {
	wait     bool
	settings []string
	Set      []string
	// Need are event types, by names or patterns, that a JVM is made to record unless it records
	// them already, or --settings says what it is to record.
	Need []string
}

func (o *Options) Flags(f *pflag.FlagSet) {
	f.BoolVar(&o.wait, "wait", false, "wait until the JVM, file or directory exists, and for event types not registered yet")
	f.StringArrayVar(&o.settings, "settings", nil, "make a JVM record the settings `NAME`: default, profile or a .jfc file of the JVM; repeatable")
	f.StringArrayVar(&o.Set, "set", nil, "make a JVM record an event type by `SETTING`, such as jdk.SocketRead#threshold=1ms; repeatable")
}

// Check checks --set.
func (o *Options) Check() error {
	for _, text := range o.Set {
		if _, err := attach.ParseEventSetting(text); err != nil {
			return cli.Usage(fmt.Errorf("--set %w", err))
		}
	}
	return nil
}

// Missing returns what is wrong if a JVM does not have an event type: as wrong usage, since JVMs
// know their types. It is nil with --wait: programs may register types when they need them.
func (o *Options) Missing(text string) error {
	if o.wait {
		return nil
	}
	return cli.Usagef("%s If the program registers it later, use --wait.", text)
}

// Records reports whether a JVM is to record something for the verb.
func (o *Options) Records() bool { return len(o.settings) > 0 || len(o.Set) > 0 }

// UseSettings makes the JVM record a set of settings, as if --settings named it.
func (o *Options) UseSettings(name string) { o.settings = append(o.settings, name) }

// Concerns reports whether a warning is about a value of --set.
func (o *Options) Concerns(warning error) bool {
	var about *stream.SettingError
	return errors.As(warning, &about) && slices.ContainsFunc(o.Set, func(text string) bool {
		set, err := attach.ParseEventSetting(text)
		return err == nil && set.Event == about.Event && (set.Setting == about.Setting || errors.Is(warning, mmapjfr.ErrNoType))
	})
}

// onlyJVMs returns an error if there are settings for a source that is no JVM.
func (o *Options) onlyJVMs(source string) error {
	if !o.Records() {
		return nil
	}
	return cli.Usagef("only a running JVM can record on request, and %s is not one; leave out --settings and --set, or name the JVM as mjfr jvms lists it", source)
}

// Attach makes a stream of a JVM and enables what it is to record: first the sets of --settings,
// then the settings of a list, then those of --set.
func (o *Options) Attach(vm *attach.VM, list []string) (*stream.RecordingStream, error) {
	return o.attach(vm, o.settings, list)
}

func (o *Options) attach(vm *attach.VM, sets, list []string) (*stream.RecordingStream, error) {
	r := stream.AttachTo(vm)
	if len(sets) > 0 { // setting none would start a recording
		r.SetSettings(sets...)
	}
	for _, text := range slices.Concat(list, o.Set) {
		set, err := attach.ParseEventSetting(text)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", text, err), r.Close())
		}
		r.Enable(set.Event).With(set.Setting, set.Value)
	}
	return r, nil
}

// OpenJVM attaches to a JVM. It removes from it what a verb has left there that was killed. No verb
// fails for that: the next one tries again.
func OpenJVM(ctx context.Context, pid int) (*attach.VM, error) {
	vm, err := attach.Open(ctx, pid)
	if err != nil {
		return nil, noJVM(err, pid)
	}
	ctx, cancel := context.WithTimeout(ctx, jvmsPatience)
	defer cancel()
	_ = vm.RemoveLeft(ctx)
	return vm, nil
}

// WaitInterval is the time between two looks for a source with --wait. After waitAnswer, a JVM that
// does not answer is reported.
var (
	WaitInterval = 200 * time.Millisecond
	waitAnswer   = 10 * time.Second
)

// Locate returns the process of the JVM that a source names. It returns 0 for standard input, files
// and directories. A file has precedence over a JVM of the same name, and a number is always a
// process.
func Locate(ctx context.Context, a *cli.App, source string, o *Options) (pid int, err error) {
	a.Narrow(0o600) // what is made of a program that runs is for its user
	if source == "-" || isPath(source) {
		if err := o.onlyJVMs(source); err != nil {
			return 0, err
		}
	}
	wait := o.wait
	pid, err = lookFor(ctx, source, wait)
	if !wait || !errors.Is(err, fs.ErrNotExist) {
		return pid, err
	}
	a.Report(fmt.Errorf("waiting for %s", source))
	begun, reported := time.Now(), false
	for next := time.NewTicker(WaitInterval); ; {
		select {
		case <-ctx.Done():
			next.Stop()
			return 0, context.Cause(ctx)
		case <-next.C:
		}
		if pid, err = lookFor(ctx, source, wait); !errors.Is(err, fs.ErrNotExist) {
			next.Stop()
			return pid, err
		}
		if silent := (noAnswer{}); errors.As(err, &silent) && !reported && time.Since(begun) > waitAnswer {
			reported = true
			a.Report(silent.err)
		}
	}
}

// noAnswer is the error of a JVM that runs and does not answer yet.
type noAnswer struct{ err error }

func (n noAnswer) Error() string { return n.err.Error() }
func (noAnswer) Unwrap() error   { return fs.ErrNotExist }

// lookFor looks once for a source. The error matches [fs.ErrNotExist] if the source does not exist.
// With wait a JVM has to answer: it may have just been started.
func lookFor(ctx context.Context, source string, wait bool) (pid int, err error) {
	if source == "-" {
		return 0, nil
	}
	pid, err = strconv.Atoi(source)
	if isNumber := err == nil && pid >= 0; !isNumber {
		if _, err := os.Stat(source); err == nil || !errors.Is(err, fs.ErrNotExist) || isPath(source) {
			return 0, err
		}
		if pid, err = ProcessOf(source); err != nil {
			return 0, err
		}
	}
	if !wait {
		return pid, nil
	}
	vm, err := attach.Open(ctx, pid)
	if err == nil {
		_, err = vm.Properties(ctx)
	}
	if err != nil && ctx.Err() == nil {
		return 0, noAnswer{err}
	}
	return pid, err
}

// isPath reports whether the name of a source can only be that of a file or directory.
func isPath(source string) bool {
	return strings.ContainsRune(source, os.PathSeparator) || strings.HasSuffix(source, ".jfr")
}

// ProcessOf returns the process of the only JVM with a name: that of its main class with or without
// the package, its jar, module or source file. A name in the same case has precedence over one in
// another case.
func ProcessOf(name string) (pid int, err error) {
	jvms, err := ListProcesses()
	if err != nil {
		return 0, fmt.Errorf("%s: no such file or directory, and the JVMs of this machine cannot be listed: %w", name, errors.Join(err, fs.ErrNotExist))
	}
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found []attach.Process
		for _, jvm := range jvms {
			for _, n := range Names(jvm.Main) {
				if same(n, name) {
					found = append(found, jvm)
					break
				}
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0].PID, nil
		default:
			return 0, severalJVMs(name, found)
		}
	}
	return 0, notThere(fmt.Sprintf("%s: no such file or directory, and no JVM of that name; mjfr jvms lists JVMs%s",
		name, suggest.Question(name, shortest(jvms))))
}

// shortest returns a name of each JVM: the shortest that no other has, or else the longest.
func shortest(jvms []attach.Process) (list []string) {
	has := make(map[string]int)
	for _, jvm := range jvms {
		for _, n := range Names(jvm.Main) {
			has[n]++
		}
	}
	for _, jvm := range jvms {
		name := jvm.Main
		for _, n := range Names(jvm.Main) {
			if has[n] == 1 {
				name = n
			}
		}
		list = append(list, name)
	}
	return list
}

// notThere is the error of a source that does not exist yet.
type notThere string

func (n notThere) Error() string { return string(n) }
func (notThere) Unwrap() error   { return fs.ErrNotExist }

func severalJVMs(name string, found []attach.Process) error {
	var list []string
	for _, jvm := range found {
		list = append(list, fmt.Sprintf("%d (%s)", jvm.PID, jvm.Main))
	}
	return cli.Usagef("%s is the name of %d JVMs: %s; name one by its number", name, len(found), strings.Join(list, ", "))
}

// Names returns the names of a JVM by its main class, jar, module or source file: as given, without
// folders or module, without the suffix, and without the package.
func Names(main string) []string {
	if main == "" {
		return nil
	}
	names := []string{main}
	add := func(name string) string {
		if name != "" && name != names[len(names)-1] {
			names = append(names, name)
		}
		return name
	}
	base := add(main[strings.LastIndexAny(main, `/\`)+1:])
	for _, suffix := range []string{".jar", ".java"} {
		if cut, ok := strings.CutSuffix(base, suffix); ok {
			add(cut)
			return names
		}
	}
	add(base[strings.LastIndexByte(base, '.')+1:])
	return names
}

// noJVM adds to the error of a process that cannot be attached to what to do about it.
func noJVM(err error, pid int) error {
	if !errors.Is(err, attach.ErrNoProcess) && !errors.Is(err, attach.ErrNotJVM) {
		return err
	}
	if _, e := os.Stat(strconv.Itoa(pid)); e == nil {
		return fmt.Errorf("%w; for the file of that name, say .%c%d", err, os.PathSeparator, pid)
	}
	return fmt.Errorf("%w; mjfr jvms lists running JVMs", err)
}

// Title returns the name of a JVM for messages.
func Title(pid int, source string) string {
	number := strconv.Itoa(pid)
	if source == number {
		return "process " + number
	}
	return cmp.Or(source, "JVM") + ", process " + number
}
