package profile

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Choice says which samples and frames of a profile to keep. The zero Choice keeps all.
type Choice struct {
	// Kinds are the names of the kinds to keep; nil for all.
	Kinds []string
	// Include keeps the samples that have a frame, a thread or a class whose name matches one of
	// these, and Exclude drops those that have one. Names are as Names has them.
	Include, Exclude []*regexp.Regexp
	Names            Names
	// States keeps the samples of threads in one of these states, such as "RUNNABLE". Prefixes of
	// names are enough, and upper case is lower case.
	States []string
	// JavaOnly drops frames of native code and of the kernel.
	JavaOnly bool
}

// IsZero reports whether a choice keeps all.
func (c *Choice) IsZero() bool {
	return c.Kinds == nil && len(c.Include) == 0 && len(c.Exclude) == 0 && len(c.States) == 0 && !c.JavaOnly
}

// Choose returns a profile of the samples and frames that a choice keeps. The kinds that it keeps
// stay, and of the stacks those that have samples.
func (p *Profile) Choose(c Choice) *Profile {
	q := New()
	q.start, q.end, q.times = p.start, p.end, p.times
	maps.Copy(q.notes, p.notes)
	for _, k := range p.kindOf {
		if c.Kinds == nil || slices.Contains(c.Kinds, k.Name) {
			q.AddKind(k)
		}
	}
	keeps, used := p.chosen(&c)
	stacks := make([]StackID, len(p.stacks.nodes))
	for i, n := range p.stacks.nodes[1:] {
		f := p.Frame(n.frame)
		m := p.Method(f.Method)
		if stacks[i+1] = stacks[n.parent]; !used[i+1] || c.JavaOnly && f.Kind != Text && !m.IsJava(f.Kind) {
			continue
		}
		f.Method = q.AddMethod(m)
		stacks[i+1] = q.Push(stacks[n.parent], q.AddFrame(f))
	}
	for i, key := range p.rows.list {
		if keeps[i] {
			k := p.kindOf[key.kind]
			q.add(rowKey{q.kinds.id(k.Name), stacks[key.stack], q.AddLabels(p.Labels(key.labels)), key.at}, p.values[i][:len(k.Values)])
		}
	}
	q.sort()
	return q
}

// chosen returns which rows a choice keeps, and which stacks they have, with the callers.
func (p *Profile) chosen(c *Choice) (rows, stacks []bool) {
	include, exclude := p.stacksWith(c.Include, c.Names), p.stacksWith(c.Exclude, c.Names)
	rows, stacks = make([]bool, len(p.rows.list)), make([]bool, len(p.stacks.nodes))
	for i, key := range p.rows.list {
		l := p.Labels(key.labels)
		switch {
		case c.Kinds != nil && !slices.Contains(c.Kinds, p.kindOf[key.kind].Name),
			len(c.Include) > 0 && !include[key.stack] && !l.matches(c.Include),
			len(c.Exclude) > 0 && (exclude[key.stack] || l.matches(c.Exclude)),
			len(c.States) > 0 && !l.inState(c.States):
			continue
		}
		rows[i], stacks[key.stack] = true, true
	}
	for i := len(stacks) - 1; i > 0; i-- { // callers have lesser numbers
		if stacks[i] {
			stacks[p.stacks.nodes[i].parent] = true
		}
	}
	return rows, stacks
}

// stacksWith returns which stacks have a frame whose name matches one of some patterns.
func (p *Profile) stacksWith(patterns []*regexp.Regexp, names Names) []bool {
	frames := make([]bool, p.Frames())
	if len(patterns) > 0 {
		for i := range frames {
			frames[i] = matches(patterns, names.Frame(p, p.Frame(FrameID(i))))
		}
	}
	stacks := make([]bool, len(p.stacks.nodes))
	for i, n := range p.stacks.nodes[1:] {
		stacks[i+1] = stacks[n.parent] || frames[n.frame]
	}
	return stacks
}

func matches(patterns []*regexp.Regexp, text string) bool {
	return slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return re.MatchString(text) })
}

// matches reports whether the name of the thread or the class matches a pattern.
func (l Labels) matches(patterns []*regexp.Regexp) bool {
	return l.Thread != "" && matches(patterns, l.Thread) || l.Class != "" && matches(patterns, l.Class)
}

// inState reports whether the state is one of these, or begins with one.
func (l Labels) inState(states []string) bool {
	own := strings.ToUpper(strings.TrimPrefix(l.State, "STATE_"))
	return slices.ContainsFunc(states, func(s string) bool {
		return strings.HasPrefix(own, strings.TrimPrefix(strings.ToUpper(s), "STATE_"))
	})
}
