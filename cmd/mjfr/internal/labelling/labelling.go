// Package labelling finds the labels of recordings, as the option --labels names them: parts of
// paths, and properties of virtual machines.
package labelling

import (
	"cmp"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/labels"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// Usage describes the option.
const Usage = "name the last parts of paths by this `TEMPLATE`, as in {service}/{date}/{host}/{time}.jfr, or a property, as in service=prop:service.name; repeatable"

// Labels are the labels of recordings.
type Labels struct {
	// Names are in the order of the options; those of folders such as service=shop are after them.
	Names []string
	of    map[*mmapjfr.Recording]map[string]string
}

// Find finds the labels of the recordings of a set.
func Find(set *input.Set, options []string) (*Labels, error) {
	l, err := newLabeller(options)
	if err != nil {
		return nil, err
	}
	found := &Labels{of: make(map[*mmapjfr.Recording]map[string]string)}
	for _, rec := range set.Recordings {
		found.of[rec] = l.of(set, rec)
	}
	found.Names = l.names(found.of)
	return found, nil
}

// Check returns an error for options that cannot be.
func Check(options []string) error {
	_, err := newLabeller(options)
	return err
}

// Value returns the value of a label of a recording.
func (l *Labels) Value(rec *mmapjfr.Recording, name string) (value string, ok bool) {
	value, ok = l.of[rec][name]
	return value, ok
}

// Values returns the values of all labels of a recording, "" for one that it lacks.
func (l *Labels) Values(rec *mmapjfr.Recording) (values []string) {
	for _, name := range l.Names {
		values = append(values, l.of[rec][name])
	}
	return values
}

// labeller says which labels recordings have: those of their paths, and properties of their JVMs.
type labeller struct {
	template   *labels.Template
	properties [][2]string // names of labels, and of the properties that are their values: prop:NAME or env:NAME
}

// isProperty matches what names a property.
var isProperty = regexp.MustCompile(`^(?:([A-Za-z_][A-Za-z0-9_.-]*)=)?((?:prop|env):(.+))$`)

// newLabeller returns what finds the labels that --labels names.
func newLabeller(options []string) (*labeller, error) {
	l := &labeller{template: new(labels.Template)}
	seen := make(map[string]bool)
	for _, o := range options {
		if m := isProperty.FindStringSubmatch(o); m != nil {
			name := cmp.Or(m[1], m[3])
			if seen[name] {
				return nil, cli.Usagef("--labels: two labels are called %s", name)
			}
			seen[name] = true
			l.properties = append(l.properties, [2]string{name, m[2]})
			continue
		}
		if len(l.template.Names()) > 0 {
			return nil, cli.Usagef("--labels %s: give one template of paths", o)
		}
		t, err := labels.Parse(o)
		if err != nil {
			return nil, cli.Usagef("--labels: %w", err)
		}
		l.template = t
	}
	return l, nil
}

// of returns the labels of a recording.
func (l *labeller) of(set *input.Set, rec *mmapjfr.Recording) map[string]string {
	found := l.template.Of(filepath.ToSlash(cmp.Or(set.Path(rec), set.Name(rec))))
	for _, p := range l.properties {
		if value := Property(rec, p[1]); value != "" {
			found[p[0]] = value
		}
	}
	return found
}

// names returns the names of labels, in the order of --labels; then those of folders such as
// service=shop.
func (l *labeller) names(all map[*mmapjfr.Recording]map[string]string) []string {
	names := slices.Clone(l.template.Names())
	for _, p := range l.properties {
		names = append(names, p[0])
	}
	return labels.Order(names, maps.Values(all))
}

var pathKey, pathValue = mmapjfr.Path("key"), mmapjfr.Path("value")

// Property returns a system property or, for env:NAME, a variable of the environment that the JVM
// had when it started.
func Property(rec *mmapjfr.Recording, property string) string {
	kind, name, _ := strings.Cut(property, ":")
	event := "jdk.InitialSystemProperty"
	if kind == "env" {
		event = "jdk.InitialEnvironmentVariable"
	}
	for ev, err := range rec.Select(mmapjfr.Types(event)).Events() {
		if err == nil && ev.Str(pathKey) == name {
			return ev.Str(pathValue)
		}
	}
	return ""
}
