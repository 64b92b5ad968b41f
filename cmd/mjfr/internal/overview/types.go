package overview

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// typesOptions are the flags of mjfr types.
type typesOptions struct {
	selection.Options
	all  bool
	sort string
	json bool
}

// NewTypes makes the verb that lists event types.
func NewTypes(a *cli.App) *cobra.Command {
	var o typesOptions
	cmd := &cobra.Command{
		Use:   "types [flags] FILE...",
		Short: "List event types",
		Long: `List event types with the number and size of their events. Types without events are left
out, unless --all is given.

` + selection.About,
		Example: `  mjfr types app.jfr
  mjfr types --categories GC --sort bytes app.jfr
  mjfr types --all --events 'jdk.Java*' app.jfr`,
		Args: cli.NeedFiles,
		PreRunE: func(*cobra.Command, []string) error {
			if typeOrders[o.sort] == nil {
				return cli.Usagef("--sort cannot be %q; choose name, count or bytes", o.sort)
			}
			return o.Check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd.Context(), args, func(set *input.Set) error {
				return listTypes(cmd.Context(), a, set, &o)
			}, o.Reading()...)
		},
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "also list types without events")
	o.SelectFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.sort, "sort", "count", "sort by `KEY`: name, count or bytes")
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON document")
	return cmd
}

// typeOrders are the orders of --sort. Equal types stay in their order: most events first, and then
// by name.
var typeOrders = map[string]func(a, b *summary.Type) int{
	"name":  func(a, b *summary.Type) int { return strings.Compare(a.Name, b.Name) },
	"count": func(a, b *summary.Type) int { return cmp.Compare(b.Events, a.Events) },
	"bytes": func(a, b *summary.Type) int { return cmp.Compare(b.Bytes, a.Bytes) },
}

// typesDocument is what mjfr types --json prints.
type typesDocument struct {
	Types []summary.TypeDocument `json:"types"`
	// Selection are the options that select events; empty for all events.
	Selection string                  `json:"selection,omitempty"`
	Errors    []summary.FaultDocument `json:"errors"`
}

func listTypes(ctx context.Context, a *cli.App, set *input.Set, o *typesOptions) error {
	sel, err := selection.Select(a, set, &o.Options, nil)
	if err != nil {
		return err
	}
	s, err := count(ctx, a, sel, false)
	if err != nil {
		return err
	}
	reportFaults(a, set, s)
	types := o.choose(s.Types, sel.ByType)
	if o.json {
		return a.WriteJSON(typesDocument{
			summary.TypeDocuments(types), s.Selection, summary.FaultDocuments(s.Faults, set.Name),
		})
	}
	if sel.Given() {
		if err := sel.Announce(s.Selected()); err != nil {
			return err
		}
	}
	t := terminal.NewTable(terminal.Column{Title: "Event Type"}, terminal.Number("Count"),
		terminal.SizeColumn("Size"), terminal.Column{Title: "Label"})
	for _, typ := range types {
		t.Row(terminal.Plain(typ.Name), terminal.Count(typ.Events), terminal.Size(typ.Bytes), terminal.Plain(typ.Type.Label()))
	}
	if err := t.Write(a.Stdout, a.Style); err != nil {
		return err
	}
	if len(types) > 0 {
		return nil // types without events may be among them
	}
	return sel.ReportIfEmpty(ctx)
}

// choose returns the types to list, in their order.
func (o *typesOptions) choose(types []*summary.Type, filters []mmapjfr.Filter) (list []*summary.Type) {
	for _, t := range types {
		if t.IsEvent() && (o.all && selection.AllMatch(filters, t.Type) || t.Events > 0) {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, typeOrders[o.sort])
	return list
}
