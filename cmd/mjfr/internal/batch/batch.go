// Package batch has the verb batch: the work on many recordings, divided among machines.
package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/export"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/profile"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/query"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
	statement "github.com/mmapjfr/jfr/mmapjfr/query"
)

// verb is a verb whose answers can be merged.
type verb interface {
	// Question returns what parsed flags and arguments ask, and which arguments are inputs.
	Question(cmd *cobra.Command, args []string) (q batch.Question, inputs []string, err error)
}

// writer is a verb that writes an answer for each key, with a title for formats that have one.
type writer interface {
	Write(ctx context.Context, p *batch.Partial, title string) error
}

// dataSet is a verb whose first step writes a data set.
type dataSet interface {
	// Out returns the folder for partial results if none is named, and Most how many recordings an
	// item has at most.
	Out() string
	Most() int
	// WriteAll writes what is known when all answers are there.
	WriteAll(f *batch.Folder, list []*batch.Partial) error
}

// verbs make commands with the flags of verbs. Of flags with one name merge has that of the first
// verb: export has no answers to write.
var verbs = []struct {
	name, use, short string
	make             func(a *cli.App) (*cobra.Command, verb)
}{
	{"profile", "[flags] --out DIR FILE...", "Profile many recordings", func(a *cli.App) (*cobra.Command, verb) { return profile.NewBatch(a) }},
	{"query", "[flags] --out DIR STATEMENT FILE...", "Query many recordings with SQL", func(a *cli.App) (*cobra.Command, verb) { return query.NewBatch(a) }},
	{"view", "[flags] --out DIR VIEW FILE...", "Show a prepared table of many recordings", func(a *cli.App) (*cobra.Command, verb) { return query.NewViewBatch(a) }},
	{"export", "[flags] --parquet DIR FILE...", "Write events of many recordings as tables", func(a *cli.App) (*cobra.Command, verb) { return export.NewBatch(a) }},
}

// New makes the verb.
func New(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "batch VERB",
		Short: "Process many recordings on many machines",
		Long: `Divide the work on many recordings among machines, and merge the results. The verbs are profile,
query, view and export, with their own flags, and merge:

  mjfr batch profile --out DIR FILE...    writes partial results to the folder DIR
  mjfr batch merge -o OUT DIR...          merges them, and writes what mjfr profile writes

FILE is a recording, a pattern, a folder, or a URL; those of folders such as s3://bucket/folder/
end in /. Folders stand for all files below them that end in .jfr, packed ones too. --manifest
reads a list. Machine 4 of 16 does --shard 3/16.

One machine reads a recording. A large one is divided only if the results of its parts add up:
in exports, in profiles such as lock, io and native, and in queries without joins, without
@weight that depends on settings or other samples, and without numbers such as gcId.

If a machine fails, start it again with the same command: finished work is not repeated.
Recordings that cannot be read stop nothing; merge lists them and exits with 1. Overlapping
dumps of a JVM count twice: join them with mjfr merge first.

--key service,date makes a result for each service and day. Labels are in the manifest, in
names, as --labels '{service}/{date}/{host}.jfr' says, or in folders such as service=shop.

mjfr batch export writes a data set to DIR/TABLE/service=shop/, and its partial results to
DIR/_batch; merge lists the files in DIR/_manifest.json.

Queries and views must have groups. Times need a date; without a zone they are in UTC, as days
are.`,
		Example: `  mjfr batch profile -t cpu --out work/ recordings/
  mjfr batch merge -o fleet.html work/
  mjfr batch query --shard 3/16 --out work/ 'select @class, count(*) from ObjectAllocationSample group by @class' recordings/
  mjfr batch view --key service --labels '{service}/{host}/{time}.jfr' --out work/ gc-pauses recordings/
  mjfr batch merge -o 'reports/{service}.txt' work/
  mjfr batch profile --shard 3/16 --out work/ s3://profiles/shop/`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, v := range verbs {
		cmd.AddCommand(a.Prepare(newRun(a, v.name, v.use, v.short)))
	}
	cmd.AddCommand(a.Prepare(newList(a)), a.Prepare(newMerge(a)))
	return cmd
}

// find returns the verb with a name, and a command with its flags.
func find(a *cli.App, name string) (*cobra.Command, verb) {
	for _, v := range verbs {
		if v.name == name {
			return v.make(a)
		}
	}
	return nil, nil
}

// run is mjfr batch profile, query or view with its own flags.
type run struct {
	*cli.App
	verb
	own                           pflag.FlagSet
	shard, out, manifest, labels  string
	key                           []string
	jobs, itemSize                int
	mu                            sync.Mutex
	done, before, damaged, unread int
	again                         int // of those that are not read: could not be fetched
	fetched                       int // parts of objects that could be
	unfetched                     *batch.Damage
	fits                          []batch.Fit
}

func newRun(a *cli.App, name, use, short string) *cobra.Command {
	cmd, v := find(a, name)
	r := &run{App: a, verb: v}
	cmd.Use, cmd.Short = name+" "+use, short
	cmd.Annotations = map[string]string{cli.RecordingsKey: "Each is a recording of its own."}
	cmd.Long = short + `. mjfr batch merge merges the partial results. See
mjfr help batch, and mjfr help ` + name + ` for the other flags.`
	cmd.Example = "  mjfr batch " + name + map[string]string{
		"profile": " --shard 3/16 --out work/ -t cpu recordings/", "query": " --out work/ 'select count(*) from jdk.*' recordings/",
		"view": " --out work/ hot-methods recordings/", "export": " --parquet lake/ --key service --labels '{service}/{host}/{time}.jfr' recordings/",
	}[name]
	f := &r.own
	f.StringVar(&r.shard, "shard", "", "do the share `I/N` of the work, with I from 0 to N-1")
	f.StringVar(&r.out, "out", "", "write partial results to the folder `DIR`, which machines can share")
	f.StringVar(&r.manifest, "manifest", "", "read names of recordings, or JSON lines with uri, size, etag and labels, from `FILE`; - is standard input")
	f.StringSliceVar(&r.key, "key", nil, "make a result for each value of these `LABELS`, such as service,date")
	f.StringVar(&r.labels, "labels", "", "find labels in names by this `TEMPLATE`, such as {service}/{date}/{host}/{time}.jfr")
	f.IntVar(&r.jobs, "jobs", 0, "do `N` items at once; by default one for each CPU")
	f.IntVar(&r.itemSize, "item-size", 64, "read about `N` MB at once")
	cmd.Flags().AddFlagSet(f)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return r.run(cmd, args) }
	return cmd
}

func (r *run) run(cmd *cobra.Command, args []string) error {
	shard, shards, err := parseShard(r.shard)
	if err != nil {
		return err
	}
	if err := r.check(cmd.Flags()); err != nil {
		return err
	}
	_, isDataSet := r.verb.(dataSet)
	if r.out == "" && !isDataSet {
		return cli.Usagef("--out is missing: the folder for partial results")
	}
	if f := cmd.Flags().Lookup("output"); f != nil && f.Changed {
		return cli.Usagef("-o is for mjfr batch merge; --format heatmap says that times are kept apart for it")
	}
	q, inputs, err := r.Question(cmd, args)
	if err != nil {
		return err
	}
	store := &batch.Store{Remote: r.Client(), MaxUnpacked: r.MaxUnpacked()}
	plan := batch.PlanOptions{By: r.key, Size: int64(r.itemSize) << 20, CanDivide: store.CanDivide}
	if d, ok := r.verb.(dataSet); ok {
		r.out, plan.Most, plan.Labels = cmp.Or(r.out, d.Out()), d.Most(), true
	}
	w := &batch.Work{
		Question: q, Note: note(cmd, &r.own, args[:len(args)-len(inputs)]), Shard: shard, Shards: shards, Dir: r.out,
		Open: store.Open, Workers: cmp.Or(r.jobs, runtime.GOMAXPROCS(0)), Done: r.count,
	}
	if err := w.Check(); err != nil { // before servers are asked for lists
		return err
	}
	objects, err := r.objects(cmd.Context(), store, inputs)
	if err != nil {
		return err
	}
	for _, o := range objects {
		r.Narrow(modeOf(o.Name))
	}
	if len(objects) == 0 {
		return fmt.Errorf("no recordings found; in folders only files that end in .jfr count, packed ones too")
	}
	if plan.Labeler, err = batch.NewLabeler(r.labels); err != nil {
		return cli.Usage(err)
	}
	if plan.Apart, err = batch.Unlisted(r.out); err != nil {
		return err
	}
	w.Items = batch.Plan(q, objects, plan)
	for _, item := range w.Items {
		r.unread, r.again = r.unread+len(item.Unlisted), r.again+len(item.Unlisted)
	}
	defer cli.SetGCPercent(50)()
	err = w.Run(cmd.Context())
	if !errors.Is(err, batch.ErrMixed) { // then nothing has been begun
		r.sum()
	}
	if _, wrong := errors.AsType[*statement.Error](err); wrong {
		return wrongUsage(r.verb, err)
	}
	if err == nil && shards == 1 && r.before == 0 { // else others know more
		err = misfit(r.verb, q, r.fits)
	}
	if err == nil && r.unfetched != nil && r.fetched == 0 {
		err = fmt.Errorf("no recording could be fetched: %s: %s", r.unfetched.Object, r.unfetched.Error)
	}
	return err
}

// sum says what has been done.
func (r *run) sum() {
	text := terminal.CountOf(uint64(r.done), "item") + " done"
	if r.before > 0 {
		text += ", " + strconv.Itoa(r.before) + " had been done before"
	}
	if r.again > 0 {
		text += "; " + terminal.CountOf(uint64(r.again), "file") + " could not be fetched, which the same command tries again"
	}
	if r.unread+r.damaged > 0 {
		text += "; " + terminal.CountOf(uint64(r.unread), "file") + " not counted, " + strconv.Itoa(r.damaged) + " in part; mjfr batch merge lists them"
	}
	r.Notice(text)
}

// check returns what is wrong with flags by themselves.
func (r *run) check(f *pflag.FlagSet) error {
	switch {
	case r.jobs < 0 || r.jobs == 0 && f.Changed("jobs"):
		return cli.Usagef("--jobs must be 1 or more")
	case r.itemSize < 1 || r.itemSize > 1<<30:
		return cli.Usagef("--item-size must be 1 or more, in MB, as in 64")
	}
	for i, name := range r.key {
		switch {
		case name == "" || strings.ContainsAny(name, "=/{} "):
			return cli.Usagef("--key takes names of labels, as in service,date; got %q", name)
		case slices.Contains(r.key[:i], name):
			return cli.Usagef("--key has the label %s twice", name)
		}
	}
	return nil
}

// count counts an item that is done.
func (r *run) count(p *batch.Partial) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p == nil {
		r.before++
		return
	}
	r.done++
	r.fits = batch.MergeFits(r.fits, p.Fits)
	unread, damaged, _ := split(p.Damage())
	r.unread, r.damaged = r.unread+len(unread), r.damaged+len(damaged)
	r.fetched += p.Objects()
	for _, d := range p.Damage() {
		if d.Again {
			r.again++
			r.fetched--
			r.unfetched = &d
		}
	}
}

// split returns the objects that could not be read, those that could only in part, and how many are
// only noted.
func split(list []batch.Damage) (unread, damaged map[string]bool, notes int) {
	unread, damaged = make(map[string]bool), make(map[string]bool)
	for _, d := range list {
		switch {
		case d.Note:
			notes++
		case d.Unread:
			unread[d.Object] = true
		default:
			damaged[d.Object] = true
		}
	}
	return unread, damaged, notes
}

// objects returns what is to be read.
func (r *run) objects(ctx context.Context, store *batch.Store, inputs []string) ([]batch.Object, error) {
	switch {
	case r.manifest == "" && len(inputs) == 0:
		return nil, cli.Usagef("no recording given: name files or folders, or a list with --manifest")
	case r.manifest != "" && len(inputs) > 0:
		return nil, cli.Usagef("--manifest names all recordings; name no others")
	case r.manifest == "":
		return store.List(ctx, inputs)
	case r.manifest == "-":
		list, err := store.ReadManifest(ctx, r.Stdin)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return list, nil
	}
	f, err := os.Open(r.manifest)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := store.ReadManifest(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.manifest, err)
	}
	return list, nil
}

// note returns the command line of the verb, with its flags in an order of their own, and without
// the other ones of a program.
func note(cmd *cobra.Command, own *pflag.FlagSet, args []string) []string {
	note := []string{cmd.Name()}
	cmd.Flags().Visit(func(f *pflag.Flag) { // in the order of names
		if own.Lookup(f.Name) != nil || cmd.InheritedFlags().Lookup(f.Name) != nil || f.Name == "output" {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			note = append(note, "--"+f.Name+"="+v)
		}
	})
	return slices.Concat(note, []string{"--"}, args)
}

// parseShard returns a share of the work.
func parseShard(text string) (i, n int, err error) {
	if text == "" {
		return 0, 1, nil
	}
	one, all, _ := strings.Cut(text, "/")
	i, err = strconv.Atoi(one)
	if err == nil {
		n, err = strconv.Atoi(all)
	}
	if err != nil || i < 0 || i >= n {
		return 0, 0, cli.Usagef("--shard takes I/N with I from 0 to N-1, as in 3/16; got %s", text)
	}
	return i, n, nil
}
