package report

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/query"
	"github.com/mmapjfr/jfr/mmapjfr/query/views"
	"github.com/mmapjfr/jfr/mmapjfr/where"
	"github.com/mmapjfr/jfr/web"
)

// usualViews are the tables of a report.
var usualViews = []string{
	"jvm-information", "gc-configuration", "container-configuration", "gc-pauses", "gc-pauses-by-cause", "hot-methods", "hot-threads",
	"allocation-by-site", "allocation-by-class", "latencies-by-type", "longest-latencies", "contention-by-site", "parking-by-site",
	"exception-by-type", "files-by-time", "sockets-by-time", "pinned-threads", "memory-leaks-by-class", "system-properties",
}

// content is what a report shows.
type content struct {
	title    string
	facts    [][2]string
	missing  []string // pictures and tables without events
	pictures []*query.Result
	tables   []*query.Result
	profile  *profile.Profile // nil for Markdown
	zone     *time.Location
}

// part is a statement of a report.
type part struct {
	title   string
	form    bool
	plan    *query.Plan
	picture bool
}

// gather reads the recordings for all parts of the report.
func (v *verb) gather(ctx context.Context, set *input.Set) (*content, error) {
	sel, err := selection.Select(v.App, set, &v.Options, nil)
	if err != nil {
		return nil, err
	}
	var chosen print.Options
	sel.Choose(&chosen)
	types, err := mmapjfr.EventTypes(set.Recordings, chosen.Filters...)
	if len(types) == 0 && err != nil {
		return nil, err
	}
	c := &content{title: cli.Title(set), facts: facts(set, sel), zone: set.Recordings[0].Location()}
	start, end := set.Span()
	o := query.Options{Options: where.Options{Zone: c.zone, Start: start, End: end}}
	parts, err := v.parts(c, types, o, end.Sub(start))
	if err != nil {
		return nil, err
	}
	var plans []*query.Plan
	for _, p := range parts {
		plans = append(plans, p.plan)
	}
	bar := v.Progress("reading", cli.BytesOf(set), cli.AtEnd)
	found, err := query.Read(ctx, set.Recordings, plans, query.ReadOptions{
		Filters: chosen.Filters, Where: chosen.Where, Span: sel.Duration(), OnError: chosen.OnError, Progress: bar.Add,
	})
	bar.Done()
	if err != nil {
		return nil, err
	}
	for i, p := range parts {
		r := found[i].Result()
		r.Title, r.Form = p.title, p.form
		if !p.picture {
			limit(r, v.rows)
			c.tables = append(c.tables, r)
		} else {
			c.pictures = append(c.pictures, r)
		}
	}
	if v.markdown {
		return c, nil
	}
	bar = v.Progress("profiling", cli.BytesOf(set), cli.AtEnd)
	defer bar.Done()
	c.profile, err = profile.Read(ctx, set.Recordings, profile.Options{Filters: chosen.Filters, Where: chosen.Where, OnError: chosen.OnError, Progress: bar.Add})
	return c, err
}

// parts returns the parts that the event types allow, and says in the content which are missing.
func (v *verb) parts(c *content, types []mmapjfr.Type, o query.Options, lasts time.Duration) (list []part, err error) {
	shown := web.ReadTopics()
	step := max(time.Millisecond, (lasts / 150).Round(time.Millisecond))
	for _, name := range shown.Overview {
		p := shown.Pictures[name]
		st, err := query.ParseWith(strings.ReplaceAll(p.Statement, "$step", fmt.Sprintf("%dms", step.Milliseconds())), o)
		if err != nil {
			return nil, err
		}
		plan, err := st.Plan(types, o)
		if err != nil || !slices.ContainsFunc(p.Types, func(name string) bool { return has(types, name) }) {
			c.missing = append(c.missing, p.Title)
			continue
		}
		list = append(list, part{title: p.Title, plan: plan, picture: true})
	}
	names := v.views
	if names == nil {
		names = usualViews
	}
	for _, name := range names {
		view, ok := views.Find(name)
		if !ok {
			return nil, cli.Usagef("--view %s: there is no view of this name; mjfr view --list has all", name)
		}
		o.JDK = view.IsStandard()
		st, err := view.Statement(nil, o)
		if err != nil {
			return nil, cli.Usagef("--view %s: %v", name, err)
		}
		plan, err := st.Plan(types, o)
		if err != nil {
			c.missing = append(c.missing, view.Label)
			continue
		}
		list = append(list, part{title: view.Label, form: view.Form, plan: plan})
	}
	return list, nil
}

// has reports whether there is an event type of the JDK with a name.
func has(types []mmapjfr.Type, name string) bool {
	return slices.ContainsFunc(types, func(t mmapjfr.Type) bool { return t.Name() == "jdk."+name })
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
		[2]string{"Begin", start.In(set.Recordings[0].Location()).Format("2006-01-02 15:04:05 MST")},
		[2]string{"Length", end.Sub(start).Round(time.Millisecond).String()},
		[2]string{"Size", humanize.IBytes(uint64(bytes))}, [2]string{"Chunks", strconv.Itoa(chunks)},
	)
	if sel.Given() {
		list = append(list, [2]string{"Events", "those of " + sel.String()})
	}
	return list
}
