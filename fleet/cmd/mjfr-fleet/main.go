// Command mjfr-fleet makes profiles, and answers questions, of many recordings on Apache Beam: by itself on this
// machine, or on a cluster.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3" // of results and lists
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/answers"
	"github.com/mmapjfr/jfr/fleet/internal/fleet"
	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

func main() {
	atomicfile.Narrow(0o600) // the modes of recordings that other machines read are not known here
	for _, arg := range os.Args[1:] {
		if arg == "--worker=true" || arg == "--worker" { // an engine has started a worker
			flag.Parse()
			beam.Init()
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // another signal ends this program at once
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// errDamaged says that there is damage, which has been reported.
var errDamaged = errors.New("some recordings could not be read")

// errInterrupted is the error of a job that is not waited for any more.
var errInterrupted = errors.New("interrupted")

// run runs the command, and returns the exit code, as mjfr batch has them.
func run(ctx context.Context, args []string) int {
	root := newRoot()
	root.SetArgs(args)
	err := checkVerb(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	switch {
	case err == nil:
		return 0
	case err == errDamaged:
		return 1
	case ctx.Err() != nil:
		err = errInterrupted
	}
	fmt.Fprintln(os.Stderr, "mjfr-fleet:", err)
	switch {
	case errors.Is(err, errInterrupted):
		return 130
	case answers.IsUsage(err):
		return 2
	}
	return 1
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use: "mjfr-fleet VERB", Short: "Make profiles and answer questions of many recordings on Apache Beam",
		Long: `Make profiles, and answer questions, of many recordings on Apache Beam. The verbs are profile, query,
view and export of mjfr batch, with their flags. Without other flags all is done by this program,
on this machine; --runner flink, spark or universal, with --endpoint, --environment_type and
other flags of Beam, sends the work to a cluster.

  mjfr-fleet profile 's3://profiles/2026-11-20/' -o out/
  mjfr-fleet profile --key service,version --labels '{service}/{version}/*.jfr' --diff version -o out/ recordings/
  mjfr-fleet export --parquet lake/ --key service --labels '{service}/{host}/*.jfr' recordings/
  mjfr-fleet query -o out/ 'select @class, count(*) from ObjectAllocationSample group by @class' recordings/

What could not be read is in out/damage.ndjson, and the exit code is 1 then.`,
		SilenceErrors: true, SilenceUsage: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, verb := range []string{"profile", "query", "view", "export"} {
		root.AddCommand(newVerb(verb))
	}
	return root
}

// checkVerb returns an error if the first word of a command line is no verb. Flags that follow it are those of the verb that is
// meant, which the root does not know.
func checkVerb(root *cobra.Command, args []string) error {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return nil
	}
	if cmd, _, err := root.Find(args[:1]); err == nil && cmd != root {
		return nil
	}
	hint := "mjfr-fleet help lists all"
	if like := root.SuggestionsFor(args[0]); len(like) > 0 {
		hint = "did you mean " + strings.Join(like, " or ") + "?"
	}
	return answers.Usage(fmt.Errorf("unknown verb %s; %s", args[0], hint))
}

// checkInputs returns an error if there is nothing at a name of the file system. Recordings that are missing are damage of the job.
func checkInputs(names []string) error {
	for _, name := range names {
		if isObject(name) || strings.HasSuffix(name, ".jfr") {
			continue
		}
		_, err := os.Stat(name)
		if matches, bad := filepath.Glob(name); errors.Is(err, fs.ErrNotExist) && (bad != nil || len(matches) == 0) {
			return fmt.Errorf("%s: no such file or folder", name)
		}
	}
	return nil
}

// refused are flags of verbs that make no sense here: they say how one file is written.
var refused = []string{"format", "split", "title"}

// verb is a verb with the flags of this program.
type verb struct {
	job fleet.Job
	mib int64
	// logLevel is how much engines say.
	logLevel string
	ask      func(args []string) (answers.Asked, error)
}

func newVerb(name string) *cobra.Command {
	v := &verb{}
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.StringVarP(&v.job.Out, "output", "o", "", "write results into the folder `DIR`, which may be of gs or s3")
	own.StringVar(&v.job.Manifest, "manifest", "", "read the names of recordings from `FILE`, or JSON lines with uri, size, etag and labels")
	own.StringSliceVar(&v.job.Key, "key", nil, "make a result for each value of these `LABELS`, such as service,date")
	own.StringVar(&v.job.Labels, "labels", "", "find labels in names by this `TEMPLATE`, such as {service}/{date}/{host}/{time}.jfr")
	own.StringVar(&v.job.Diff, "diff", "", "write what has changed between values of a `LABEL` of the key, as in version, or service=a,b")
	own.StringSliceVar(&v.job.Names, "name", nil, "call the files of a key by these `NAMES`, whose endings say the format")
	own.Int64Var(&v.mib, "item-size", 64, "read about `N` MB at once: small files together, and large ones in parts if their results add up")
	own.IntVar(&v.job.Split, "parts", 0, "give a worker `N` parts of a large file; 0 is 16")
	own.IntVar(&v.job.Fanout, "fanout", 0, "let `N` workers merge what there is of a key before one merges the rest")
	own.StringVar(&v.logLevel, "log-level", "", "show messages of Beam of this `LEVEL` and above: debug, info, warn or error; warn for engines besides this program")
	addBeamFlags(own)
	cmd, ask := answers.Command(name, own)
	v.ask = ask
	cmd.Use = name + map[string]string{
		"profile": " [flags] -o DIR FILE...", "query": " [flags] -o DIR STATEMENT FILE...", "view": " [flags] -o DIR VIEW FILE...",
		"export": " [flags] --parquet DIR FILE...",
	}[name]
	cmd.Short = "mjfr batch " + name + " on Apache Beam"
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return v.run(cmd, args) }
	return cmd
}

func (v *verb) run(cmd *cobra.Command, args []string) error {
	for _, name := range refused {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			return answers.Usage(fmt.Errorf("--%s is of mjfr %s alone; --name says which files to write", name, cmd.Name()))
		}
	}
	asked, err := v.ask(args)
	if err != nil {
		return err
	}
	j := &v.job
	j.Note, j.Inputs, j.ItemSize = asked.Note, asked.Inputs, v.mib<<20
	tables := ""
	if e, ok := asked.Question.(*batch.Export); ok {
		tables, j.Out = e.Dir, cmp.Or(j.Out, e.Dir+"/_batch")
	}
	switch {
	case !slices.Contains([]string{"", "debug", "info", "warn", "error"}, v.logLevel):
		return answers.Usage(fmt.Errorf("--log-level takes debug, info, warn or error; got %s", v.logLevel))
	case j.Out == "":
		return answers.Usage(errors.New("-o is missing: the folder for results"))
	case j.Manifest == "" && len(j.Inputs) == 0:
		return answers.Usage(errors.New("no recording given: name files, folders or objects, or a list with --manifest"))
	case j.Manifest != "" && len(j.Inputs) > 0:
		return answers.Usage(errors.New("--manifest names all recordings; name no others"))
	}
	if len(j.Names) == 0 && cmd.Name() != "export" {
		j.Names = defaultNames(cmd)
	}
	engine, err := engine()
	if err != nil {
		return answers.Usage(err)
	}
	if err := checkEngine(engine, j, tables); err != nil {
		return answers.Usage(err)
	}
	if !hasOwnWorkers(engine) {
		if err := checkInputs(j.Inputs); err != nil {
			return err
		}
	}
	p, s := beam.NewPipelineWithRoot()
	if err := fleet.Build(s, *j); err != nil {
		return answers.Usage(err)
	}
	done, err := execute(cmd.Context(), engine, v.logLevel, p, j.Out)
	if err != nil || !done {
		return err
	}
	return report(cmd.Context(), j.Out, cmp.Or(tables, j.Out), cmd.Name() == "view")
}

// defaultNames returns the files of a key that are written if none are named.
func defaultNames(cmd *cobra.Command) []string {
	if cmd.Name() == "profile" {
		return []string{"profile.pb.gz", "flamegraph.html"}
	}
	for format, end := range map[string]string{"json": "json", "ndjson": "ndjson", "csv": "csv", "tsv": "tsv", "markdown": "md", "html": "html"} {
		if f := cmd.Flags().Lookup(format); f != nil && f.Changed {
			return []string{cmd.Name() + "." + end}
		}
	}
	return []string{cmd.Name() + ".txt"}
}

// countOf returns a number of things as text.
func countOf(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// mostListed is how many recordings that could not be read are listed.
const mostListed = 50

// report says what has been written to a folder, what could not be read, and what no recording has of what the question names. A view of
// event types that there are none of is empty.
func report(ctx context.Context, out, folder string, isView bool) error {
	results, damage, err := fleet.Report(ctx, out)
	if err != nil {
		return err
	}
	objects, files, missing := 0, 0, 0
	var fits []batch.Fit
	for _, r := range results {
		fits = batch.MergeFits(fits, r.Fits)
		objects, files = objects+r.Objects, files+len(r.Files)
		if r.Missing != nil {
			missing++
			fmt.Fprintf(os.Stderr, "mjfr-fleet: no recording has %s, which --diff names\n", batch.KeyText([]batch.Label{*r.Missing}))
		}
	}
	for _, err := range fleet.Lacking(fits, isView) {
		missing++
		fmt.Fprintf(os.Stderr, "mjfr-fleet: %v\n", err)
	}
	wrong := 0
	for _, d := range damage {
		if d.Note {
			continue
		}
		if wrong++; wrong <= mostListed {
			fmt.Fprintf(os.Stderr, "mjfr-fleet: %s: %s\n", d.Object, d.Error)
		}
	}
	fmt.Fprintf(os.Stderr, "mjfr-fleet: %s, %s in %s, %s that could not be read\n", countOf(objects, "recording"), countOf(files, "file"), folder, countOf(wrong, "thing"))
	if wrong+missing > 0 {
		return errDamaged
	}
	return nil
}
