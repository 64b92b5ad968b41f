package views

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

const (
	maxFile  = 16 << 20 // bytes of a file
	maxViews = 10_000   // of a file
)

// Read reads a file of views, whose name is for errors. They say which line is wrong. Each
// statement is parsed with the defaults of its parameters, if it can be.
func Read(r io.Reader, name string) ([]*View, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: a file of views can have at most 16 MB", name)
	}
	list, err := parse(string(data), name)
	if err != nil {
		return nil, err
	}
	for _, v := range list {
		if _, err := v.Statement(nil, query.Options{}); err != nil && !errors.As(err, new(missingValue)) {
			return nil, err
		}
	}
	return list, nil
}

// keys are what lines before a statement begin with.
var keys = []string{"view", "title", "section", "shown", "about"}

// keyLine is a line with a key and a value.
var keyLine = lazy.Regexp(`^([\pL_-]+):(.*)$`)

// parser reads the lines of a file.
type parser struct {
	file string
	line int // the number of the line that is read, from 1
	list []*View
	seen map[string]int // names of views in lower case, and their lines
	said map[string]int // keys of the view, and their lines
	text []string       // lines of its statement
}

func parse(text, file string) ([]*View, error) {
	p := &parser{file: file, seen: make(map[string]int)}
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		p.line++
		if err := p.read(strings.TrimRightFunc(line, unicode.IsSpace)); err != nil {
			return nil, err
		}
	}
	p.line++
	return p.list, p.end()
}

// wrong returns an error about the line that is read.
func (p *parser) wrong(format string, args ...any) error {
	return fmt.Errorf("%s, line %d: %s", p.file, p.line, fmt.Sprintf(format, args...))
}

func (p *parser) read(line string) error {
	if !utf8.ValidString(line) {
		return p.wrong("this is not UTF-8")
	}
	m := keyLine().FindStringSubmatch(line)
	switch {
	case m != nil && m[1] == "view":
		return p.view(strings.TrimSpace(m[2]))
	case p.text == nil && (line == "" || strings.HasPrefix(line, "--")):
		return nil
	case len(p.list) == 0:
		return p.wrong("a view begins with a line such as view: my-view")
	case p.text == nil && m != nil:
		return p.key(m[1], strings.TrimSpace(m[2]))
	case p.text == nil:
		p.current().line = p.line
	}
	p.text = append(p.text, line)
	return nil
}

func (p *parser) current() *View { return p.list[len(p.list)-1] }

// view begins a view.
func (p *parser) view(name string) error {
	if err := p.end(); err != nil {
		return err
	}
	before := p.seen[strings.ToLower(name)]
	switch {
	case name == "":
		return p.wrong("the name of the view is missing")
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return p.wrong("the name of a view has no spaces; its title can have some")
	case before != 0:
		return p.wrong("there is a view %s already, in line %d", name, before)
	case len(p.list) == maxViews:
		return p.wrong("there are more than %d views", maxViews)
	}
	p.seen[strings.ToLower(name)] = p.line
	p.list = append(p.list, &View{Name: name, Label: name, file: p.file})
	p.said = make(map[string]int)
	return nil
}

// key reads a line that describes a view.
func (p *parser) key(key, value string) error {
	if p.said[key] != 0 {
		return p.wrong("%s: is there twice, in line %d, too", key, p.said[key])
	}
	p.said[key] = p.line
	v := p.current()
	switch key {
	case "title":
		v.Label = value
	case "section":
		v.Section = value
	case "about":
		v.Description = value
	case "shown":
		if v.Form = value == "form"; !v.Form && value != "table" {
			return p.wrong("a view is shown as form or table, and not as %q", value)
		}
	default:
		return p.wrong("unknown %s: in a view%s", key, suggest.Question(key, keys))
	}
	return nil
}

// end ends the view that is read.
func (p *parser) end() error {
	if len(p.list) == 0 {
		return nil
	}
	v := p.current()
	if p.text == nil {
		return p.wrong("the view %s has no statement", v.Name)
	}
	v.Query = strings.TrimSpace(strings.Join(p.text, "\n"))
	p.text = nil
	var err error
	v.Parameters, err = parameters(v.Query)
	if err != nil {
		return fmt.Errorf("%s, line %d: %w", p.file, v.line, err)
	}
	return nil
}

// wrong returns an error about the statement of the view, with its place in the file.
func (v *View) wrong(err error) error {
	var wrong *query.Error
	if !errors.As(err, &wrong) {
		return fmt.Errorf("%s, line %d: view %s: %w", v.file, v.line, v.Name, err)
	}
	line, character := wrong.Position()
	return fmt.Errorf("%s, line %d, character %d: view %s: %s", v.file, v.line+line-1, character, v.Name, wrong.Message)
}
