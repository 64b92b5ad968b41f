// Package metadata is the verb metadata: it shows the types that recordings describe.
package metadata

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/metadata"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// verb is mjfr metadata with its flags.
type verb struct {
	*cli.App
	sel          selection.Options // --events and --categories
	ids, json    bool
	search, diff string
}

func New(a *cli.App) *cobra.Command {
	v := &verb{App: a}
	cmd := &cobra.Command{
		Use:   "metadata [flags] FILE...",
		Short: "Show event types and their fields",
		Long: `Show event types with their fields, labels and descriptions, and the types of fields,
annotations and settings, as the JDK's jfr metadata does.

A type that several chunks or files describe alike is shown once; one that they describe
differently is shown in each form.

--diff shows what changed from FILE to OTHER. The exit code is 0 with or without changes.`,
		Example: `  mjfr metadata app.jfr
  mjfr metadata --events 'CPULoad,GC*' app.jfr
  mjfr metadata --categories JVM --json app.jfr
  mjfr metadata --search heap app.jfr
  mjfr metadata --diff new.jfr old.jfr`,
		Args: v.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.With(cmd.Context(), args, func(set *input.Set) error { return v.show(cmd, set) })
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&v.sel.Events, "events", nil, "only event types that match one of these `NAMES`: full or simple ones, separated by commas, with * and ? as wildcards")
	f.StringArrayVar(&v.sel.Categories, "categories", nil, "only event types of these `CATEGORIES`; initials work, as in JVM")
	f.BoolVar(&v.ids, "ids", false, "show type IDs")
	f.BoolVar(&v.json, "json", false, "write JSON")
	f.StringVar(&v.search, "search", "", "list the types and fields that have this `TEXT` in their name, label, description or category")
	f.StringVar(&v.diff, "diff", "", "show how the types of the recording `OTHER` differ from those of FILE")
	return cmd
}

// args checks the command line.
func (v *verb) args(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return cli.Usagef("no recording given: unlike jfr, mjfr has no JDK whose types it could show; name a recording, as in %s app.jfr", cmd.CommandPath())
	case cmd.Flags().Changed("search") && v.search == "":
		return cli.Usagef("--search needs a text to look for")
	case v.search != "" && v.diff != "":
		return cli.Usagef("--search and --diff cannot be used together")
	}
	return v.sel.Check()
}

func (v *verb) show(cmd *cobra.Command, set *input.Set) error {
	if v.diff != "" {
		return v.With(cmd.Context(), []string{v.diff}, func(other *input.Set) error { return v.showDiff(set, other) })
	}
	o, err := v.options(set.Recordings)
	if err != nil {
		return err
	}
	types := v.catalog(set)
	switch {
	case v.search != "":
		return v.writeMatches(metadata.Search(types.Types(o), v.search))
	case v.json:
		return v.WriteJSON(struct {
			Types []metadata.Type `json:"types"`
		}{append([]metadata.Type{}, types.Types(o)...)})
	}
	return types.WriteSource(v.Stdout, o)
}

// catalog reads what the recordings describe.
func (v *verb) catalog(set *input.Set) *metadata.Catalog {
	var c metadata.Catalog
	for _, rec := range set.Recordings {
		v.Damage(set.Name(rec), c.Add(rec))
	}
	return &c
}

// showDiff shows how the types of two sets differ. A name that only one set has is no mistake.
func (v *verb) showDiff(set, other *input.Set) error {
	o, err := v.options(append(slices.Clone(set.Recordings), other.Recordings...))
	if err != nil {
		return err
	}
	return v.writeDiff(metadata.Compare(v.catalog(set), v.catalog(other), o))
}

// options returns the library's options. Names must fit types of the recordings.
func (v *verb) options(recs []*mmapjfr.Recording) (o metadata.Options, err error) {
	o.IDs = v.ids
	types, missing := mmapjfr.EventTypes(recs)
	o.Filters, err = selection.ResolveTypes(v.App, v.sel.TypeFilters(), types, missing != nil)
	return o, err
}

func (v *verb) writeMatches(list []metadata.Match) error {
	if v.json {
		return v.WriteJSON(struct {
			Types []metadata.Match `json:"types"`
		}{append([]metadata.Match{}, list...)})
	}
	table := terminal.NewTable(
		terminal.Column{Title: "Type"}, terminal.Column{Title: "Field"},
		terminal.Column{Title: "Label"}, terminal.Column{Title: "Description"})
	for _, m := range list {
		if m.Itself {
			table.Row(cells(m.Name, "", m.Label, m.Description)...)
		}
		for _, f := range m.Fields {
			table.Row(cells(m.Name, f.Name, f.Label, f.Description)...)
		}
	}
	return table.Write(v.Stdout, v.Style)
}

// cells makes a cell of each text, in one line.
func cells(texts ...string) (cells []terminal.Cell) {
	for _, text := range texts {
		cells = append(cells, terminal.Plain(strings.Join(strings.Fields(text), " ")))
	}
	return cells
}

func (v *verb) writeDiff(d metadata.Diff) error {
	if v.json {
		return v.WriteJSON(d)
	}
	return d.WriteText(v.Stdout, func(line string, removed bool) string {
		if removed {
			return v.Style.Paint(terminal.Red, line)
		}
		return v.Style.Paint(terminal.Green, line)
	})
}
