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
	// Threads makes the thread the outermost frame of each stack.
	Threads bool
	// Pools makes one thread, without a number, of those whose names differ in the digits at the end
	// alone, as the threads of a pool do.
	Pools bool
	// Classify adds a frame for what the virtual machine did, such as [gc] or [class_load], as
	// async-profiler's converter does: the outermost one but for threads.
	Classify bool
	// JavaOnly drops frames of native code and of the kernel. Stacks that have no others are [NoStack].
	JavaOnly bool
}

// Choose returns a profile of the samples and frames that a choice keeps, and the profile itself if
// that is all. The kinds that it keeps stay, and of the stacks those that have samples.
func (p *Profile) Choose(c Choice) *Profile {
	if c.Kinds == nil && len(c.Include) == 0 && len(c.Exclude) == 0 && len(c.States) == 0 && !c.JavaOnly && !c.Threads && !c.Pools && !c.Classify {
		return p
	}
	q := New()
	q.start, q.end, q.times = p.start, p.end, p.times
	maps.Copy(q.notes, p.notes)
	for _, k := range p.kindOf {
		if c.Kinds == nil || slices.Contains(c.Kinds, k.Name) {
			q.AddKind(k)
		}
	}
	keeps, used := p.chosen(&c)
	ch := chooser{p: p, q: q, stacks: make(map[rootedChoice]StackID), frames: make([]chosenFrame, len(p.frames.list))}
	for i, n := range p.stacks.list[1:] {
		f := p.Frame(n.frame)
		if used[i+1] && (!c.JavaOnly || f.Kind == Text || f.Method.isJava(f.Kind)) {
			ch.frames[n.frame] = chosenFrame{q.AddFrame(f), true}
		}
	}
	labels := make([]Labels, len(p.labels.list))
	for i, l := range p.labels.list {
		if labels[i] = l; c.Pools {
			labels[i].Thread, labels[i].ThreadID = poolOf(l)
		}
	}
	categories := make(map[StackID]category)
	for i, key := range p.rows.list {
		if !keeps[i] {
			continue
		}
		k, l, root := p.kindOf[key.kind], labels[key.labels], StackID(0)
		if c.Threads {
			root = q.Push(0, q.AddText(l.ThreadName()))
		}
		if c.Classify && key.stack != 0 {
			c, known := categories[key.stack]
			if !known {
				c = p.category(key.stack)
				categories[key.stack] = c
			}
			root = q.Push(root, q.AddFrame(Frame{Method: Method{Name: c.name}, Kind: c.kind}))
		}
		stack := ch.stack(root, key.stack)
		if stack == root && key.stack != 0 { // formats may leave out samples without frames
			stack = q.Push(root, q.AddText(NoStack))
		}
		q.add(rowKey{q.kinds.id(k.Name), stack, q.AddLabels(l), key.at}, p.values[i][:len(k.Values)])
	}
	q.sort()
	return q
}

// chooser adds stacks of a profile to another one.
type chooser struct {
	p, q   *Profile
	frames []chosenFrame // by number
	stacks map[rootedChoice]StackID
	path   []StackID
}

// chosenFrame is the number of a frame in the other profile, if it is kept.
type chosenFrame struct {
	id    FrameID
	keeps bool
}

// rootedChoice is a stack of the profile that is called by one of the other profile.
type rootedChoice struct{ root, stack StackID }

// stack adds a stack, called by a stack of the other profile.
func (c *chooser) stack(root, s StackID) StackID {
	c.path = c.path[:0]
	id, known := root, false
	for ; s != 0; s = c.p.stacks.list[s].parent {
		if id, known = c.stacks[rootedChoice{root, s}]; known {
			break
		}
		c.path = append(c.path, s)
	}
	if !known {
		id = root
	}
	for _, s := range slices.Backward(c.path) {
		if f := c.frames[c.p.stacks.list[s].frame]; f.keeps {
			id = c.q.Push(id, f.id)
		}
		c.stacks[rootedChoice{root, s}] = id
	}
	return id
}

// poolOf returns what threads of a pool have in common: the name with a star for the digits at its
// end. Threads without a name have nothing but that.
func poolOf(l Labels) (name string, id int64) {
	name = strings.TrimRight(l.Thread, "0123456789")
	switch {
	case l.Thread == "" && l.ThreadID == 0:
		return "", 0
	case name != l.Thread || name == "":
		name += "*"
	}
	return name, 0
}

// chosen returns which rows a choice keeps, and which stacks they have, with the callers.
func (p *Profile) chosen(c *Choice) (rows, stacks []bool) {
	include, exclude := p.stacksWith(c.Include, c.Names), p.stacksWith(c.Exclude, c.Names)
	rows, stacks = make([]bool, len(p.rows.list)), make([]bool, len(p.stacks.list))
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
			stacks[p.stacks.list[i].parent] = true
		}
	}
	return rows, stacks
}

// stacksWith returns which stacks have a frame whose name matches one of some patterns.
func (p *Profile) stacksWith(patterns []*regexp.Regexp, names Names) []bool {
	frames := make([]bool, p.Frames())
	if len(patterns) > 0 {
		for i := range frames {
			frames[i] = matches(patterns, names.Frame(p.Frame(FrameID(i))))
		}
	}
	stacks := make([]bool, len(p.stacks.list))
	for i, n := range p.stacks.list[1:] {
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
