package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// typesOptions are what mjfr types is told.
type typesOptions struct {
	selectOptions
	all  bool
	sort string
	json bool
}

// newTypes is the verb that lists event types.
func newTypes(a *app) *cobra.Command {
	var o typesOptions
	cmd := &cobra.Command{
		Use:   "types [flags] FILE...",
		Short: "List the event types",
		Long: `List the event types of which there are events, with how many there are of each and
how many bytes they take. Only events that are selected count.

` + aboutSelections,
		Example: `  mjfr types app.jfr
  mjfr types --categories GC --sort bytes app.jfr
  mjfr types --all --events 'jdk.Java*' app.jfr`,
		Args: files,
		PreRunE: func(*cobra.Command, []string) error {
			if typeOrders[o.sort] == nil {
				return usagef("types cannot be sorted by %q; take name, count or bytes", o.sort)
			}
			return o.check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), args, func(set *input.Set) error {
				return a.listTypes(cmd.Context(), set, &o)
			})
		},
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "list types without events, too")
	o.selectFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.sort, "sort", "count", "sort by `KEY`: name, count or bytes")
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON document")
	return cmd
}

// typeOrders are the ways to sort types. Those that are equal stay as they were:
// most events first, and then by name.
var typeOrders = map[string]func(a, b *summary.Type) int{
	"name":  func(a, b *summary.Type) int { return strings.Compare(a.Name, b.Name) },
	"count": func(a, b *summary.Type) int { return cmp.Compare(b.Events, a.Events) },
	"bytes": func(a, b *summary.Type) int { return cmp.Compare(b.Bytes, a.Bytes) },
}

// typesDocument is what mjfr types --json prints.
type typesDocument struct {
	Types []summary.TypeDocument `json:"types"`
	// Selection is which events count; empty for all.
	Selection string                  `json:"selection,omitempty"`
	Errors    []summary.FaultDocument `json:"errors"`
}

func (a *app) listTypes(ctx context.Context, set *input.Set, o *typesOptions) error {
	sel, err := a.selected(set, &o.selectOptions, nil)
	if err != nil {
		return err
	}
	s, err := a.count(ctx, sel, false)
	if err != nil {
		return err
	}
	a.tellFaults(set, s)
	types := o.choose(s.Types, sel.byType)
	if o.json {
		return a.writeJSON(typesDocument{
			summary.TypeDocuments(types), s.Selection, summary.FaultDocuments(s.Faults, set.Name),
		})
	}
	if sel.given() {
		if err := a.writeSelection(s.Selected()); err != nil {
			return err
		}
	}
	t := terminal.NewTable(terminal.Column{Title: "Event Type"}, terminal.Number("Count"),
		terminal.SizeColumn("Size"), terminal.Column{Title: "Label"})
	for _, typ := range types {
		t.Row(terminal.Plain(typ.Name), terminal.Count(typ.Events), terminal.Size(typ.Bytes), terminal.Plain(typ.Type.Label()))
	}
	if err := t.Write(a.stdout, a.style); err != nil {
		return err
	}
	if len(types) > 0 {
		return nil // some without events, maybe
	}
	return sel.tellIfNothing(ctx)
}

// choose returns the types that are to be listed, in their order.
func (o *typesOptions) choose(types []*summary.Type, filters []mmapjfr.Filter) (list []*summary.Type) {
	for _, t := range types {
		if t.IsEvent() && (o.all && wantedBy(filters, t.Type) || t.Events > 0) {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, typeOrders[o.sort])
	return list
}
