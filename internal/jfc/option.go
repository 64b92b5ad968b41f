package jfc

import (
	"strconv"
	"strings"
	"unicode"
)

// Option is something that people set in a file, such as gc. It is valid as long as its file.
type Option struct {
	file *File
	e    *element
}

// Choice is a value of an option that takes one of several.
type Choice struct{ Name, Label string }

// Options returns the options of the file in their order.
func (f *File) Options() (list []Option) {
	for _, e := range f.controls() {
		if e.isInput() {
			list = append(list, Option{f, e})
		}
	}
	return list
}

// Option returns the option of a name.
func (f *File) Option(name string) (o Option, ok bool) {
	for _, o := range f.Options() {
		if o.Name() == name {
			return o, true
		}
	}
	return Option{}, false
}

func (f *File) optionNames() (names []string) {
	for _, o := range f.Options() {
		names = append(names, o.Name())
	}
	return names
}

// Name returns the name, such as gc.
func (o Option) Name() string { return o.e.attribute("name") }

// Label returns the name for people, such as Garbage Collector.
func (o Option) Label() string { return o.e.attribute("label") }

// ContentType returns what a text must be: timespan, method-filter or text.
func (o Option) ContentType() string {
	if value, ok := o.e.lookup("contentType"); ok {
		return value
	}
	return "text"
}

// Choices returns the values of a selection.
func (o Option) Choices() (list []Choice) {
	for _, e := range o.e.of(choice) {
		list = append(list, Choice{e.attribute("name"), e.attribute("label")})
	}
	return list
}

// Value returns the value that is set; of a selection the name of the choice.
func (o Option) Value() string {
	if o.e.kind == selection {
		return o.e.selected().attribute("name")
	}
	return o.e.content
}

// selected returns the element of the choice that is set. If the file sets none that exists, it is
// the first one.
func (e *element) selected() *element {
	var first *element
	for _, c := range e.children {
		switch {
		case c.kind != choice:
		case c.attribute("name") == e.attribute("default"):
			return c
		case first == nil:
			first = c
		}
	}
	return first
}

// Syntax returns how the option is set, and in parentheses what is set now, as the JDK shows it:
// gc=<off|normal|all>  (normal).
func (o Option) Syntax() string {
	values, now := o.ContentType(), o.Value()
	switch o.e.kind {
	case selection:
		var names []string
		for _, c := range o.Choices() {
			names = append(names, c.Name)
		}
		values = strings.Join(names, "|")
	case flag:
		values = "true|false"
	default:
		if now == "" {
			now = `""`
		}
		if values == "timespan" {
			now = strings.Join(strings.FieldsFunc(now, unicode.IsSpace), "")
		}
	}
	return o.Name() + "=<" + values + ">  (" + now + ")"
}

// Set changes the option and all settings that depend on it, and returns these. Their value may be
// as before. An error matches [ErrValue].
func (o Option) Set(value string) (changed []Setting, err error) {
	if value, err = o.check(value); err != nil {
		return nil, err
	}
	if o.e.kind == selection {
		o.e.setAttribute("default", value)
	} else {
		o.e.content = value
	}
	v := &evaluation{make(map[*element]result), make(map[*group]result), o.e, make(map[*group]bool)}
	for _, e := range o.file.root.of(event) {
		for _, s := range e.of(setting) {
			if !v.isAffected(s.group) {
				continue
			}
			if r := v.setting(s.group); r.ok {
				s.content = r.text
				changed = append(changed, Setting{e.attribute("name"), s.attribute("name"), r.text})
			}
		}
	}
	return changed, nil
}

// check returns a value as a file has it: 20 ms for 20ms. An error matches [ErrValue].
func (o Option) check(value string) (string, error) {
	var valid []string
	switch o.e.kind {
	default:
		if o.ContentType() == "timespan" {
			return timespan(value)
		}
		return value, nil
	case flag:
		valid = []string{"true", "false"}
	case selection:
		for _, c := range o.Choices() {
			valid = append(valid, c.Name)
		}
	}
	var quoted []string
	for _, v := range valid {
		if v == value {
			return value, nil
		}
		quoted = append(quoted, "'"+v+"'")
	}
	list := strings.Join(quoted, ", ")
	if i := strings.LastIndex(list, ", "); i >= 0 {
		list = list[:i] + " and " + list[i+2:]
	}
	return "", &setError{"Incorrect value '" + value + "'. Valid values are " + list + ".", ErrValue}
}

// timespan returns a length of time with a space before its unit. It takes what the JDK takes.
func timespan(text string) (string, error) {
	for _, unit := range []string{"ns", "us", "ms", "s", "m", "h", "d"} {
		if !strings.HasSuffix(text, unit) {
			continue
		}
		number := strings.TrimRight(strings.TrimSuffix(text, unit), " \t")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return "", noTimespan(text)
		}
		return strconv.FormatInt(n, 10) + " " + unit, nil
	}
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return "", noTimespan(text)
	}
	return "", &setError{"Timespan '" + text + "' is missing unit. Valid units are ns, us, ms, s, m, h and d.", ErrValue}
}

func noTimespan(text string) error {
	return &setError{"'" + text + "' is not a valid timespan.\nShould be numeric value followed by a unit, i.e. 20 ms. Valid units are ns, us, ms, s, m, h and d.", ErrValue}
}
