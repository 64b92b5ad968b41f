package query

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/ownviews"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/internal/views"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// viewVerb is mjfr view with its flags.
type viewVerb struct {
	reading
	files      []string // with views of the user
	parameters []string
	list       bool

	views []*views.View
}

// NewView makes the verb view.
func NewView(a *cli.App) *cobra.Command {
	v := &viewVerb{reading: reading{App: a}}
	cmd := &cobra.Command{
		Use:   "view [flags] VIEW FILE...",
		Short: "Show a prepared table, such as hot-methods",
		Long: `Show a prepared table or form: all views of the JDK's jfr, word for word, and more. VIEW is
a view (list them with --list) or an event type, whose events are shown. "types" lists event
types, "all-views" shows all views, and "all-events" all events.

Put views of your own into a file, and read it with -f FILE, or keep it as
~/.config/mjfr/NAME.views ($XDG_CONFIG_HOME is respected):

  view: slow-files
  title: Slow Files
  about: Files that took long to read
  from FileRead where duration > ${threshold=10ms}
  select path, count(*), max(duration) group by path

` + aboutLive + `
` + selection.About,
		Example: `  mjfr view hot-methods app.jfr
  mjfr view --verbose gc-pauses app.jfr
  mjfr view --cell-height 20 --width 160 contention-by-site app.jfr
  mjfr view all-views app.jfr
  mjfr view --markdown --from -60s latencies-by-type app.jfr
  mjfr view -f my.views -p threshold=20ms slow-files app.jfr
  mjfr view --live 4711 --every 5s latencies-by-type
  mjfr view --list`,
		Args: func(_ *cobra.Command, args []string) error { return v.checkArgs(args) },
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			return cmp.Or(v.output.check(), v.Options.Check(), v.checkLive())
		},
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&v.files, "file", "f", nil, "read views from `FILE`; repeatable")
	f.StringArrayVarP(&v.parameters, "parameter", "p", nil, ownviews.ParameterUsage)
	f.BoolVar(&v.list, "list", false, "list the views")
	v.flags(f)
	v.output.flags(f)
	selection.HideRows(f)
	return cmd
}

func (v *viewVerb) checkArgs(args []string) error {
	if err := ownviews.CheckParameters(v.parameters); err != nil {
		return err
	}
	switch {
	case v.list:
		return nil
	case len(args) == 0:
		return cli.Usagef("name a view, as in mjfr view hot-methods app.jfr; mjfr view --list has all")
	case len(args) == 1 && v.jvm == "":
		return cli.Usagef("name a recording after the view, or a JVM with --live")
	case len(args) > 1 && v.jvm != "":
		return cli.Usagef("--live shows one JVM, and no recordings")
	case len(args) > 1 && isFile(args[0]) && !isView(args[0]) && isView(args[1]):
		return cli.Usagef("the view comes first: mjfr view %s %s", args[1], args[0])
	}
	return nil
}

// isView reports whether a view of mjfr has a name.
func isView(name string) bool {
	_, is := views.Find(name)
	return is
}

// run shows a view.
func (v *viewVerb) run(ctx context.Context, args []string) error {
	if err := v.load(); err != nil {
		return err
	}
	if v.list {
		return v.writeList()
	}
	name, files := args[0], args[1:]
	if v.jvm != "" {
		one, err := v.find(name, nil)
		if err != nil {
			return err
		}
		o := query.Options{JDK: one.IsStandard(), Exact: v.isForPrograms()}
		st, err := one.Statement(ownviews.Values(v.parameters), o)
		if err != nil {
			return err
		}
		return v.follow(ctx, st, o, one.Label, one.Form)
	}
	return v.read(ctx, files, func(s *session) error {
		if name == "types" {
			return s.writeTypes(ctx)
		}
		list, err := v.chosen(s, name)
		if err != nil {
			return err
		}
		return s.show(ctx, list, name == "all-events")
	})
}

// load reads the views of the user, which come before those of mjfr.
func (v *viewVerb) load() error {
	own, err := ownviews.Read(v.App, v.files)
	v.views = append(own, views.All()...)
	return err
}

// shown is a view with its statement.
type shown struct {
	*views.View
	ofType    bool
	statement *query.Statement
	plan      *query.Plan
	missing   error // an event type, or a field, that the recordings do not have
}

// chosen returns the views that a name means.
func (v *viewVerb) chosen(s *session, name string) (list []shown, err error) {
	switch name {
	case "all-views":
		for _, one := range v.views {
			if one.IsStandard() {
				list = append(list, shown{View: one})
			}
		}
	case "all-events":
		known := make(map[string]bool)
		for _, t := range s.types {
			if t.IsEvent() && !known[t.Name()] {
				known[t.Name()] = true
				list = append(list, shown{View: ofType(t), ofType: true})
			}
		}
	default:
		one, err := v.find(name, s.types)
		if err != nil {
			return nil, err
		}
		list = []shown{{View: one, ofType: !slices.Contains(v.views, one)}}
	}
	for i := range list {
		if err := list[i].prepare(ownviews.Values(v.parameters), s, len(list) > 1); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// isStandard reports whether the view has the rows of the JDK's: it is one of the JDK's, or shows
// all events of a type.
func (v *shown) isStandard() bool { return v.IsStandard() || v.ofType }

// find returns the view, or the view of the event type, that has a name.
func (v *viewVerb) find(name string, types []mmapjfr.Type) (*views.View, error) {
	for _, one := range v.views {
		if strings.EqualFold(one.Name, name) {
			return one, nil
		}
	}
	t, err := engine.EventTypeNamed(types, name)
	if errors.Is(err, suggest.ErrAmbiguous) {
		wrong := err
		if t, err = engine.EventTypeNamed(types, "jdk."+name); err != nil { // the JDK prefers its own
			return nil, cli.Usage(wrong)
		}
	}
	if err == nil {
		v := ofType(t)
		if t.IsExperimental() && v.Label != "" {
			v.Label += " (Experimental)" // as the JDK has it, besides that of experimental tables
		}
		return v, nil
	}
	names := slices.Clone(ownviews.Reserved)
	for _, one := range v.views {
		names = append(names, one.Name)
	}
	for _, t := range types {
		names = append(names, t.Name())
	}
	return nil, cli.Usagef("no view or event type %s; mjfr view --list has the views%s", name, suggest.Question(name, names))
}

// ofType returns the view of all fields of an event type.
func ofType(t mmapjfr.Type) *views.View {
	name, _ := json.Marshal(t.Name()) // quotes have the escapes of JSON; a string cannot fail
	return &views.View{Name: t.Name(), Label: t.Label(), Query: "SELECT * FROM " + string(name)}
}

// prepare plans the statement of a view. Of several views those that do not fit the recordings are
// left out; one is left out if its event types are missing.
func (v *shown) prepare(parameters map[string]string, s *session, several bool) (err error) {
	o := s.options
	o.JDK, o.Exact = v.isStandard(), s.isForPrograms()
	if v.statement, err = v.Statement(parameters, o); err != nil {
		return cli.Usage(err)
	}
	if v.plan, err = s.plan(v.statement, o); err == nil {
		return nil
	}
	var wrong *query.Error
	if v.missing = err; errors.As(err, &wrong) && wrong.NoType || several || len(parameters) == 0 && slices.Contains(views.All(), v.View) {
		return nil
	}
	return fmt.Errorf("%s: %w", v.Name, cli.Usage(err))
}

// show reads the recordings for views and writes these. An empty line follows each if they are all
// events.
func (s *session) show(ctx context.Context, list []shown, all bool) error {
	var plans []*query.Plan
	for _, v := range list {
		if v.plan != nil {
			plans = append(plans, v.plan)
		}
	}
	found, err := s.answer(ctx, plans)
	if err != nil {
		return err
	}
	s.table.Array = len(list) > 1
	w := s.writer(s.options.Zone)
	empty := len(list) == 1
	for _, v := range list {
		result := noRows()
		if v.missing != nil {
			result.Notes = []string{v.Name + ": " + missingText(v.missing)}
		} else {
			result = found[0].Result()
			found[0], found = nil, found[1:] // it is large
		}
		result.Title, result.Form = v.Label, v.Form
		s.notes(result.Notes)
		empty = empty && isEmpty(result)
		if err := w.Write(result); err != nil {
			return err
		}
		if s.table.Format == table.Text && all {
			fmt.Fprintln(s.Stdout)
		}
		if s.table.Verbose && v.missing == nil {
			if err := w.WriteStatement(v.statement.String()); err != nil {
				return err
			}
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	s.notesOfThrottles(ctx, plans...)
	if len(list) == 1 && len(plans) == 1 && !empty && !list[0].isStandard() { // what is 0 can be unknown
		s.sel.NoteDisabled(ctx, query.Types(plans...))
	}
	_, err = s.reportIfEmpty(ctx, empty, plans...)
	return err
}

// missingText returns what a prepared view lacks, without the place in its statement.
func missingText(err error) string {
	if wrong, is := errors.AsType[*query.Error](err); is {
		return wrong.Message
	}
	return err.Error()
}

// noRows returns the answer of a view whose event types are missing.
func noRows() *query.Result {
	return &query.Result{Rows: func(func([]query.Value, error) bool) {}}
}

// writeList lists the views.
func (v *viewVerb) writeList() error {
	bySection, sections := make(map[string][]*views.View), []string(nil)
	for _, one := range v.views {
		if bySection[one.Section] == nil {
			sections = append(sections, one.Section)
		}
		bySection[one.Section] = append(bySection[one.Section], one)
	}
	slices.SortStableFunc(sections, func(a, b string) int { return cmp.Compare(placeOf(a), placeOf(b)) })
	for i, section := range sections {
		if i > 0 {
			fmt.Fprintln(v.Stdout)
		}
		fmt.Fprintf(v.Stdout, "%s:\n", cmp.Or(section, "your own"))
		list := bySection[section]
		slices.SortStableFunc(list, func(a, b *views.View) int { return cmp.Compare(a.Name, b.Name) })
		for _, one := range list {
			fmt.Fprintf(v.Stdout, "  %-32s %s\n", one.Name, cmp.Or(one.Description, one.Label))
		}
	}
	return nil
}

// placeOf returns where a section stands in the list: those of users, that of the application, and
// the others.
func placeOf(section string) int {
	return slices.Index([]string{"application", "jvm", "environment"}, section)
}
