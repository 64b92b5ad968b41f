package query

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Plan is a statement that fits the event types of recordings. It is safe for concurrent use.
type Plan struct {
	st      *Statement
	o       Options
	types   []mmapjfr.Type
	sources []planSource
	joins   []planJoin
	inputs  []input
	keys    []int // the inputs by which events are grouped
	timed   bool  // events are in the order of time, and then in that of recordings
	perJVM  bool  // the last key is the virtual machine
	aggs    []aggregate
	outputs []planOutput // those of the statement, and then those that only order rows
	visible int          // how many outputs are columns
	grouped bool         // rows are groups of events
	having  *node
	order   []planOrder
	notes   []string
	// experimental is set if columns show fields of an event type that is experimental.
	experimental bool
	bucket       time.Duration // of time, by which events are grouped, as bucketKey says
	bucketKey    int           // among keys
}

// planSource is the event types of a source.
type planSource struct {
	source
	types map[string]bool
	where *where.Condition // nil takes all events
}

// input is an expression that is read from events.
type input struct {
	node   *node
	fields []eventField // its leaves
	text   string
	shape  shape
	label  string
	layout Layout
	reader func(b *binding) reader // reads what is no field; nil if the node says what is read
}

// eventField is a field of events, as far as they are of one of the sources.
type eventField struct {
	path    fieldPath
	sources []string
	join    int    // the join whose events have the field; -1 is none
	typ     string // the only event type that is meant; "" is none
	shape   shape
}

// isStart reports whether the field is when events began.
func (f *eventField) isStart() bool {
	return f.join < 0 && f.typ == "" && f.path.frame == noFrame && f.path.path != nil && f.path.path.String() == pathStart.String()
}

// planOutput is a column, or what rows are ordered by.
type planOutput struct {
	node   *node
	column Column
	isKey  bool
}

type planOrder struct {
	output int
	desc   bool
	said   bool
}

// Options say how a statement is understood.
type Options struct {
	// Zone is that of points in time without a zone; nil is UTC.
	Zone *time.Location
	// Start and End are those of the recordings. Unless Start is zero, a point in time can be
	// a time of their days, or be relative to them, such as 10s or 50%.
	Start, End time.Time
	// JDK is set for prepared views, whose rows must be those of the JDK's: classes, threads and
	// methods are apart by their identity in the JVM and not only by name, and COUNT of a
	// field counts events that have no value, too.
	JDK bool
	// Exact, together with JDK, leaves numbers what they are: the JDK's views show those without a sign as if
	// they had one, and Integer.MIN_VALUE as no number. It is meant for programs.
	Exact bool
	// Incomplete is set if the event types are those of some recordings, and others are read elsewhere: what these
	// lack, others may have. Events do not have it then, and it is no error. [Partial.Merge] merges what such
	// plans find into a partial result of a plan for all event types.
	Incomplete bool
}

// times returns what points in time in conditions mean.
func (o *Options) times() where.Options {
	return where.Options{Zone: o.Zone, Start: o.Start, End: o.End}
}

// isJava reports whether numbers are those of Java, all with a sign.
func (o *Options) isJava() bool { return o.JDK && !o.Exact }

// compiler makes a plan.
type compiler struct {
	*Plan
	index   *TypeIndex
	missing bool     // a source has no event types
	numbers bool     // true and false are 1 and 0
	items   []output // of the statement; those of SELECT * one by one
	aliases map[string]expr
}

// Plan checks the statement against event types, such as those that [mmapjfr.EventTypes] returns, and
// returns how it is executed. The error says what is wrong and where, and the nearest names.
//
// A source without an event type is no error as long as another has one: it is left out, and
// [Result.Notes] say so.
func (s *Statement) Plan(types []mmapjfr.Type, o Options) (*Plan, error) {
	return s.PlanWith(NewTypeIndex(types), o)
}

// PlanWith is [Statement.Plan] for the types of an index: it takes time by the types that the statement names.
func (s *Statement) PlanWith(types *TypeIndex, o Options) (*Plan, error) {
	p, err := s.plan(types, o, false)
	if err != nil && o.Incomplete {
		if other, wrong := s.plan(types, o, true); wrong == nil {
			return other, nil
		}
	}
	return p, err
}

// Check returns what is wrong with the statement whatever event types recordings have, as [Statement.Plan] would.
func (s *Statement) Check(o Options) error {
	if s.where != nil {
		plain := s.where.WithOptions(o.times()).Rename(func(field string) (string, bool) {
			alias, rest, ok := strings.Cut(field, ".")
			if ok && slices.ContainsFunc(s.from, func(of source) bool { return of.name() == alias }) {
				return rest, true
			}
			return field, true
		})
		if err := plain.CheckTimes(); err != nil {
			return s.conditionError(s.whereAt, err)
		}
	}
	o.Incomplete = true
	_, err := s.Plan(nil, o)
	return err
}

// plan makes a plan. Numbers is set if fields that are true or false here can be numbers in other recordings.
func (s *Statement) plan(types *TypeIndex, o Options, numbers bool) (*Plan, error) {
	c := &compiler{Plan: &Plan{st: s, o: o}, index: types, aliases: make(map[string]expr), numbers: numbers}
	for _, step := range []func() error{c.findSources, c.findJoins, c.findTypes, c.findOutputs, c.findOrder} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c.Plan, nil
}

// findSources finds the event types that the statement reads.
func (c *compiler) findSources() error {
	var firstMissing, wrong error // wrong is why the condition fits no source
	missing, fits := 0, false
	for _, s := range c.st.from {
		p := planSource{source: s}
		var err error
		if p.types, err = c.typeNames(s); err != nil {
			return err
		}
		if len(p.types) == 0 {
			err := c.noType(s)
			firstMissing = cmp.Or(firstMissing, err)
			missing++
			if note := messageOf(err); !slices.Contains(c.notes, note) {
				c.notes = append(c.notes, note)
			}
			c.missing = true
		}
		p.where = c.conditionOf(p)
		if p.where != nil && len(p.types) > 0 && !c.o.Incomplete {
			_, err := p.where.Filter(c.index.named(p.types))
			wrong, fits = cmp.Or(wrong, err), fits || err == nil
		}
		c.sources = append(c.sources, p)
	}
	switch {
	case len(c.sources) == missing && !c.o.Incomplete:
		return firstMissing
	case wrong != nil && !fits:
		return c.st.conditionError(c.st.whereAt, wrong)
	}
	return nil
}

// findTypes keeps the types that the statement reads.
func (c *compiler) findTypes() error {
	names := make(map[string]bool)
	for _, s := range c.sources {
		maps.Copy(names, s.types)
	}
	for _, j := range c.joins {
		maps.Copy(names, j.types)
	}
	c.types = c.index.named(names)
	return nil
}

// conditionOf returns what WHERE asks of events of a source.
func (c *compiler) conditionOf(p planSource) *where.Condition {
	if c.st.where == nil {
		return nil
	}
	return c.st.where.WithOptions(c.o.times()).Rename(func(field string) (string, bool) {
		alias, rest, ok := strings.Cut(field, ".")
		for _, s := range c.st.from {
			if ok && s.name() == alias {
				return rest, alias == p.name()
			}
		}
		return field, true
	})
}

// conditionError returns an error about a condition that begins at a byte of the statement's text.
func (s *Statement) conditionError(pos int, err error) error {
	message, more := err.Error(), s.whereOfJoins(err)
	if wrong, is := errors.AsType[*where.FieldError](err); is {
		pos, message = wrong.Offset, wrong.Message
	}
	wrong := newError(s.text, pos, err)
	wrong.Message = message + more
	return wrong
}

// findOutputs compiles GROUP BY, the outputs and HAVING.
func (c *compiler) findOutputs() error {
	c.items = c.st.outputs
	if len(c.items) == 0 {
		if c.items = c.allFields(); len(c.items) == 0 && !c.o.Incomplete {
			return c.st.errorAt(0, "the event types have no fields in common; name some")
		}
	}
	for _, o := range c.items {
		if o.alias != "" && (c.o.JDK || !c.isField(o.alias)) {
			c.aliases[o.alias] = o.expr
		}
	}
	c.grouped = c.st.IsGrouped()
	groupBy := c.st.groupBy
	if c.st.byAll {
		for _, o := range c.items {
			if !hasAggregate(o.expr) {
				groupBy = append(groupBy, grouping{o.expr, o.text})
			}
		}
	}
	var keys []expr
	for _, g := range groupBy {
		by, err := c.groupedBy(g.expr)
		if err != nil {
			return err
		}
		i, err := c.input(by)
		if err != nil {
			return err
		}
		c.keys, keys = append(c.keys, i), append(keys, by)
		if n := c.inputs[i].node; n.text == "BUCKET" && n.shape.kind == Timestamp {
			c.bucket, c.bucketKey = n.kids[1].value.Timespan(), len(c.keys)-1
		}
	}
	c.groupPerJVM(keys)
	for _, o := range c.items {
		if _, err := c.output(o); err != nil {
			return err
		}
	}
	c.visible = len(c.outputs)
	return c.findHaving()
}

// IsGrouped reports whether rows are groups of events, and not events.
func (s *Statement) IsGrouped() bool {
	isAggregate := func(o output) bool { return hasAggregate(o.expr) }
	return len(s.groupBy) > 0 || s.byAll || hasAggregate(s.having) || slices.ContainsFunc(s.outputs, isAggregate)
}

// IsDivisible reports whether ranges of the chunks of a recording can be read by themselves: groups of events whose results add
// up. Other statements read the whole recording first: those with DURING, WITHIN or ASOF, with @weight of events that do not
// say themselves what they weigh, with the field weight of jdk.ObjectAllocationSample, and with numbers that each JVM
// counts for itself, such as gcId.
func (s *Statement) IsDivisible() bool {
	isHeavy := slices.Contains(s.fields, "weight") && slices.ContainsFunc(s.from, func(of source) bool { return of.mayBe("jdk.ObjectAllocationSample") })
	return s.IsGrouped() && len(s.joins) == 0 && !s.weighsByFacts() && !isHeavy && !slices.ContainsFunc(s.fields, s.isPerJVM)
}

// isField reports whether events of the statement have a field of that name, which an alias does not hide.
func (c *compiler) isField(name string) (is bool) {
	c.eachType(eventField{join: -1}, func(t mmapjfr.Type) {
		_, has := t.Field(name)
		is = is || has
	})
	return is
}

// groupedBy returns what rows are grouped by: the column of that number or alias, or an expression.
func (c *compiler) groupedBy(e expr) (expr, error) {
	if n, ok := e.(*number); ok && n.value.kind == Int && n.unit == mmapjfr.NoUnit {
		i, err := c.numbered("GROUP BY", n)
		if err != nil {
			return nil, err
		}
		if e = c.items[i].expr; hasAggregate(e) {
			return nil, c.st.errorAt(n.pos, "GROUP BY %s: column %s is an aggregate of groups", n.text, n.text)
		}
	}
	return c.unaliased(e), nil
}

// numbered returns the column that a number in a clause means.
func (c *compiler) numbered(clause string, n *number) (int, error) {
	i := n.value.Int()
	if n.value.kind != Int || i < 1 || i > int64(len(c.items)) {
		return 0, c.st.errorAt(n.pos, "%s %s: the columns are numbered from 1 to %d", clause, n.text, len(c.items))
	}
	return int(i) - 1, nil
}

func (c *compiler) findHaving() (err error) {
	if c.st.having == nil {
		return nil
	}
	c.having, err = c.grouping(c.st.having)
	if err == nil && !c.having.shape.isCondition() {
		err = c.st.errorAt(c.st.having.position(), "HAVING needs a comparison, such as count(*) > 10")
	}
	return err
}

// unaliased returns what an alias of an output stands for.
func (c *compiler) unaliased(e expr) expr {
	if p, ok := e.(*path); ok && len(p.sources) == 0 {
		if meant := c.aliases[p.field]; meant != nil {
			return meant
		}
	}
	return e
}

// output compiles an output, and returns its number.
func (c *compiler) output(o output) (int, error) {
	n, err := c.row(o.expr)
	if err != nil {
		return 0, err
	}
	col := Column{
		Name: cmp.Or(o.alias, o.text), Title: o.title, Expression: o.text, Format: o.format,
		Kind: n.shape.kind, Unit: n.shape.unit, Rate: n.shape.rate, Aggregate: hasAggregate(o.expr),
		Field: fieldOf(o.expr), Layout: c.layout(n), Significant: !c.o.JDK,
	}
	if col.Title == "" {
		col.Title = c.title(n, o)
	}
	c.outputs = append(c.outputs, planOutput{n, col, n.op == opKey})
	return len(c.outputs) - 1, nil
}

// row compiles an expression of rows: of groups if the statement has some, and of events if not.
func (c *compiler) row(e expr) (*node, error) {
	if c.grouped {
		return c.grouping(e)
	}
	i, err := c.input(c.unaliased(e))
	if err != nil {
		return nil, err
	}
	return &node{op: opInput, index: i, shape: c.inputs[i].shape}, nil
}

// findOrder compiles ORDER BY.
func (c *compiler) findOrder() error {
	for _, o := range c.st.orderBy {
		i, err := c.orderedBy(o)
		if err != nil {
			return err
		}
		desc := o.desc
		if c.o.JDK && !o.said {
			desc = c.isDescending(i)
		}
		c.order = append(c.order, planOrder{i, desc, o.said})
	}
	if len(c.order) == 0 && (c.grouped || c.o.JDK) {
		if !c.o.JDK {
			c.order = c.timeOrder()
		}
		c.order = append(c.order, c.defaultOrder()...)
	}
	return nil
}

// orderedBy returns the output that rows are ordered by: one of the statement, by its number, its
// alias, its text or the field that it shows, or else one of its own.
func (c *compiler) orderedBy(o ordering) (int, error) {
	visible := c.outputs[:c.visible]
	if n, ok := o.expr.(*number); ok {
		return c.numbered("ORDER BY", n)
	}
	for i, st := range c.items {
		if o.text == st.alias {
			return i, nil
		}
	}
	if c.o.JDK && c.grouped {
		return c.output(output{expr: o.expr, text: o.text}) // the last value
	}
	for i, st := range c.items {
		if canonical(o.expr) == canonical(st.expr) {
			return i, nil
		}
	}
	if p, ok := o.expr.(*path); ok {
		for i := range visible {
			if visible[i].column.Field == p.field {
				return i, nil
			}
		}
	}
	return c.output(output{expr: o.expr, text: o.text})
}

// errorAt returns an error about what begins at a byte of the statement's text.
func (s *Statement) errorAt(pos int, format string, args ...any) error {
	return newError(s.text, pos, fmt.Errorf(format, args...))
}

// messageOf returns what an error says, without the place in the statement.
func messageOf(err error) string {
	if wrong, ok := errors.AsType[*Error](err); ok {
		return wrong.Message
	}
	return err.Error()
}

// timesOf returns a time that all events begin in which plans can read, as [mmapjfr.Between] takes it.
// It is false if conditions do not limit that.
func timesOf(plans []*Plan) (from, to time.Time, ok bool) {
	begun := false
	for _, p := range plans {
		for i := range p.sources {
			var first, end time.Time // no bounds
			if s := &p.sources[i]; s.where != nil && p.beginAtStartTime(s) {
				first, end = s.where.Times()
			}
			if !begun || first.Before(from) {
				from = first
			}
			if !begun || !to.IsZero() && (end.IsZero() || end.After(to)) {
				to = end
			}
			begun = true
		}
	}
	return from, to, (!from.IsZero() || !to.IsZero()) && (to.IsZero() || !to.Before(from))
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
