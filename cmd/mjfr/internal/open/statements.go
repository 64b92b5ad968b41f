package open

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/views"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// The number of rows of an answer.
const (
	usualRows = 1000
	mostRows  = 10_000
	mostText  = 32 << 20 // bytes
)

// viewDocument describes a view.
type viewDocument struct {
	Name        string `json:"name"`
	Label       string `json:"label"`
	Section     string `json:"section"`
	Description string `json:"description"`
	Form        bool   `json:"form"`
	Recorded    bool   `json:"recorded"` // there are events of its types, at whatever time
}

// views answers with all prepared statements.
func (x *explorer) views(r *http.Request) (any, error) {
	s, err := x.count(r.Context())
	if err != nil {
		return nil, err
	}
	counted := map[string]bool{}
	for _, t := range s.Types {
		counted[t.CurrentName()] = t.Events > 0 || counted[t.CurrentName()]
	}
	list := []viewDocument{}
	for _, v := range views.All() {
		list = append(list, viewDocument{v.Name, v.Label, v.Section, v.Description, v.Form, x.isRecorded(v, counted)})
	}
	return map[string]any{"views": list}, nil
}

// isRecorded reports whether there are events of the types of a view, by the names of types with
// events.
func (x *explorer) isRecorded(v *views.View, counted map[string]bool) bool {
	plan, err := x.viewPlan(v)
	if err != nil {
		return false
	}
	reads := query.Types(plan)
	return slices.ContainsFunc(x.types, func(t mmapjfr.Type) bool { return counted[t.Name()] && engine.MatchesType(reads, t) })
}

// viewPlan returns how to find what a view shows.
func (x *explorer) viewPlan(v *views.View) (*query.Plan, error) {
	o := x.options()
	o.JDK, o.Exact = v.IsStandard(), true
	st, err := v.Statement(nil, o)
	if err != nil {
		return nil, wrongStatement(err)
	}
	plan, err := st.Plan(x.types, o)
	if err != nil {
		return nil, wrongStatement(err)
	}
	return plan, nil
}

// query answers a statement, or shows a view.
func (x *explorer) query(r *http.Request) (any, error) {
	rows, err := number(r, "limit", usualRows, mostRows)
	if err != nil {
		return nil, err
	}
	what, err := choose(r)
	if err != nil {
		return nil, err
	}
	name := r.URL.Query().Get("view")
	if name == "" {
		plan, err := x.plan(r.URL.Query().Get("q"))
		if err != nil {
			return nil, err
		}
		return x.answer(r.Context(), plan, &what, rows, true)
	}
	v, ok := views.Find(name)
	if !ok {
		return nil, wrong("there is no view %q; /api/views lists all", name)
	}
	plan, err := x.viewPlan(v)
	if p, is := errors.AsType[*problem](err); is && p.status == http.StatusBadRequest {
		return nil, &problem{status: http.StatusNotFound, Text: p.Text} // a view is right: the recordings lack what it shows
	}
	if err != nil {
		return nil, err
	}
	a, err := x.answer(r.Context(), plan, &what, rows, false)
	if err != nil {
		return nil, err
	}
	a.Title, a.Form = v.Label, v.Form
	before, err := x.before(r.Context(), plan, &what)
	return viewAnswer{a, before}, err
}

// viewAnswer is the answer for a view.
type viewAnswer struct {
	*table.Arrays
	Before *beforeDoc `json:"before,omitempty"`
}

// beforeDoc is how many events of the types of a view began before the chosen time and reach into
// it, and when the first of them began. Rows count what begins in the chosen time, as those of mjfr
// view do.
type beforeDoc struct {
	Events int     `json:"events"`
	From   float64 `json:"from"`
}

// before returns which events began before the chosen time and reach into it; nil if none does.
func (x *explorer) before(ctx context.Context, plan *query.Plan, what *chosen) (*beforeDoc, error) {
	var names []string
	reads := query.Types(plan)
	for _, t := range x.types {
		if engine.MatchesType(reads, t) && hasField(t, "duration") {
			names = append(names, t.Name())
		}
	}
	if what.from.IsZero() || names == nil {
		return nil, nil
	}
	until := chosen{to: what.from, threads: what.threads}
	from, first, events := what.from.UnixNano(), what.from.UnixNano(), 0
	for _, rec := range x.set.Recordings {
		counts, firsts := make([]int, engine.RecordingWorkers(rec)), slices.Repeat([]int64{from}, engine.RecordingWorkers(rec))
		err := x.each(ctx, rec, func(worker int, ev mmapjfr.Event) {
			if engine.EventEndNanos(ev) > from {
				counts[worker]++
				firsts[worker] = min(firsts[worker], ev.StartNanos())
			}
		}, append(until.filters(), mmapjfr.Types(names...))...)
		if err != nil {
			return nil, err
		}
		for worker, n := range counts {
			events, first = events+n, min(first, firsts[worker])
		}
	}
	if events == 0 {
		return nil, nil
	}
	return &beforeDoc{events, math.Floor(float64(first) / 1e6)}, nil
}

// answer reads the recordings for a plan. Notes about types that are missing are for statements: it
// is usual for a view that the JVM has not recorded all that it knows.
func (x *explorer) answer(ctx context.Context, plan *query.Plan, what *chosen, rows int, notes bool) (*table.Arrays, error) {
	result, err := x.read(ctx, x.set.Recordings, plan, what, x.lost(ctx))
	if err != nil {
		return nil, err
	}
	if !notes {
		result.Notes = nil
	}
	a, err := table.ArraysOf(ctx, result, rows, mostText)
	if errors.Is(err, table.ErrTooLong) {
		return nil, wrong("%v", err)
	}
	return a, err
}

// plan returns how to find what a statement asks.
func (x *explorer) plan(text string) (*query.Plan, error) {
	o := x.options()
	st, err := query.Parse(text, o)
	if err != nil {
		return nil, wrongStatement(err)
	}
	plan, err := st.Plan(x.types, o)
	if err != nil {
		return nil, wrongStatement(err)
	}
	return plan, nil
}

// read returns what a plan finds in recordings.
func (x *explorer) read(ctx context.Context, recs []*mmapjfr.Recording, p *query.Plan, what *chosen, lost *damage) (*query.Result, error) {
	found, err := query.Read(ctx, recs, []*query.Plan{p}, query.ReadOptions{Filters: what.filters(), From: what.from, To: what.to, OnError: lost.add})
	if err != nil {
		return nil, err
	}
	return found[0].Result(), nil
}

// wrongStatement returns the error of a statement, with its place.
func wrongStatement(err error) error {
	p := &problem{status: http.StatusBadRequest, Text: err.Error()}
	if e, ok := errors.AsType[*query.Error](err); ok {
		p.Text = e.Message
		p.Line, p.Character = e.Position()
		if e.NoType {
			p.status = http.StatusNotFound
		}
	}
	return p
}
