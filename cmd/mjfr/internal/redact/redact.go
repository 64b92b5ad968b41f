// Package redact is the verb redact: it takes out of recordings what others must not see.
package redact

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/redact"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// options are the flags of mjfr redact.
type options struct {
	standard, classes, threads, force, dryRun, check, printRules bool
	rules                                                        []string
	keyFile, report, original                                    string
}

// New makes the verb that takes out of recordings what others must not see.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:         "redact [flags] FILE... OUT",
		Annotations: map[string]string{cli.RecordingsKey: "Several files are joined, in time order."},
		Short:       "Remove secrets, hosts and users",
		Long: `Copy FILE to OUT without secrets and names. The default rules remove passwords, tokens, keys, card and
account numbers, values of environment variables, command lines of other processes, query strings of
URLs, and literals in SQL. Users, hosts, addresses, mail addresses and home directories get pseudonyms:
the same text gets the same pseudonym, in all files that are redacted with the same key (--key-file).

--classes gives pseudonyms to classes, methods and packages other than the JDK's, and --threads to
threads other than the JVM's.

A report says how often each rule matched, and where; it shows no values.

--check searches files, packed ones too, for what the rules would remove, in all encodings of strings.
With --original it also searches for the texts that were replaced in the original. The exit code is 1
if anything is found. A clean check is no proof: rules know patterns, not meaning. mjfr at FILE
OFFSET shows what holds a finding.

docs/REDACT.md describes the language of rules; --print-rules prints the default ones.`,
		Example: `  mjfr redact app.jfr shared.jfr
  mjfr redact --classes --threads --key-file team.key monday.jfr monday-shared.jfr
  mjfr redact --default --rules ours.rules --dry-run app.jfr
  mjfr redact --check shared.jfr
  mjfr redact --check --original app.jfr shared.jfr
  mjfr redact --print-rules > ours.rules`,
		Args: func(cmd *cobra.Command, args []string) error { return o.usage(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), a, args, &o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.standard, "default", false, "with --rules: also apply the default rules")
	f.StringArrayVar(&o.rules, "rules", nil, "apply the rules of a `FILE` instead of the default ones, or with --default before them; repeatable")
	f.BoolVar(&o.classes, "classes", false, "give pseudonyms to classes, methods and packages")
	f.BoolVar(&o.threads, "threads", false, "give pseudonyms to threads")
	f.StringVar(&o.keyFile, "key-file", "", "derive pseudonyms from the key in `FILE`, which is created if it does not exist; without it, each run uses a new key")
	f.StringVar(&o.report, "report", "text", "print the report as `FORMAT`: text or json")
	f.BoolVar(&o.dryRun, "dry-run", false, "report what would be changed, and write nothing; takes no OUT")
	f.BoolVar(&o.force, "force", false, "replace OUT if it exists")
	f.BoolVar(&o.check, "check", false, "look for patterns in the bytes of the files, and write nothing; takes no OUT")
	f.StringVar(&o.original, "original", "", "with --check, look also for what the rules replace in a `FILE`: the recording before it was redacted")
	f.BoolVar(&o.printRules, "print-rules", false, "print the default rules")
	return cmd
}

// usage returns an error if the command line is wrong.
func (o *options) usage(cmd *cobra.Command, args []string) error {
	switch {
	case o.report != "text" && o.report != "json":
		return cli.Usagef("--report cannot be %q: it must be text or json", o.report)
	case o.check && o.dryRun:
		return cli.Usagef("--check and --dry-run cannot be used together")
	case o.check && (o.classes || o.threads):
		return cli.Usagef("--check does not look for names of classes and threads; leave out --classes and --threads")
	case o.original != "" && !o.check:
		return cli.Usagef("--original needs --check")
	case o.printRules && len(args) > 0:
		return cli.Usagef("--print-rules takes no files")
	case o.printRules:
		return nil
	case o.check || o.dryRun:
		return cli.NeedFiles(cmd, args)
	case len(args) < 2:
		return cli.Usagef("name a recording and the file to write, as in %s app.jfr shared.jfr", cmd.CommandPath())
	}
	return nil
}

func run(ctx context.Context, a *cli.App, args []string, o *options) error {
	if o.printRules {
		_, err := io.WriteString(a.Stdout, redact.DefaultText())
		return err
	}
	rules, err := o.readRules()
	if err != nil {
		return err
	}
	if o.check {
		return check(ctx, a, args, rules, o)
	}
	names, out := args, ""
	if !o.dryRun {
		names, out = args[:len(args)-1], args[len(args)-1]
		if err := o.checkOut(out); err != nil {
			return err
		}
	}
	key := redact.RandomKey()
	if o.keyFile != "" {
		if key, err = redact.ReadKey(o.keyFile); err != nil {
			return err
		}
	}
	return a.WithInput(ctx, names, input.Options{Open: []mmapjfr.Option{mmapjfr.ReadWhole()}}, func(set *input.Set) error {
		return write(ctx, a, set, out, redact.New(rules, key), o)
	})
}

// checkOut returns an error if a file must not be written.
func (o *options) checkOut(out string) error {
	if o.keyFile != "" && filepath.Clean(out) == filepath.Clean(o.keyFile) || out != "-" && cli.IsAmong(out, append(slices.Clone(o.rules), o.keyFile)) {
		return fmt.Errorf("%s: this is the file with the key or the rules; name another file to write", out)
	}
	return cli.CheckOut(out, o.force)
}

// readRules returns the rules that the flags name.
func (o *options) readRules() (*redact.Rules, error) {
	rules := &redact.Rules{}
	if o.standard || len(o.rules) == 0 {
		rules = redact.Default()
	}
	for i := len(o.rules) - 1; i >= 0; i-- { // the first comes first
		text, err := cli.ReadFile(o.rules[i], cli.MaxText)
		if err != nil {
			return nil, err
		}
		more, err := redact.Parse(o.rules[i], bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		rules.Add(more)
	}
	if o.classes {
		rules.HideClasses()
	}
	if o.threads {
		rules.HideThreads()
	}
	return rules, nil
}

// write writes the copy of recordings, or only reads them, and reports.
func write(ctx context.Context, a *cli.App, set *input.Set, out string, r *redact.Redactor, o *options) error {
	var copied *rewrite.Report
	fill := func(w io.Writer) (err error) {
		copied, err = edit(ctx, a, set, w, r)
		if err == nil && copied.Bytes == 0 {
			return cli.ErrNothing
		}
		return err
	}
	err := error(nil)
	if o.dryRun {
		err = fill(io.Discard)
	} else {
		err = a.WriteOut(ctx, out, set, fill)
	}
	if err != nil {
		return err
	}
	for name, n := range copied.Types {
		r.Dropped(name, n.Before-n.After)
	}
	a.NoteLeftOut(copied)
	for _, rule := range r.Unfit() {
		a.Notice(terminal.Printable(rule) + ": no type or field of the recording fits this rule; is its name right?")
	}
	return show(a, r.Report(), copied, out, o)
}

// edit learns names from recordings and copies them.
func edit(ctx context.Context, a *cli.App, set *input.Set, w io.Writer, r *redact.Redactor) (*rewrite.Report, error) {
	for _, rec := range set.Recordings {
		if err := r.Learn(ctx, rec); err != nil {
			return nil, fmt.Errorf("%s: %w", set.Name(rec), cli.Reason(err))
		}
	}
	return a.Copy(ctx, w, set, "redacting", &rewrite.Plan{
		Edits: r,
		Drop:  func(t mmapjfr.Type) bool { return r.Drops(t.Name()) },
	})
}

// document is what mjfr redact --report json prints.
type document struct {
	Out     string             `json:"out"` // empty if nothing was written
	Bytes   uint64             `json:"bytes"`
	Changes int64              `json:"changes"`
	Rules   []redact.RuleCount `json:"rules"`
}

// show prints the report.
func show(a *cli.App, report *redact.Report, copied *rewrite.Report, out string, o *options) error {
	to := *a
	if out == "-" {
		to.Stdout = a.Stderr
	}
	if o.report == "json" {
		return to.WriteJSON(document{out, copied.Bytes, report.Count(), report.Rules})
	}
	w := to.Stdout
	if _, err := io.WriteString(w, report.String()); err != nil {
		return err
	}
	end := "nothing was written"
	if !o.dryRun {
		name := out
		if out == "-" {
			name = "standard output"
		}
		end = fmt.Sprintf("%s: %s", name, terminal.CountOf(copied.Bytes, "byte"))
	}
	_, err := fmt.Fprintf(w, "%s; %s\n", terminal.Printable(end), terminal.CountOf(uint64(report.Count()), "change"))
	return err
}
