package jfc

import "strings"

// group has the controls of one name, in the order of the file.
type group struct{ controls []*element }

// controls returns the elements that may decide settings: options and conditions.
func (f *File) controls() (list []*element) {
	for _, c := range f.root.of(control) {
		for _, e := range c.children {
			if e.isInput() || e.kind == condition {
				list = append(list, e)
			}
		}
	}
	return list
}

// wire finds the controls that settings and tests name.
func (f *File) wire() error {
	f.groups = make(map[string]*group)
	for _, e := range f.controls() {
		name := e.attribute("name")
		if f.groups[name] == nil {
			f.groups[name] = new(group)
		}
		f.groups[name].controls = append(f.groups[name].controls, e)
	}
	var wireTests func(e *element)
	wireTests = func(e *element) {
		if e.kind == test {
			e.group = f.groups[e.attribute("name")]
		}
		for _, child := range e.children {
			if child.isExpression() {
				wireTests(child)
			}
		}
	}
	for _, e := range f.controls() {
		wireTests(e)
	}
	for _, e := range f.root.of(event) {
		for _, s := range e.of(setting) {
			if name, ok := s.lookup("control"); ok {
				s.group = f.groups[name]
			}
		}
	}
	return f.checkCircles()
}

// checkCircles returns an error if a condition depends on itself.
func (f *File) checkCircles() error {
	state := make(map[*element]bool) // false while its tests are followed
	var follow func(e *element) bool
	follow = func(e *element) bool {
		if e.kind == condition {
			if done, begun := state[e]; begun {
				return done
			}
			state[e] = false
			defer func() { state[e] = true }()
		}
		if e.kind == test && e.group != nil {
			// A test goes by the first of its controls. But all others make it change.
			for _, c := range e.group.controls {
				if c.kind == condition && !follow(c) {
					return false
				}
			}
		}
		for _, child := range e.children {
			if child.isExpression() && !follow(child) {
				return false
			}
		}
		return true
	}
	for _, e := range f.controls() {
		if e.kind == condition && !follow(e) {
			return useError("Condition '" + e.attribute("name") + "' depends on itself")
		}
	}
	return nil
}

// result is what an element yields: a text, or nothing.
type result struct {
	text string
	ok   bool
}

// resultOf makes a result of a text. The case of true and false does not matter.
func resultOf(text string) result {
	for _, word := range []string{"true", "false"} {
		if strings.EqualFold(text, word) {
			text = word
		}
	}
	return result{text, true}
}

func resultIf(yes bool) result {
	if yes {
		return result{"true", true}
	}
	return result{"false", true}
}

// evaluation evaluates elements, each once.
type evaluation struct {
	results map[*element]result
	groups  map[*group]result
	changed *element // the option that has changed
	affects map[*group]bool
}

// setting returns the value of a setting with controls: that of the first one that has one.
func (v *evaluation) setting(g *group) result {
	r, done := v.groups[g]
	if done {
		return r
	}
	for _, c := range g.controls {
		if r = v.evaluate(c); r.ok {
			break
		}
	}
	v.groups[g] = r
	return r
}

func (v *evaluation) evaluate(e *element) result {
	r, done := v.results[e]
	if !done {
		r = v.fresh(e)
		v.results[e] = r
	}
	return r
}

func (v *evaluation) fresh(e *element) result {
	switch e.kind {
	case text, flag:
		return resultOf(e.content)
	case selection:
		return resultOf(e.selected().content)
	case condition:
		return v.condition(e)
	case or:
		return v.each(e, "true", "false")
	case and:
		return v.each(e, "false", "true")
	case not:
		for _, child := range e.children {
			if r := v.evaluate(child); child.isExpression() && r.ok {
				return resultIf(r.text != "true")
			}
		}
	case test:
		if e.group != nil {
			if r := v.evaluate(e.group.controls[0]); r.ok {
				return resultIf(r.text == e.attribute("value"))
			}
		}
	}
	return result{}
}

func (v *evaluation) condition(e *element) result {
	for _, child := range e.children {
		r := v.evaluate(child)
		if r.ok && (r.text == "true" || r.text == "false") {
			if value, ok := e.lookup(r.text); ok {
				return resultOf(value)
			}
		}
	}
	return result{}
}

// each returns the text that decides if an expression yields it, or else the other one if an
// expression yields that.
func (v *evaluation) each(e *element, decides, otherwise string) (r result) {
	for _, child := range e.children {
		if !child.isExpression() {
			continue
		}
		switch one := v.evaluate(child); {
		case !one.ok:
		case one.text == decides:
			return one
		case one.text == otherwise:
			r = one
		}
	}
	return r
}

// isAffected reports whether one of the controls depends on the option that has changed.
func (v *evaluation) isAffected(g *group) bool {
	yes, done := v.affects[g]
	if done || g == nil {
		return yes
	}
	for _, c := range g.controls {
		if c == v.changed || c.kind == condition && v.dependsOnChange(c) {
			yes = true
			break
		}
	}
	v.affects[g] = yes
	return yes
}

func (v *evaluation) dependsOnChange(e *element) bool {
	if e.kind == test && v.isAffected(e.group) {
		return true
	}
	for _, child := range e.children {
		if child.isExpression() && v.dependsOnChange(child) {
			return true
		}
	}
	return false
}
