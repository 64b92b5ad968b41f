package query

import "time"

// timesOf returns a time that all events begin in which plans can read, as [mmapjfr.Between] takes it.
// It is false if conditions do not limit that.
func timesOf(plans []*Plan) (from, to time.Time, ok bool) {
	for i, p := range plans {
		first, end := p.times()
		if i == 0 || first.Before(from) {
			from = first
		}
		if i == 0 || !to.IsZero() && (end.IsZero() || end.After(to)) {
			to = end
		}
	}
	return from, to, (!from.IsZero() || !to.IsZero()) && (to.IsZero() || !to.Before(from))
}

// times returns a time that all events begin in which the plan can read. A zero time is no bound.
func (p *Plan) times() (from, to time.Time) {
	for i := range p.sources {
		var first, end time.Time
		if s := &p.sources[i]; s.where != nil && p.beginAtStartTime(s) {
			first, end = s.where.Times()
		}
		if i == 0 || first.Before(from) {
			from = first
		}
		if i == 0 || !to.IsZero() && (end.IsZero() || end.After(to)) {
			to = end
		}
	}
	return from, to
}

// beginAtStartTime reports whether the field startTime of all types of a source is when events begin.
func (p *Plan) beginAtStartTime(s *planSource) bool {
	for _, t := range p.types {
		if !s.types[t.Name()] {
			continue
		}
		if f, ok := t.Field("startTime"); ok && !f.Unit().IsTimestamp() {
			return false
		}
	}
	return true
}

// between returns the filter of times that conditions of the plan imply, as text; "" if they imply none.
func (p *Plan) between() string {
	from, to, ok := timesOf([]*Plan{p})
	if !ok {
		return ""
	}
	text := "only blocks that may hold events"
	if !from.IsZero() {
		text += " from " + from.In(p.zone()).Format(time.RFC3339Nano)
	}
	if !to.IsZero() {
		text += " to " + to.In(p.zone()).Format(time.RFC3339Nano)
	}
	return text
}
