package report

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/views"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/query"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
	"github.com/mmapjfr/jfr/web"
)

// usualViews are the tables of a report.
var usualViews = []string{
	"jvm-information", "gc-configuration", "container-configuration", "gc-pauses", "gc-pauses-by-cause", "hot-methods", "hot-threads",
	"sampled-allocation-by-site", "sampled-allocation-by-class", "latencies-by-type", "longest-latencies", "contention-by-site",
	"parking-by-site",
	"exceptions-by-class", "files-by-time", "sockets-by-time", "pinned-threads", "memory-leaks-by-class", "system-properties",
}

// content is what a report shows.
type content struct {
	title    string
	facts    [][2]string
	missing  []string // pictures and tables of which nothing was recorded
	nothing  []string // and those of which the selection leaves nothing
	pictures []*query.Result
	tables   []*query.Result
	profile  *profile.Profile // nil for Markdown
	warnings []string         // of profiles, such as lost samples
	zone     *time.Location
}

// part is a statement of a report.
type part struct {
	title    string
	form     bool
	plan     *query.Plan
	picture  bool
	zeros    time.Duration // how long a point lasts, where times without events are zeros; 0 for others
	recorded bool          // there are events, whether they are selected or not
}

// gather reads the recordings for all parts of the report.
func (v *verb) gather(ctx context.Context, set *input.Set) (*content, error) {
	sel, err := selection.Select(v.App, set, &v.Options, nil)
	if err != nil {
		return nil, err
	}
	var chosen print.Options
	sel.Choose(&chosen)
	types, err := mmapjfr.EventTypes(set.Recordings)
	if len(types) == 0 && err != nil {
		return nil, err
	}
	counts, err := summary.Count(ctx, set.Recordings, nil)
	if err != nil {
		return nil, err
	}
	c := &content{title: cli.Title(set), facts: facts(set, sel), zone: engine.RecordingLocation(set.Recordings[0])}
	parts, err := v.parts(c, set, types, counts)
	if err != nil {
		return nil, err
	}
	var plans []*query.Plan
	for _, p := range parts {
		plans = append(plans, p.plan)
	}
	bar := v.Progress("reading", cli.BytesOf(set), cli.AtEnd)
	from, to := sel.Bounds()
	found, err := query.Read(ctx, set.Recordings, plans, query.ReadOptions{
		Filters: chosen.Filters, Where: chosen.Where, From: from, To: to, OnError: chosen.OnError, Progress: bar.Add,
	})
	bar.Done()
	if err != nil {
		return nil, err
	}
	for i, p := range parts {
		if err := c.add(p, found[i].Result(), v.rows, sel.Given()); err != nil {
			return nil, err
		}
	}
	bar = v.Progress("profiling", cli.BytesOf(set), cli.AtEnd)
	defer bar.Done()
	o := profile.Options{Filters: chosen.Filters, Where: chosen.Where, OnError: chosen.OnError, Progress: bar.Add}
	if v.markdown {
		o.Kinds = []string{"cpu"} // of which the tables are, too
	}
	p, err := profile.Read(ctx, set.Recordings, o)
	if err != nil {
		return nil, err
	}
	plans = slices.DeleteFunc(plans, func(p *query.Plan) bool { return !p.AddsUp() })
	if c.warnings = append(p.Warnings(), selection.Throttled(ctx, set, query.Types(plans...))...); !v.markdown {
		c.profile = p
	}
	return c, sel.ReportIfEmpty(ctx)
}

// add adds the result of a part, or says why it has no rows.
func (c *content) add(p part, r *query.Result, rows int, selected bool) error {
	r.Title, r.Form, r.Notes = p.title, p.form, nil // that a type was not recorded is usual for a view
	has, err := hasRows(r)
	switch {
	case err != nil:
		return err
	case !has && !p.recorded:
		c.missing = append(c.missing, p.title)
	case !has && (selected || p.picture):
		c.nothing = append(c.nothing, p.title)
	case p.picture:
		if p.zeros > 0 {
			r.Rows = withZeros(r.Rows, p.zeros)
		}
		c.pictures = append(c.pictures, r)
	default:
		limit(r, rows)
		c.tables = append(c.tables, r)
	}
	return nil
}

// lacks says what the report does not show.
func (c *content) lacks() (list []string) {
	for _, note := range c.warnings {
		list = append(list, "Profile of "+note+".")
	}
	if len(c.nothing) > 0 {
		list = append(list, "Nothing in the selected time and threads: "+strings.Join(c.nothing, "; ")+".")
	}
	if len(c.missing) > 0 {
		list = append(list, "No events, because none happened or they are disabled: "+strings.Join(c.missing, "; ")+".")
	}
	return list
}

// adds matches statements whose points are sums: without events they are zero. Those of pages draw
// the same.
var adds = regexp.MustCompile(`\b(sum|count|rate)\(`)

// hasRows reports whether a result has a row with a value.
func hasRows(r *query.Result) (bool, error) {
	for row, err := range r.Rows {
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(row, func(v query.Value) bool { return !v.IsNull() }) {
			return true, nil
		}
	}
	return false, nil
}

// parts returns the parts that the event types allow, and says in the content which are missing.
func (v *verb) parts(c *content, set *input.Set, types []mmapjfr.Type, counts *summary.Summary) (list []part, err error) {
	shown := web.ReadTopics()
	start, end := set.Span()
	o := query.Options{Zone: c.zone, Start: start, End: end}
	step := max(time.Millisecond, (end.Sub(start) / 150).Round(time.Millisecond))
	recorded := recordedTypes(counts)
	has := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return recorded[name] || recorded["jdk."+name] })
	}
	index := query.NewTypeIndex(types)
	add := func(p part, st *query.Statement, o query.Options) {
		if p.plan, err = st.PlanWith(index, o); err != nil {
			c.missing = append(c.missing, p.title)
			return
		}
		reads := query.Types(p.plan)
		p.recorded = slices.ContainsFunc(types, func(t mmapjfr.Type) bool { return recorded[t.Name()] && engine.MatchesType(reads, t) })
		list = append(list, p)
	}
	for _, name := range shown.Overview {
		p := shown.Picture(name, has)
		st, err := query.Parse(strings.ReplaceAll(p.Statement, "$step", fmt.Sprintf("%dms", step.Milliseconds())), o)
		if err != nil {
			return nil, err
		}
		one := part{title: p.Title, picture: true}
		if adds.MatchString(p.Statement) {
			one.zeros = step
		}
		add(one, st, o)
	}
	names := v.views
	if names == nil {
		for _, name := range usualViews {
			names = append(names, shown.View(name, has))
		}
	}
	for _, name := range names {
		view, ok := views.Find(name)
		if !ok {
			return nil, cli.Usagef("--view %s: unknown view; mjfr view --list shows all", name)
		}
		o.JDK = view.IsStandard()
		st, err := view.Statement(nil, o)
		if err != nil {
			return nil, cli.Usagef("--view %s: %v", name, err)
		}
		add(part{title: view.Label, form: view.Form}, st, o)
	}
	return list, nil
}

// recordedTypes returns the names of the types of which there are events.
func recordedTypes(counts *summary.Summary) map[string]bool {
	names := map[string]bool{}
	for _, t := range counts.Types {
		if t.Events > 0 {
			names[t.CurrentName()] = true
		}
	}
	return names
}

// limit leaves the first rows of a result. Shares stay those of all rows.
func limit(r *query.Result, rows int) {
	all := r.Rows
	if r.All == nil {
		r.All = all
	}
	r.Rows = func(yield func([]query.Value, error) bool) {
		n := 0
		for row, err := range all {
			if n++; n > rows || !yield(row, err) {
				return
			}
		}
	}
}

// facts returns what the recordings are.
func facts(set *input.Set, sel *selection.Selection) (list [][2]string) {
	bytes, chunks := int64(0), 0
	var names []string
	for _, rec := range set.Recordings {
		names = append(names, filepath.Base(set.Name(rec)))
		bytes += rec.Size()
		chunks += len(rec.Chunks())
	}
	start, end := set.Span()
	list = append(list,
		[2]string{"Files", strings.Join(names, ", ")},
		[2]string{"Begin", start.In(engine.RecordingLocation(set.Recordings[0])).Format("2006-01-02 15:04:05 MST")},
		[2]string{"Length", string(query.AppendNumber(nil, query.NewValue(end.Sub(start)), mmapjfr.NoUnit, false, -1))},
		[2]string{"Size", string(query.AppendNumber(nil, query.NewValue(bytes), mmapjfr.Bytes, false, -1))},
		[2]string{"Chunks", strconv.Itoa(chunks)},
	)
	if sel.Given() {
		list = append(list, [2]string{"Events", "those of " + sel.String()})
	}
	return list
}
