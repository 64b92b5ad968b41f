package profile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// flags adds the flags of the verb.
func (v *verb) flags(f *pflag.FlagSet) {
	f.StringSliceVarP(&v.kinds, "type", "t", nil, "only these `TYPES` of profiles, such as cpu,alloc")
	f.Var((*onceFlag)(&v.event), "event", "make a profile of the events of this `TYPE`")
	f.StringVar(&v.value, "value", "", "weight the events of --event by this `FIELD`")
	f.StringVarP(&v.out, "output", "o", "", "write to `FILE`; - is standard output")
	f.BoolVar(&v.force, "force", false, "replace existing files")
	f.DurationVar(&v.length, "for", 0, "record a running JVM for this `TIME`, such as 30s")
	f.DurationVar(&v.every, "every", 0, "record a running JVM, and make a new profile after each `TIME`")
	f.StringVar(&v.format, "format", "", "write in this `FORMAT`")
	f.StringVar(&v.title, "title", "", "call the profile `TEXT` in formats that have a title; the names of the files without")
	f.StringVar(&v.diff, "diff", "", "show in the table or in flame graphs, or write as second number of collapsed stacks, what has changed since the recording or profile `FILE`")
	f.StringVar(&v.by, "by", string(profile.ByMethod), "show a row for each `KEY`: method, class, package, thread, state, object or path; path is the file, or the host and port, of -t io; threads without a name, as virtual ones are mostly, share a row")
	f.IntVar(&v.rows, "rows", 25, "show no more than `N` rows; 0 for all")
	f.BoolVar(&v.threads, "threads", false, "make the thread the outermost frame of stacks")
	f.BoolVar(&v.total, "count", false, "count events instead of time or bytes")
	f.StringArrayVar(&v.include, "include", nil, "only samples with a frame, thread or class that matches this `REGEXP`; repeatable, and classes have slashes, as in java/util/HashMap.put")
	f.StringArrayVar(&v.exclude, "exclude", nil, "leave out samples with a frame, thread or class that matches this `REGEXP`; repeatable")
	f.StringSliceVar(&v.states, "state", nil, "only samples of threads in these `STATES`, such as runnable")
	f.DurationVar(&v.latency, "latency", 0, "only samples of threads that are in a span, traced method or event of --latency-event of this `LENGTH` or longer, such as 100ms")
	f.Var((*onceFlag)(&v.request), "latency-event", "with --latency, the `TYPE` of events that are requests, instead of spans and traced methods: any with a duration and a thread")
	f.StringVar(&v.tag, "tag", "", "with --latency, only spans with this `TAG`")
	f.StringVar(&v.pauses, "gc-pauses", "", "only samples taken `IN` garbage collection pauses (in) or outside them (out)")
	f.BoolVar(&v.javaOnly, "java-only", false, "leave out frames of native code and of the kernel")
	f.BoolVar(&v.names.Lines, "lines", false, "add line numbers to methods")
	f.BoolVar(&v.index, "bci", false, "add the indexes of bytecodes to methods, as in run@12, instead of lines")
	f.BoolVar(&v.classify, "classify", false, "make what the JVM did the outermost frame of stacks, such as [gc], [jit] or [class_load]")
	f.BoolVar(&v.names.Parameters, "parameters", false, "add the types of parameters to methods")
	f.BoolVar(&v.names.Simple, "simple", false, "leave out the packages of classes")
	f.BoolVar(&v.names.Normalize, "norm", false, "give lambdas, hidden classes and threads of one origin one name; --diff does so, too, unless --norm=false is given")
	f.BoolVar(&v.split, "split", false, "with -o app.pb.gz, write a file for each type: app.cpu.pb.gz, app.alloc.pb.gz and so on")
	f.BoolVar(&v.grafana, "grafana", false, "with -o app.pb.gz, write a file for each profile that Grafana's parser makes: app.process_cpu.pb.gz, app.wall.pb.gz, app.alloc_in_new_tlab.pb.gz, app.mutex.pb.gz and so on")
	f.BoolVar(&v.ann, "ann", true, "in collapsed stacks, say how a method was executed, as in run_[j]; --ann=false leaves that out")
	f.BoolVar(&v.timestamps, "timestamps", false, "write the time of each sample, for the format otlp")
	f.StringVar(&v.service, "service", "", "the `NAME` of the service, for the format otlp")
	f.BoolVar(&v.json, "json", false, "print the table as one JSON document")
	f.BoolVar(&v.csv, "csv", false, "print the table with commas between the columns")
	f.BoolVar(&v.spreadsheetSafe, "spreadsheet-safe", false, selection.SpreadsheetUsage)
	v.SelectFlags(f)
}

// onceFlag is a text that can be given once.
type onceFlag string

func (o *onceFlag) Set(text string) error {
	if *o != "" {
		return errors.New("it was " + string(*o) + " before; give it once")
	}
	*o = onceFlag(text)
	return nil
}

func (o *onceFlag) String() string { return string(*o) }

func (o *onceFlag) Type() string { return "string" }

// kindNames returns the names of the kinds that -t takes.
func kindNames() (names []string) {
	for _, k := range profile.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

// kindsHelp lists the kinds, with the events that they are made of.
func kindsHelp() string {
	var b strings.Builder
	for _, k := range profile.Kinds() {
		fmt.Fprintf(&b, "  %-11s %s\n", k.Name, k.Title)
	}
	return b.String()
}
