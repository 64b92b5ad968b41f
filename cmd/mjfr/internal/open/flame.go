package open

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/localhttp"
	"github.com/mmapjfr/jfr/internal/weigh"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// flamegraph answers with the page of a flame graph: of a kind, for what is chosen. With a second
// time the page shows the difference to that.
func (x *explorer) flamegraph() http.HandlerFunc {
	page := x.remember("text/html; charset=utf-8", x.flamePage)
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", localhttp.FlamePolicy)
		page.ServeHTTP(w, r)
	}
}

func (x *explorer) flamePage(r *http.Request) ([]byte, error) {
	what, err := choose(r)
	if err != nil {
		return nil, err
	}
	heat := r.URL.Query().Has("heat")
	p, err := x.profile(r, x.set, &what, heat)
	if err != nil {
		return nil, err
	}
	o := export.Options{Title: x.title + timeTitle(&what, x.zone), About: x.aboutTime(&what)}
	if !heat {
		if err := x.compare(r, &o); err != nil {
			return nil, err
		}
	}
	var page bytes.Buffer
	x.changed(r.Context())
	if lost := x.lost(r.Context()).list(); lost != nil {
		o.About += " · some recordings could not be read: " + strings.Join(lost, "; ")
	}
	format := "flamegraph"
	if heat {
		format = "heatmap"
	}
	err = export.Write(r.Context(), &page, format, p, o)
	return page.Bytes(), err
}

// compare adds to a flame graph what a request compares it with: another time, or the other
// recordings.
func (x *explorer) compare(r *http.Request, o *export.Options) error {
	what, err := chosenBy(r, "basefrom", "baseto")
	if err != nil {
		return err
	}
	set := x.set
	switch {
	case r.URL.Query().Has("base") && x.base == nil:
		return wrong("base: there are no other recordings; mjfr open --diff names some")
	case r.URL.Query().Has("base"):
		set = x.base
	case what.from.IsZero() && what.to.IsZero():
		return nil
	}
	o.BaseTitle = cli.Title(set) + timeTitle(&what, x.zone)
	o.Base, err = x.profile(r, set, &what, false)
	return err
}

// profile returns the profile of the kind that a request names; with times for a heat map.
func (x *explorer) profile(r *http.Request, set *input.Set, what *chosen, times bool) (*profile.Profile, error) {
	kind := r.URL.Query().Get("kind")
	if profile.Events(kind) == nil {
		return nil, wrong("kind=%s: /api/recording lists the kinds", kind)
	}
	lost := damage{set: set, live: x.live}
	o := profile.Options{Kinds: []string{kind}, Filters: what.filters(), OnError: lost.add}
	if times {
		o.Times = export.CellLength
	}
	p, err := profile.Read(r.Context(), set.Recordings, o)
	x.lost(r.Context()).note(lost.list()...)
	return p, err
}

// aboutTime returns the chosen time in the zone of the recording, with days where that is not
// clear, and how long it is.
func (x *explorer) aboutTime(what *chosen) string {
	from, to := x.set.Span()
	clock := "15:04:05.000"
	if from.In(x.zone).Format(time.DateOnly) != to.In(x.zone).Format(time.DateOnly) {
		clock = "2006-01-02 " + clock
	}
	if !what.from.IsZero() {
		from = what.from
	}
	if !what.to.IsZero() {
		to = what.to
	}
	length := query.AppendNumber(nil, query.NewValue(to.Sub(from)), mmapjfr.NoUnit, false, -1)
	return fmt.Sprintf("%s – %s · %s", from.In(x.zone).Format(clock), to.In(x.zone).Format(clock), length)
}

// timeTitle returns the chosen time for the title of a page; "" for all.
func timeTitle(what *chosen, zone *time.Location) string {
	const clock = "15:04:05.000"
	switch {
	case what.from.IsZero() && what.to.IsZero():
		return ""
	case what.to.IsZero():
		return ", from " + what.from.In(zone).Format(clock)
	case what.from.IsZero():
		return ", to " + what.to.In(zone).Format(clock)
	}
	return fmt.Sprintf(", %s to %s", what.from.In(zone).Format(clock), what.to.In(zone).Format(clock))
}

// kindDocument describes what a flame graph can show.
type kindDocument struct {
	Name   string          `json:"name"`
	Title  string          `json:"title"`
	Values []valueDocument `json:"values"`
}

// valueDocument describes what samples of a kind weigh.
type valueDocument struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
}

// kinds returns the kinds that the recordings have events of.
func (x *explorer) kinds(ctx context.Context) ([]kindDocument, error) {
	s, err := x.count(ctx)
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, t := range s.Types {
		has[t.CurrentName()] = t.Events > 0 || has[t.CurrentName()]
	}
	list := []kindDocument{}
	for _, k := range weigh.Recorded(ctx, x.set.Recordings, func(event string) bool { return has[event] }) {
		d := kindDocument{Name: k.Name, Title: k.Title}
		for _, v := range k.Values {
			d.Values = append(d.Values, valueDocument{v.Name, v.Unit})
		}
		list = append(list, d)
	}
	return list, nil
}
