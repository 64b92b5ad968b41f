package jfc

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/mmapjfr/jfr/internal/suggest"
)

// File is what a .jfc file holds, or what several do.
type File struct {
	root   *element
	groups map[string]*group // the controls by name
}

// Setting is what is set of the events of one type.
type Setting struct {
	Event, Name, Value string
}

// String returns the setting as [File.Set] takes it: jdk.CPULoad#period=1 s.
func (s Setting) String() string { return s.Event + "#" + s.Name + "=" + s.Value }

// New makes an empty file with a label, which is what people call it.
func New(label string) *File {
	f := &File{root: newElement("", nil)}
	f.root.setAttribute("version", "2.0")
	f.root.setAttribute("label", label)
	return f
}

// Describe sets the description of the file and says who provides it.
func (f *File) Describe(description, provider string) {
	f.root.setAttribute("description", description)
	f.root.setAttribute("provider", provider)
}

// Add adds the events and controls of another file, which must not be used after that. Both keep
// their order. A control of a name that there is already is an error, which matches [ErrUse].
func (f *File) Add(other *File) error {
	for _, e := range other.controls() {
		name := e.attribute("name")
		if f.groups[name] != nil {
			return useError("Control with '" + name + "' is declared in multiple files")
		}
	}
	if f.groups == nil {
		f.groups = make(map[string]*group)
	}
	for name, g := range other.groups {
		f.groups[name] = g
	}
	f.root.children = append(f.root.children, other.root.children...)
	return nil
}

// AddEvent adds an event type with settings at the end. The type must not be there yet.
func (f *File) AddEvent(name string, settings []Setting) {
	e := &element{kind: event, name: kinds[event], added: true}
	e.setAttribute("name", name)
	for _, s := range settings {
		child := e.add(setting, s.Name)
		child.content = s.Value
	}
	f.root.children = append(f.root.children, e)
}

// Settings yields the settings in the order of the file. Of an event type there may be several
// elements, and of a setting several values; a JVM takes the last one.
func (f *File) Settings() iter.Seq[Setting] {
	return func(yield func(Setting) bool) {
		for _, e := range f.root.of(event) {
			for _, s := range e.of(setting) {
				if !yield(Setting{e.attribute("name"), s.attribute("name"), s.content}) {
					return
				}
			}
		}
	}
}

// Warnings returns what is wrong with the file and does no harm: settings whose control is missing.
func (f *File) Warnings() (list []string) {
	for _, e := range f.root.of(event) {
		for _, s := range e.of(setting) {
			if name, ok := s.lookup("control"); ok && s.group == nil {
				list = append(list, fmt.Sprintf("Setting '%s#%s' refers to missing control '%s'", e.attribute("name"), s.attribute("name"), name))
			}
		}
	}
	return list
}

// Why [File.Set] refuses something. The texts of errors are those of the JDK, and say what may have
// been meant.
var (
	ErrNoOption  = errors.New("no such option")
	ErrNoEvent   = errors.New("no such event")
	ErrNoSetting = errors.New("no such setting")
	ErrValue     = errors.New("the value is wrong")
)

// setError is an error of Set.
type setError struct {
	text string
	kind error
}

func (e *setError) Error() string { return e.text }
func (e *setError) Unwrap() error { return e.kind }

// Set changes an option, by its name, or a setting, by a name such as jdk.CPULoad#period. With a +
// before its name, a setting is added if it is not there yet. Set returns the settings that have
// got a value, other than those that it added. An option may decide many, and their value may be as
// before.
func (f *File) Set(name, value string) (changed []Setting, err error) {
	if strings.ContainsFunc(name+value, func(r rune) bool { return !isXML(r) }) {
		return nil, &setError{"'" + name + "' or its value has a control character, which no .jfc file can have", ErrValue}
	}
	if o, ok := f.Option(name); ok {
		return o.Set(value)
	}
	name, add := strings.CutPrefix(name, "+")
	at := strings.IndexByte(name, '#')
	if at < 1 || at == len(name)-1 {
		return nil, &setError{"Option '" + name + "' doesn't exist in configuration" + suggest.Question(name, f.optionNames()), ErrNoOption}
	}
	s, err := f.setting(name[:at], name[at+1:], add)
	if err != nil {
		return nil, err
	}
	if s.attribute("name") == "period" || s.attribute("name") == "threshold" {
		if span, err := timespan(value); err == nil {
			value = span
		} // another text may have a meaning for a later JDK
	}
	s.content = value
	if s.added {
		return nil, nil
	}
	return []Setting{{name[:at], name[at+1:], value}}, nil
}

// setting returns the element of a setting, or adds it.
func (f *File) setting(eventName, name string, add bool) (*element, error) {
	var names []string
	e := f.root.child(event, eventName, &names)
	switch {
	case e == nil && !add:
		hint := suggest.Question(eventName, names)
		if hint == "" {
			hint = "; +" + eventName + "#" + name + "=VALUE adds it"
		}
		return nil, &setError{"Could not find event '" + eventName + "'" + hint, ErrNoEvent}
	case e == nil:
		e = f.root.add(event, eventName)
	}
	names = nil
	s := e.child(setting, name, &names)
	switch {
	case s == nil && !add:
		hint := suggest.Question(name, names)
		if hint == "" {
			hint = "; +" + eventName + "#" + name + "=VALUE adds it"
		}
		return nil, &setError{"Could not find setting '" + name + "' for event '" + eventName + "'" + hint, ErrNoSetting}
	case s == nil:
		s = e.add(setting, name)
	}
	return s, nil
}

// child returns the first child of a kind that has a name. It lists the names of the others before
// it.
func (e *element) child(k kind, name string, others *[]string) *element {
	for _, child := range e.children {
		if child.kind != k {
			continue
		}
		n := child.attribute("name")
		if n == name {
			return child
		}
		*others = append(*others, n)
	}
	return nil
}

// add adds a child with a name.
func (e *element) add(k kind, name string) *element {
	child := &element{kind: k, name: kinds[k], added: true}
	child.setAttribute("name", name)
	e.children = append(e.children, child)
	return child
}
