package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// recorded are the settings by which a JVM records what kinds of profiles need. Those that are not
// here a JVM cannot record.
var recorded = map[string][]string{
	"cpu":        {"jdk.ExecutionSample#period=10ms"},
	"native":     {"jdk.NativeMethodSample#period=20ms"},
	"alloc":      {"jdk.ObjectAllocationSample#throttle=1000/s"},
	"live":       {"jdk.OldObjectSample#cutoff=0ms"},
	"lock":       {"jdk.JavaMonitorEnter#threshold=100us"},
	"park":       {"jdk.ThreadPark#threshold=1ms"},
	"exceptions": {"jdk.JavaExceptionThrow#enabled=true"},
	"io": {
		"jdk.FileRead#threshold=0ms", "jdk.FileWrite#threshold=0ms", "jdk.FileForce#threshold=0ms",
		"jdk.SocketRead#threshold=0ms", "jdk.SocketWrite#threshold=0ms",
	},
	"gc": {"jdk.GarbageCollection#enabled=true"},
}

// The first versions of Java that have events which are better than those above, or that lack some.
const (
	hasAllocationSample = 16
	hasCPUTimeSample    = 25
)

// settings returns what a JVM has to record.
func (v *verb) settings(java int, system string) (list []attach.EventSetting, err error) {
	kinds := v.kinds
	if len(kinds) == 0 && v.event == "" {
		for kind := range recorded {
			if kind != "live" { // which makes collections longer
				kinds = append(kinds, kind)
			}
		}
	}
	var texts []string
	if v.event != "" {
		texts = append(texts, v.event+"#enabled=true", v.event+"#stackTrace=true")
	}
	for _, kind := range kinds {
		settings, ok := recorded[kind]
		switch {
		case !ok:
			return nil, cli.Usagef("a JVM does not record profiles of type %s; async-profiler does", kind)
		case kind == "cpu" && java >= hasCPUTimeSample && system == "linux":
			settings = append(slices.Clone(settings), "jdk.CPUTimeSample#throttle=10ms")
		case kind == "alloc" && java < hasAllocationSample:
			settings = []string{"jdk.ObjectAllocationInNewTLAB#enabled=true", "jdk.ObjectAllocationOutsideTLAB#enabled=true"}
		}
		texts = append(texts, settings...)
		if !slices.Contains([]string{"gc", "cpu", "native"}, kind) {
			for _, s := range settings {
				name, _, _ := strings.Cut(s, "#")
				texts = append(texts, name+"#stackTrace=true")
			}
		}
	}
	slices.Sort(texts)
	for _, text := range texts {
		s, err := attach.ParseEventSetting(text)
		if err != nil {
			return nil, cli.Usage(err)
		}
		list = append(list, s)
	}
	return list, nil
}

// grace is how long a JVM goes on by itself if this process is killed, and how long it gets to write
// the recording.
const grace = 30 * time.Second

// record has a JVM record for a time, and calls do with the file. Nothing is left behind.
func (v *verb) record(ctx context.Context, source string, do func(file string) error) error {
	pid, err := strconv.Atoi(source)
	if err != nil {
		if pid, err = live.ProcessOf(source); err != nil {
			if _, statErr := os.Stat(source); statErr == nil {
				return cli.Usagef("--for and --every record a JVM, and %s is a file: leave them out to read it", source)
			}
			return err
		}
	}
	vm, err := attach.Open(ctx, pid)
	if err != nil {
		return err
	}
	properties, err := vm.Properties(ctx)
	if err != nil {
		return err
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(properties["java.specification.version"], "1."), ".")
	java, _ := strconv.Atoi(major)
	settings, err := v.settings(java, runtime.GOOS)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("mjfr-profile-%d-%d.jfr", os.Getpid(), time.Now().UnixNano())
	file := path.Join(properties["java.io.tmpdir"], name)
	o := attach.RecordingOptions{Name: "mjfr profile", Events: settings, Filename: file, Duration: v.length + grace}
	if v.output.timeline != nil {
		o.Settings = []string{"profile"} // all else that happens
	}
	local := vm.Path(file)
	defer os.Remove(local) // some JVMs make it at once, others when they write it
	id, err := vm.StartRecording(ctx, o)
	if err != nil {
		return err
	}
	waitErr := v.wait(ctx)
	ended, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	stopErr := vm.Stop(ended, id)
	if err := errors.Join(waitErr, stopErr); err != nil {
		return err
	}
	if _, err := os.Stat(local); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the JVM has not written its recording to %s", local)
	}
	return do(local)
}

// wait waits for the time to record, with a bar on a terminal.
func (v *verb) wait(ctx context.Context) error {
	const step = 100 * time.Millisecond
	bar := v.Progress("recording", int64(v.length/step), cli.AtEnd)
	defer bar.Done()
	for end := time.Now().Add(v.length); ; bar.Add(1) {
		left := time.Until(end)
		if left <= 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(min(left, step)):
		}
	}
}

// runLive makes profiles of a JVM: one, or one after the other.
func (v *verb) runLive(ctx context.Context, source string) error {
	for {
		err := v.record(ctx, source, func(file string) error {
			return v.open(ctx, []string{file}, func(in *inputs) error {
				v.title = cmp.Or(v.title, source)
				return v.run(ctx, in)
			})
		})
		if err != nil || !v.again {
			return err
		}
	}
}

// jvmNoFile returns the error of a JVM that is named as if it were a file, if another error says that
// a file does not exist; else nil.
func (v *verb) jvmNoFile(err error, args []string) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, arg := range args {
		if _, err := os.Stat(arg); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		jvms, _ := live.ListProcesses() // without them the other error says enough
		if slices.ContainsFunc(jvms, func(jvm attach.Process) bool {
			return strconv.Itoa(jvm.PID) == arg || slices.Contains(live.Names(jvm.Main), arg)
		}) {
			return cli.Usagef("%s is a running JVM and no file: say how long to record it, as in mjfr profile --for 30s %[1]s", arg)
		}
	}
	return nil
}

// checkLive checks the arguments of a profile of a JVM.
func (v *verb) checkLive(args []string) error {
	switch {
	case v.length > 0 && v.every > 0:
		return cli.Usagef("--for makes one profile of a JVM, --every one after the other: give one of them")
	case len(args) != 1:
		return cli.Usagef("--for and --every record one JVM: name it by its number or main class, as in --for 30s 4711")
	case v.length < 0 || v.every < 0 || v.length+v.every == 0:
		return cli.Usagef("--for and --every take a length of time, such as 30s")
	case v.every > 0 && v.out == "-":
		return cli.Usagef("--every writes a file again and again: name it with -o")
	}
	v.again = v.every > 0
	v.length = max(v.length, v.every)
	for _, k := range v.kinds {
		if recorded[k] == nil {
			return cli.Usagef("a JVM does not record profiles of type %s; async-profiler does", k)
		}
	}
	return nil
}

// kindsRecorded are the kinds that a JVM can record, for the help.
func kindsRecorded() string {
	var names []string
	for _, k := range profile.Kinds() {
		if recorded[k.Name] != nil {
			names = append(names, k.Name)
		}
	}
	return strings.Join(names, ", ")
}
