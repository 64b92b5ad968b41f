package query

import (
	"cmp"
	"errors"
	"fmt"
	glob "path"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
)

func (p *parser) from() error {
	for n := 0; n < maxList; n++ {
		p.alias = ""
		s, err := p.source()
		if err != nil {
			return err
		}
		p.st.from = append(p.st.from, s)
		if !p.Accept(",") && !p.Accept("|") {
			return nil
		}
	}
	return p.errorAt(p.At, "there are more than %d event types in FROM", maxList)
}

// source parses event types, with an alias.
func (p *parser) source() (s source, err error) {
	p.Skip()
	s.pos = p.At
	if s.pattern, err = p.pattern(); err != nil {
		return s, err
	}
	s.alias, err = p.as()
	return s, err
}

// pattern returns the name or the pattern of event types, which is next.
func (p *parser) pattern() (string, error) {
	const what = "the name of an event type, such as jdk.FileRead"
	if p.IsQuote() {
		return p.quoted() // also "", which is a name that a type can have
	}
	rest := p.Text[p.At:]
	pattern := rest[:end(rest, isPattern)]
	if pattern == "" || isKeyword[strings.ToUpper(pattern)] {
		return p.name(what)
	}
	p.At += len(pattern)
	return pattern, nil
}

// isPattern reports whether a character can be part of the name of event types without quotes.
func isPattern(r rune) bool { return where.IsPart(r) || r == '.' || r == '*' || r == '?' || r == ':' }

func (p *parser) join(mode joinMode) error {
	s, err := p.source()
	if err != nil {
		return err
	}
	j := join{mode: mode, event: s}
	if p.Accept("(") {
		if j.where, err = p.condition(); err != nil {
			return err
		}
		if !p.Accept(")") {
			return p.expected("a closing parenthesis")
		}
	}
	if len(p.st.joins) == maxList {
		return p.errorAt(s.pos, "there are more than %d joins", maxList)
	}
	p.st.joins = append(p.st.joins, j)
	return nil
}

// qualifyAll finds the sources of all paths, now that FROM is known.
func (p *parser) qualifyAll() error {
	if err := p.nameSources(); err != nil {
		return err
	}
	defer p.findFields()
	for _, f := range p.paths {
		if f.quoted {
			f.quoted = p.needsQuotes(f)
		} else if len(f.sources) == 0 {
			f.sources, f.field = p.st.qualified(f.field)
			continue
		}
		var sources []string
		for _, name := range f.sources {
			found := p.st.names[name]
			if len(found) == 0 {
				return p.errorAt(f.pos, "no event type of FROM is called %s%s", shortened(name), didYouMean(name, p.st.sourceNames()))
			}
			sources = append(sources, found...)
		}
		slices.Sort(sources)
		f.sources = slices.Compact(sources)
	}
	return nil
}

// needsQuotes reports whether a field would mean something else without its backquotes.
func (p *parser) needsQuotes(f *path) bool {
	plain := parser{Lexer: where.Lexer{Text: f.field}}
	if field, err := plain.field(); err != nil || field != f.field {
		return true
	}
	if len(f.sources) > 0 {
		return false
	}
	plain.At = 0
	if w := plain.keyword(isKeyword); w != "" || isValue[strings.ToUpper(shortened(f.field))] {
		return true
	}
	sources, _ := p.st.qualified(f.field)
	return len(sources) > 0
}

// nameSources finds the names that fields can be qualified with.
func (p *parser) nameSources() error {
	p.st.names = make(map[string][]string)
	all := slices.Clone(p.st.from)
	for _, j := range p.st.joins {
		all = append(all, j.event)
	}
	for _, s := range all {
		if p.st.names[s.name()] != nil && s.alias != "" {
			return p.errorAt(s.pos, "there are two event types called %s; give one of them another name", shortened(s.name()))
		}
		if p.st.names[s.name()] != nil {
			return p.errorAt(s.pos, "there are two event types called %s; give them names, as in FROM %s AS a", s.name(), s.pattern)
		}
		p.st.names[s.name()] = []string{s.name()}
	}
	for _, s := range all {
		if isGlob(s.pattern) {
			continue
		}
		for _, name := range []string{s.pattern, s.pattern[strings.LastIndexByte(s.pattern, '.')+1:]} {
			if own := p.st.names[name]; !slices.Contains(own, name) && !slices.Contains(own, s.name()) {
				p.st.names[name] = append(own, s.name())
			}
		}
	}
	return nil
}

// qualified returns the sources that a field is qualified with, such as B in B.when, and the rest of
// it. A source is named by its alias, by its event type, or by the simple name of that.
func (s *Statement) qualified(field string) (sources []string, rest string) {
	longest := 0
	for name := range s.names {
		longest = max(longest, len(name))
	}
	for i := 0; i < min(len(field)-1, longest+1); i++ {
		if field[i] == '.' && s.names[field[:i]] != nil {
			sources, rest = s.names[field[:i]], field[i+1:]
		}
	}
	if sources == nil {
		return nil, field
	}
	return sources, rest
}

// sourceNames returns the names that fields can be qualified with.
func (s *Statement) sourceNames() []string {
	var names []string
	for name := range s.names {
		names = append(names, name)
	}
	return names
}

// EventTypes returns the names and patterns of event types that the statement reads, as it has them:
// those of FROM, and then those of joins. Statements that weigh samples need settings, too, and samples of allocations when
// the recording began, of which JVM they are, and what threads had allocated.
func (s *Statement) EventTypes() (names []string) {
	for _, from := range s.from {
		names = append(names, from.pattern)
	}
	for _, j := range s.joins {
		names = append(names, j.event.pattern)
	}
	if len(s.weighed) > 0 {
		names = append(names, "jdk.ActiveSetting")
	}
	if slices.ContainsFunc([]string{"", "alloc"}, func(kind string) bool { return s.weighs("jdk.ObjectAllocationSample", kind) }) {
		names = append(names, "jdk.ActiveRecording", "jdk.JVMInformation", "jdk.ThreadAllocationStatistics")
	}
	if slices.ContainsFunc([]string{"", "exceptions"}, func(kind string) bool { return s.weighs("jdk.JavaExceptionThrow", kind) }) {
		names = append(names, "jdk.JavaErrorThrow")
	}
	return names
}

// name is how fields of a source are qualified.
func (s source) name() string { return cmp.Or(s.alias, s.pattern) }

// threadsOf returns names of threads, of which all events have one that plans can read; nil if conditions
// do not limit them.
func threadsOf(plans []*Plan) (names []string) {
	for _, p := range plans {
		for i := range p.sources {
			s := &p.sources[i]
			if len(s.types) == 0 {
				continue
			}
			if s.where == nil {
				return nil
			}
			types := slices.DeleteFunc(slices.Clone(p.types), func(t mmapjfr.Type) bool { return !s.types[t.Name()] })
			own := s.where.Threads(types)
			if own == nil {
				return nil
			}
			names = append(names, own...)
		}
	}
	return names
}

func isGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?") }

// typeNames returns the names of the event types that a part of FROM means: those of a glob, or
// that of one name, as [engine.EventTypeNamed] has it. If several types share the name, the JDK's
// views mean the JDK's own, or the first. For others that is an error of the statement, unless
// recordings are not known yet, see [Options].Incomplete.
func (c *compiler) typeNames(s source) (map[string]bool, error) {
	names := make(map[string]bool)
	list := c.index.candidates(s.pattern)
	if isGlob(s.pattern) {
		fits := func(name string) bool { ok, _ := glob.Match(s.pattern, name); return ok }
		for _, t := range list {
			if t.IsEvent() && slices.ContainsFunc(namesOf(t), fits) {
				names[t.Name()] = true
			}
		}
		return names, nil
	}
	t, err := engine.EventTypeNamed(list, s.pattern)
	if errors.Is(err, suggest.ErrAmbiguous) {
		if !c.o.JDK && !c.o.Incomplete {
			wrong := newError(c.st.text, s.pos, err)
			wrong.Ambiguous = true
			return nil, wrong
		}
		t, err = list[0], nil
		if own, unknown := engine.EventTypeNamed(list, "jdk."+s.pattern); c.o.JDK && unknown == nil {
			t = own
		}
	}
	if err == nil {
		names[t.Name()] = true
	}
	return names, nil
}

func (c *compiler) noType(s source) error {
	var names []string
	for _, t := range c.index.types {
		if t.IsEvent() {
			names = append(names, t.Name())
		}
	}
	err := newError(c.st.text, s.pos, fmt.Errorf("no event type is called %.100s%w", s.pattern, suggest.NewHint(s.pattern, names)))
	err.NoType = true
	return err
}

// TypeIndex finds event types by name, for [Statement.PlanWith]. One serves for any number of statements.
type TypeIndex struct {
	types  []mmapjfr.Type
	byName map[string][]int // positions of event types, by all names that they have
}

// NewTypeIndex returns an index of event types, such as those that [mmapjfr.EventTypes] returns.
func NewTypeIndex(types []mmapjfr.Type) *TypeIndex {
	x := &TypeIndex{types: types, byName: make(map[string][]int, 2*len(types))}
	for i, t := range types {
		if !t.IsEvent() {
			continue
		}
		for _, name := range namesOf(t) {
			x.byName[name] = append(x.byName[name], i)
		}
	}
	return x
}

// namesOf returns the full names of a type, and each without its package.
func namesOf(t mmapjfr.Type) (names []string) {
	for _, name := range []string{t.Name(), engine.TypeRecordedName(t)} {
		names = append(names, name, name[strings.LastIndexByte(name, '.')+1:])
	}
	return names
}

// candidates returns the types that a pattern could mean, in their order: for a plain name few,
// however many there are.
func (x *TypeIndex) candidates(pattern string) []mmapjfr.Type {
	if isGlob(pattern) {
		return x.types
	}
	if at := slices.Concat(x.byName[pattern], x.byName[schema.CurrentName(pattern)]); len(at) > 0 {
		return x.at(at)
	}
	var folded []int
	for name, at := range x.byName {
		if strings.EqualFold(name, pattern) {
			folded = append(folded, at...)
		}
	}
	return x.at(folded)
}

// named returns the types with full names, in their order.
func (x *TypeIndex) named(names map[string]bool) []mmapjfr.Type {
	var at []int
	for name := range names {
		at = append(at, x.byName[name]...)
	}
	return slices.DeleteFunc(x.at(at), func(t mmapjfr.Type) bool { return !names[t.Name()] })
}

func (x *TypeIndex) at(positions []int) []mmapjfr.Type {
	slices.Sort(positions)
	positions = slices.Compact(positions)
	list := make([]mmapjfr.Type, len(positions))
	for i, at := range positions {
		list[i] = x.types[at]
	}
	return list
}
