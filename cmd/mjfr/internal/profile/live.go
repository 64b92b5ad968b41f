package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
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
	texts := []string{"jdk.ActiveSetting#enabled=true"} // which says what time a sample stands for
	if v.event != "" {
		texts = append(texts, v.event+"#enabled=true", v.event+"#stackTrace=true")
	}
	if v.request != "" {
		texts = append(texts, v.request+"#enabled=true")
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
		case kind == "alloc": // these say whose first sample weighs what was allocated before, and how much that was
			texts = append(texts, "jdk.ActiveRecording#enabled=true", "jdk.ThreadStart#enabled=true", "jdk.ThreadAllocationStatistics#period=beginChunk")
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

// likeOthers gives jdk.CPUTimeSample the rate that it has in another recording of the JVM, if there
// is one. JDK 25 makes a wrong one of two rates, with which it takes no more samples for either
// recording.
func likeOthers(ctx context.Context, vm jvm, settings []attach.EventSetting) error {
	const event, setting = "jdk.CPUTimeSample", "throttle"
	isRate := func(s attach.EventSetting) bool { return s.Event == event && s.Setting == setting }
	at := slices.IndexFunc(settings, isRate)
	if at < 0 {
		return nil
	}
	others, err := vm.EventSettings(ctx)
	if i := slices.IndexFunc(others, isRate); i >= 0 {
		settings[at] = others[i]
	}
	return err
}

// grace is how long a JVM goes on by itself if this process is killed, and how long it gets to
// write the recording.
const grace = 30 * time.Second

// jvm is a JVM that records.
type jvm interface {
	Properties(ctx context.Context) (map[string]string, error)
	MakeFolder(ctx context.Context) (dir string, remove func() error, err error)
	Repository(ctx context.Context) (dir string, err error)
	EventSettings(ctx context.Context) ([]attach.EventSetting, error)
	StartRecording(ctx context.Context, o attach.RecordingOptions) (id int, err error)
	Stop(ctx context.Context, id int) error
	Path(path string) string
	hasEnded() bool
}

// process is the JVM of a process.
type process struct {
	*attach.VM
	os *os.Process
}

func (p process) hasEnded() bool { return errors.Is(p.os.Signal(syscall.Signal(0)), os.ErrProcessDone) }

// openJVM opens the JVM of a process. Tests replace it.
var openJVM = func(ctx context.Context, pid int) (jvm, error) {
	vm, err := live.OpenJVM(ctx, pid)
	if err != nil {
		return nil, err
	}
	p, err := os.FindProcess(pid)
	return process{vm, p}, err
}

// processOf returns the process of the JVM that is named.
func processOf(source string) (pid int, err error) {
	if pid, err = strconv.Atoi(source); err == nil {
		return pid, nil
	}
	if pid, err = live.ProcessOf(source); err != nil {
		if _, statErr := os.Stat(source); statErr == nil {
			return 0, cli.Usagef("--for and --every record a JVM, and %s is a file: leave them out to read it", source)
		}
	}
	return pid, err
}

// recording is one that a JVM makes for this verb.
type recording struct {
	jvm
	id     int
	file   string       // that the JVM writes, as this process finds it
	remove func() error // removes it and the folder that it is in
	dir    string       // the repository; "" if it is not known
	asked  time.Time
	begun  time.Time // which can be seconds later: the first recording of a JVM takes its time to begin
}

// start has a JVM begin to record. An interruption comes too late for that, so that nothing is left
// of which nobody knows.
func (v *verb) start(ctx context.Context, pid int) (*recording, error) {
	vm, err := openJVM(ctx, pid)
	if err != nil {
		return nil, err
	}
	properties, err := vm.Properties(ctx)
	if err != nil {
		return nil, err
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(properties["java.specification.version"], "1."), ".")
	java, _ := strconv.Atoi(major)
	settings, err := v.settings(java, runtime.GOOS)
	if err != nil {
		return nil, err
	}
	if err := likeOthers(ctx, vm, settings); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	folder, remove, err := vm.MakeFolder(ctx)
	if err != nil {
		return nil, err
	}
	file := path.Join(folder, "profile.jfr")
	o := attach.RecordingOptions{Name: attach.OwnedName(attach.ProfileName), Events: settings, Filename: file, Duration: v.length + grace}
	if v.output.Events {
		o.Settings = []string{"profile"} // all else that happens
	}
	r := &recording{jvm: vm, file: vm.Path(file), remove: remove, asked: time.Now()}
	if r.id, err = vm.StartRecording(ctx, o); err != nil {
		return nil, errors.Join(err, remove()) // some JVMs make the file at once
	}
	r.begun = time.Now()
	r.dir, _ = vm.Repository(ctx) // which is for JVMs that are killed
	return r, nil
}

// files returns the files of what was recorded. A JVM that was killed has not written the one that
// it was asked for, but leaves its repository.
func (r *recording) files() (list []string) {
	if info, err := os.Stat(r.file); err == nil && info.Size() > 0 {
		return []string{r.file}
	}
	chunks, _ := filepath.Glob(filepath.Join(r.dir, "*.jfr"))
	for _, name := range chunks {
		if info, err := os.Stat(name); r.dir != "" && err == nil && !info.ModTime().Before(r.asked.Truncate(time.Second)) {
			list = append(list, name)
		}
	}
	return list
}

// record has a JVM record for a time, and calls do with the files. Nothing is left behind. An
// interruption ends the recording, but not the profile of what has been recorded until then; the
// next one does.
func (v *verb) record(ctx context.Context, pid int, do func(ctx context.Context, files []string) error) error {
	r, err := v.start(ctx, pid)
	if err != nil {
		return err
	}
	defer func() {
		if err := r.remove(); err != nil {
			v.Report(fmt.Errorf("a recording may be left behind; remove it: %w", err))
		}
	}()
	v.wait(ctx, r)
	took := time.Since(r.begun).Round(100 * time.Millisecond)
	stopped := live.ExplainEnd(ctx, v.App, live.Title(pid, strconv.Itoa(pid)))
	stopping := context.WithoutCancel(ctx)
	if ctx.Err() != nil && !v.again {
		rest, stop := v.AfterInterrupt(ctx)
		defer stop()
		ctx, stopping = rest, rest
		v.Report(fmt.Errorf("interrupted after %v: the profile covers that time; press Ctrl-C again to quit without it", took))
	}
	ended, cancel := context.WithTimeout(stopping, grace)
	defer cancel()
	stopErr := r.Stop(ended, r.id)
	stopped()
	isGone := false
	for n := 0; stopErr != nil && n < 10 && !isGone && ended.Err() == nil; n++ { // it may be about to end
		time.Sleep(time.Duration(n) * 20 * time.Millisecond)
		_, err := openJVM(ended, pid) // nobody may have waited for its process
		isGone = r.hasEnded() || errors.Is(err, attach.ErrNoProcess)
	}
	files := r.files()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case stopErr != nil && !isGone && !slices.Equal(files, []string{r.file}):
		return stopErr
	case stopErr != nil && !isGone:
		v.Report(fmt.Errorf("the recording ended before %v were over: somebody stopped it, or the machine slept; the profile covers what it has", took))
	case stopErr != nil && len(files) == 0:
		return fmt.Errorf("the JVM ended after %v, and its recording is gone", took)
	case stopErr != nil:
		v.Report(fmt.Errorf("the JVM ended after %v: the profile covers that time", took))
		v.again = false
	case len(files) == 0:
		return fmt.Errorf("the JVM has not written its recording to %s", r.file)
	}
	return do(ctx, files)
}

// wait waits for the time to record, with a bar on a terminal. It ends before if the JVM does, or
// the context.
func (v *verb) wait(ctx context.Context, r *recording) {
	const step = 100 * time.Millisecond
	bar := v.Progress("recording", int64(v.length/step), cli.AtEnd)
	defer bar.Done()
	for end := r.begun.Add(v.length); ctx.Err() == nil && !r.hasEnded(); bar.Add(1) {
		left := time.Until(end)
		if left <= 0 {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(left, step)):
		}
	}
}

// runLive makes profiles of a JVM: one, or one after the other.
func (v *verb) runLive(ctx context.Context, source string) error {
	if err := cli.CheckOut(v.out, v.force || v.split); err != nil {
		return err
	}
	pid, err := processOf(source)
	if err != nil {
		return err
	}
	v.Narrow(0o600)
	for round := 0; ; round++ {
		err := v.record(ctx, pid, func(ctx context.Context, files []string) error {
			return v.open(ctx, files, func(in *inputs) error {
				v.title = cmp.Or(v.title, source)
				return v.run(ctx, in)
			})
		})
		if round > 0 && errors.Is(err, attach.ErrNoProcess) {
			v.Report(errors.New("the JVM has ended"))
			return nil
		}
		if err != nil || !v.again {
			return err
		}
	}
}

// jvmNoFile returns the error of a JVM that is named as if it were a file, if another error says
// that a file does not exist; else nil.
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
		return cli.Usagef("--for makes one profile of a JVM, --every repeats it: give one of them")
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
