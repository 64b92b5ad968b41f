package redact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/redact"
)

// checkedFile is what mjfr redact --check --report json prints of a file.
type checkedFile struct {
	File string `json:"file"`
	*redact.Checked
}

// check looks for patterns in files, and for what the rules replace in an original.
func check(ctx context.Context, a *cli.App, names []string, rules *redact.Rules, o *options) error {
	r := redact.New(rules, redact.Key{})
	if o.original != "" {
		if err := learnOriginal(ctx, a, o.original, r); err != nil {
			return err
		}
	}
	var all []checkedFile
	set, err := a.Open(ctx, names, input.Options{Bytes: func(name string, from io.Reader) error {
		checked, err := r.Check(ctx, from)
		if checked != nil {
			all = append(all, checkedFile{name, checked})
		}
		return err
	}})
	if err != nil {
		return err
	}
	return errors.Join(showChecked(a, all, rules, o), set.Close())
}

// showChecked shows what was found in files.
func showChecked(a *cli.App, all []checkedFile, rules *redact.Rules, o *options) error {
	for _, f := range all {
		a.Damaged = a.Damaged || f.Count > 0
	}
	if o.report == "json" {
		return a.WriteJSON(map[string]any{"files": all, "knows": rules.Knows()})
	}
	for _, f := range all {
		for _, found := range f.Findings {
			if _, err := fmt.Fprintf(a.Stdout, "%s: 0x%x: %s (%s, %s)\n", terminal.Printable(f.File), found.Offset, terminal.Printable(found.Rule),
				terminal.CountOf(uint64(found.Length), "byte"), found.Encoding); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(a.Stdout, "%s: %s in %s\n", terminal.Printable(f.File), terminal.CountOf(uint64(f.Count), "pattern"), terminal.CountOf(uint64(f.Bytes), "byte")); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(all, func(f checkedFile) bool { return f.Count == 0 }) {
		return nil
	}
	more := "; --original FILE also looks for what is replaced in the recording before it was redacted"
	if o.original != "" {
		more = "; and what the rules replace in " + terminal.Printable(o.original)
	}
	_, err := fmt.Fprintf(a.Stdout, "0 patterns means that nothing is left of what the rules know: %s%s. They cannot find what only its meaning gives away (docs/REDACT.md).\n",
		terminal.Printable(strings.Join(rules.Knows(), ", ")), more)
	return err
}

// learnOriginal makes a Redactor know what it would replace in a recording.
func learnOriginal(ctx context.Context, a *cli.App, name string, r *redact.Redactor) error {
	return a.WithInput(ctx, []string{name}, input.Options{}, func(set *input.Set) error {
		r.Remember()
		_, err := edit(ctx, a, set, io.Discard, r)
		return err
	})
}
