// Package profile is the verb profile: where time and memory go, by stack.
package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// verb is mjfr profile with its flags.
type verb struct {
	*cli.App
	selection.Options
	kinds            []string
	event, value     string
	format, out, by  string
	service          string
	diff             string
	rows             int
	threads, total   bool
	timestamps, ann  bool
	split, grafana   bool // of pprof
	names            profile.Names
	include, exclude []string
	states           []string
	javaOnly         bool
	index, classify  bool
	latency          time.Duration
	request          string // type of events
	tag, pauses      string
	noRequest        bool          // is as long as --latency says, which has been reported
	length, every    time.Duration // of recordings of a JVM
	again            bool
	rounds           int // that tables have been written of
	json, csv        bool
	spreadsheetSafe  bool

	choice profile.Choice
	output *export.Format
	title  string           // of the recordings
	key    []batch.Label    // of mjfr batch, which the output has to say
	titles string           // of columns, which were written last
	base   *profile.Profile // of --diff; nil without
	files  []string         // that are read
	force  bool
	// written are the files that this run has written.
	written map[string]bool

	// selected is what formats need that have all events.
	selected export.Options
}

// New makes the verb.
func New(a *cli.App) *cobra.Command {
	v := &verb{App: a}
	cmd := &cobra.Command{
		Use:   "profile [flags] FILE... | --for TIME JVM",
		Short: "Show where time and memory go; draw flame graphs",
		Long: `Show where time, memory, locks and I/O go. Without -o a table lists the methods with the
highest weight: Self is the weight of samples in which the method was running, Total of those
with the method anywhere on the stack.

Types of profiles:
` + kindsHelp() + `
Without -t, the table shows the first of these types that the recording has, and files have
all of them, or the first if their format holds one. --event profiles any other event type
with a stack trace; --value weighs it by one of its numbers. Where several event types measure
the same thing, as ObjectAllocationSample and ObjectAllocationInNewTLAB do, the most precise one
counts in each chunk.

cpu is measured time: from jdk.CPUTimeSample, async-profiler or Datadog. jdk.ExecutionSample
is type running: the JVM samples a few threads at a time, which gives shares but no time. If a
recording has nothing better, -t cpu shows these and says so.

-o writes a file. Its name decides the format, or --format does:
` + formatsHelp() + `
Inputs can also be profiles: collapsed stacks or pprof; the content decides. They have no
events, so --from, --where and the like do not apply. Use -t to say what collapsed stacks
count, as in -t alloc.

Formats perfetto and firefox hold all selected events besides the samples.

--for 30s JVM records a running JVM, named by process ID or main class, and leaves no files
and no recording; it can record ` + kindsRecorded() + `.
Press Ctrl-C to stop early: the profile has what was recorded until then.

` + selection.About,
		Example: `  mjfr profile app.jfr
  mjfr profile -t alloc --by object app.jfr
  mjfr profile -t lock --from -60s app.jfr
  mjfr profile -t io --by path app.jfr
  mjfr profile --latency 100ms --latency-event com.acme.Request app.jfr
  mjfr profile -t cpu --thread 'http-*' --exclude 'java/util/.*' app.jfr
  mjfr profile -o app.html app.jfr
  mjfr profile --diff yesterday.jfr app.jfr
  mjfr profile -o app.html --diff yesterday.jfr app.jfr
  mjfr profile -o app.html --diff old.collapsed new.collapsed
  mjfr profile -o heatmap.html app.jfr
  mjfr profile -o app.pb.gz app.jfr && go tool pprof -http=: app.pb.gz
  mjfr profile -o app.pftrace --from -60s app.jfr
  mjfr profile --grafana -o app.pb.gz app.jfr
  mjfr profile -t wall -o wall.collapsed app.jfr
  mjfr profile --for 30s -o now.pb.gz 4711
  mjfr profile --event jdk.FileRead --value bytesRead app.jfr`,
		Args:    cli.NeedFiles,
		PreRunE: func(cmd *cobra.Command, args []string) error { return v.check(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if v.length > 0 {
				return v.runLive(cmd.Context(), args[0])
			}
			err := v.open(cmd.Context(), args, func(in *inputs) error { return v.run(cmd.Context(), in) })
			return cmp.Or(v.jvmNoFile(err, args), err)
		},
	}
	v.flags(cmd.Flags())
	return cmd
}

// check checks the flags, as far as that is possible without the recordings.
func (v *verb) check(cmd *cobra.Command, args []string) (err error) {
	if cmd.Flags().Changed("for") || cmd.Flags().Changed("every") {
		if err := v.checkLive(args); err != nil {
			return err
		}
	}
	known := kindNames()
	for _, name := range v.kinds {
		if !slices.Contains(known, name) {
			return cli.Usagef("there is no profile type %q; types are %s%s", name, strings.Join(known, ", "), suggest.Question(name, known))
		}
	}
	switch {
	case cmd.Flags().Changed("type") && len(v.kinds) == 0:
		return cli.Usagef("-t needs a type of profile:  %s", strings.Join(known, ", "))
	case v.value != "" && v.total:
		return cli.Usagef("--value and --count cannot be used together: events count by a field or alone")
	case v.Limit > 0 || v.Tail > 0:
		return cli.Usagef("--limit and --tail select single events; use --from and --to to profile part of the time, and --rows for fewer rows")
	case v.value != "" && v.event == "":
		return cli.Usagef("--value needs --event: the type of the events that have the field")
	case v.event != "" && len(v.kinds) > 0:
		return cli.Usagef("--event and -t cannot be used together")
	case v.latency < 0 || v.tag+v.request != "" && v.latency == 0:
		return cli.Usagef("--latency must be a length of time, such as 100ms, and --tag and --latency-event need it")
	case v.tag != "" && v.request != "":
		return cli.Usagef("--tag selects spans, --latency-event other events: give one of them; --where applies to samples only")
	case v.pauses != "" && v.pauses != "in" && v.pauses != "out":
		return cli.Usagef("--gc-pauses is in or out, not %q", v.pauses)
	case v.rows < 0:
		return cli.Usagef("--rows cannot be negative")
	case !slices.Contains(profile.AllBy, profile.By(v.by)):
		return cli.Usagef("--by cannot be %q; choose method, class, package, thread, state, object or path", v.by)
	case v.by == string(profile.ByPath) && v.event == "" && len(v.kinds) > 0 && !slices.Equal(v.kinds, []string{"io"}):
		return cli.Usagef("--by path is for -t io, and for --event with events of files or sockets; --by object shows classes")
	case v.index && v.names.Lines:
		return cli.Usagef("--bci and --lines cannot be used together: a method has one of them")
	case v.json && v.csv:
		return cli.Usagef("--json and --csv cannot be used together")
	case v.spreadsheetSafe && !v.csv:
		return cli.Usagef("--spreadsheet-safe is for --csv")
	}
	if v.by == string(profile.ByPath) && v.event == "" {
		v.kinds = []string{"io"}
	}
	if v.diff != "" && !cmd.Flags().Changed("norm") {
		v.names.Normalize = true // lambdas have other numbers in each run
	}
	v.choice.States, v.choice.JavaOnly, v.choice.Names, v.choice.Pools = v.states, v.javaOnly, v.names, v.names.Normalize
	if v.choice.Include, err = patterns("--include", v.include); err != nil {
		return err
	}
	if v.choice.Exclude, err = patterns("--exclude", v.exclude); err != nil {
		return err
	}
	if v.output, err = v.chooseFormat(cmd); err != nil {
		return err
	}
	v.choice.Threads, v.choice.Classify = v.threads, v.classify
	return v.Options.Check()
}

func patterns(option string, list []string) (compiled []*regexp.Regexp, err error) {
	for _, text := range list {
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, cli.Usagef("%s: %v", option, err)
		}
		compiled = append(compiled, re)
	}
	return compiled, nil
}

// run writes the profile of what was named.
func (v *verb) run(ctx context.Context, in *inputs) error {
	p, sel, err := v.profile(ctx, in)
	if err != nil {
		return err
	}
	note := "note"
	if len(v.key) > 0 {
		note += " of " + batch.KeyText(v.key)
	}
	v.reportNotes(p, note)
	if len(v.kinds) > 0 || v.event != "" {
		for _, text := range selection.Throttled(ctx, in.set, v.ours()) {
			v.Report(fmt.Errorf("%s: %s", note, text))
		}
	}
	if !v.output.Events && v.isEmpty(p) {
		if err := v.nothing(ctx, in, sel); err != nil || v.isShown() {
			return err
		}
		v.addKinds(in, p)
	}
	v.noteOtherKind(in, sel, p)
	v.files = in.files()
	if v.title == "" {
		v.title = strings.Join(in.fileNames(), ", ")
	}
	if err := v.readBase(ctx, p); err != nil {
		return err
	}
	if v.output.Single && p.Kinds()[0].Name != export.Untyped().Name && isUntyped(p) {
		v.Report(errors.New("note: left out files that do not say what they count; say it with -t, such as -t cpu"))
	}
	write := func(w io.Writer) error {
		if v.output.Events {
			bar := v.Progress("reading events", cli.BytesOf(in.set), cli.AtEnd)
			defer bar.Done()
			v.selected.Progress = bar.Add
		}
		return v.write(ctx, w, p)
	}
	if v.split {
		return v.writeSplit(ctx, p)
	}
	if v.out == "" || v.out == "-" {
		return write(v.Stdout)
	}
	return v.writeFile(v.out, write)
}

// reportNotes reports what is missing or in doubt of what is written, and of a single type how its
// numbers came about, too.
func (v *verb) reportNotes(p *profile.Profile, title string) {
	warnings, kinds := p.Warnings(), p.Kinds()
	for _, note := range p.Notes() {
		name, _, _ := strings.Cut(note, ": ")
		at := slices.IndexFunc(kinds, func(k profile.Kind) bool { return k.Name == name })
		if v.output.Single && at <= 0 || !v.output.Single && slices.Contains(warnings, note) {
			v.Report(fmt.Errorf("%s: %s", title, note))
		}
	}
}

// writeFile writes a file, unless it is one of those that were read.
func (v *verb) writeFile(name string, write func(io.Writer) error) error {
	if cli.IsAmong(name, v.files) {
		return cli.Usagef("%s: it is one of the files that are read; name another file to write", name)
	}
	if err := cli.CheckOut(name, v.force || v.written[name]); err != nil {
		return err
	}
	if err := atomicfile.Write(name, write); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if v.written == nil {
		v.written = make(map[string]bool)
	}
	v.written[name] = true // --every writes it again
	return nil
}

// readBase reads the profile to compare with, if one is asked for.
func (v *verb) readBase(ctx context.Context, p *profile.Profile) error {
	if v.diff == "" || v.base != nil {
		return nil
	}
	return v.open(ctx, []string{v.diff}, func(in *inputs) (err error) {
		if v.base, _, err = v.profile(ctx, in); err != nil {
			return err
		}
		v.reportNotes(v.base, "note of "+v.diff)
		v.files = append(v.files, in.files()...)
		if isUntyped(p) != isUntyped(v.base) {
			return cli.Usagef("one of the files to compare does not say what it counts; say it with -t, such as -t cpu")
		}
		return v.keepCommon(p)
	})
}

// keepCommon keeps of a profile, and of the one to compare with, the types that both have: others
// cannot be compared.
func (v *verb) keepCommon(p *profile.Profile) error {
	names := func(p *profile.Profile) (list []string) {
		for _, k := range p.Kinds() {
			list = append(list, k.Name)
		}
		return list
	}
	now, before := names(p), names(v.base)
	common := slices.DeleteFunc(slices.Clone(now), func(name string) bool { return !slices.Contains(before, name) })
	if len(now) > 0 && len(before) > 0 && len(common) == 0 {
		return cli.Usagef("the files to compare have no type in common: these are samples of type %s, and %s has those of type %s; -t chooses a type",
			strings.Join(now, ", "), v.diff, strings.Join(before, ", "))
	}
	if len(common) > 0 && v.output.Single {
		*p = *p.Choose(profile.Choice{Kinds: common})
	}
	return nil
}

// isUntyped reports whether a part of a profile is of files that do not say what they count.
func isUntyped(p *profile.Profile) bool {
	return slices.ContainsFunc(p.Kinds(), func(k profile.Kind) bool { return k.Name == export.Untyped().Name })
}

// read reads the profile.
func (v *verb) read(ctx context.Context, set *input.Set, sel *selection.Selection) (*profile.Profile, error) {
	var chosen print.Options
	sel.Choose(&chosen)
	bar := v.Progress("profiling", cli.BytesOf(set), cli.AtEnd)
	defer bar.Done()
	o := v.readOptions()
	o.Filters, o.Where, o.OnError, o.Progress = chosen.Filters, chosen.Where, chosen.OnError, bar.Add
	if v.event != "" {
		name, err := eventName(set, v.event)
		if err != nil {
			return nil, err
		}
		o.Events = []profile.EventKind{{Type: name, Value: v.value}}
	}
	where, err := v.windows(ctx, set, o.Where)
	if err != nil {
		return nil, err
	}
	o.Where = where
	if v.output.Events {
		if o.Kinds == nil && v.event == "" {
			o.Kinds = []string{"cpu", "running", "wall", "native", "alloc"} // events have the others
		}
		v.selected = export.Options{Recordings: set.Recordings, Filters: o.Filters, Where: o.Where, OnError: o.OnError}
	}
	p, err := profile.Read(ctx, set.Recordings, o)
	if errors.Is(err, mmapjfr.ErrNoField) || errors.Is(err, profile.ErrNoAmount) {
		err = cli.Usagef("--value %s: %v", v.value, err)
	}
	return p, err
}

// column returns the column that is shown: the main one of the first kind.
func (v *verb) column(p *profile.Profile) profile.Column {
	kinds := p.Kinds()
	c := profile.Column{Kind: &kinds[0], Value: p.Main(&kinds[0])}
	if v.total {
		c.Value = 0
	}
	return c
}

// fileNames returns the names of the files, without their folders.
func (in *inputs) fileNames() (names []string) {
	for _, rec := range in.set.Recordings {
		names = append(names, filepath.Base(in.set.Name(rec)))
	}
	for _, name := range in.names {
		names = append(names, filepath.Base(name))
	}
	return names
}
