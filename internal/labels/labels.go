// Package labels finds labels, such as service and host, in the paths of recordings.
package labels

import (
	"fmt"
	"iter"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/lazy"
)

// Packings is the regular expression of the endings of packed recordings, at the end of their
// names.
const Packings = `(?:\.(?:gz|zst|lz4|xz|zip))?$`

// Template says which parts of a path are labels. The zero Template has none.
type Template struct {
	names []string
	path  *regexp.Regexp
}

var (
	label = lazy.Regexp(`\{([^{}]*)\}`)
	name  = lazy.Regexp(`^(?:(?:prop|env):.+|[A-Za-z_][A-Za-z0-9_.-]*)$`)
)

// Names returns the names in braces of a text; an error if one is no name of a label or a brace is
// missing. Names that begin with prop: or env: are those of properties.
func Names(text string) (names []string, err error) {
	for _, m := range label().FindAllStringSubmatch(text, -1) {
		if !name().MatchString(m[1]) {
			return nil, fmt.Errorf("{%s} is not a label name", m[1])
		}
		names = append(names, m[1])
	}
	if rest := label().ReplaceAllString(text, ""); strings.ContainsAny(rest, "{}") {
		return nil, fmt.Errorf("a brace is missing")
	}
	return names, nil
}

// Parse returns a template such as {service}/{date}/{host}/{time}.jfr. Paths end with it, maybe
// followed by the ending of a packing. * stands for any characters of a part.
func Parse(text string) (*Template, error) {
	t := new(Template)
	if text == "" {
		return t, nil
	}
	var err error
	if t.names, err = Names(text); err != nil {
		return nil, fmt.Errorf("the template %s: %w", text, err)
	}
	if len(t.names) == 0 {
		return nil, fmt.Errorf("the template %s has no label, such as {service}", text)
	}
	pattern, last := `(?:^|/)`, 0
	for i, m := range label().FindAllStringIndex(text, -1) {
		if strings.Contains(t.names[i], ":") {
			return nil, fmt.Errorf("the template %s: {%s} is not part of a path", text, t.names[i])
		}
		if slices.Contains(t.names[:i], t.names[i]) {
			return nil, fmt.Errorf("the template %s has two labels {%s}", text, t.names[i])
		}
		pattern += literal(text[last:m[0]]) + `([^/]+?)`
		last = m[1]
	}
	t.path, err = regexp.Compile(pattern + literal(text[last:]) + Packings)
	return t, err
}

func literal(text string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, `[^/]*`)
}

// Names returns the names of the labels of the template, in its order.
func (t *Template) Names() []string { return t.names }

// Order returns names of labels, and those of all maps that are not among them after these, in the
// order of the alphabet.
func Order(names []string, all iter.Seq[map[string]string]) []string {
	names = slices.Clone(names)
	others := make(map[string]bool)
	for found := range all {
		for name := range found {
			others[name] = !slices.Contains(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		if others[name] {
			names = append(names, name)
		}
	}
	return names
}

// Of returns the labels of a path: those of the template, if the path ends with it, and those of
// folders such as service=shop. The former come before the latter. Of a URL of a web server they
// are what it stands for, without percent signs, so that they are those of the same file on a disk.
func (t *Template) Of(path string) map[string]string {
	labels := make(map[string]string)
	path = decoded(path)
	parts := strings.Split(path, "/")
	for _, part := range parts[:len(parts)-1] {
		if k, v, ok := strings.Cut(part, "="); ok && k != "" {
			labels[k] = v
		}
	}
	if t.path == nil {
		return labels
	}
	if found := t.path.FindStringSubmatch(path); found != nil {
		for i, name := range t.names {
			labels[name] = found[i+1]
		}
	}
	return labels
}

// decoded returns the path of a URL of a web server without its query and without escapes, but for
// those of slashes. Other paths it returns as they are: names of objects in buckets have no
// escapes.
func decoded(path string) string {
	if !strings.HasPrefix(path, "http://") && !strings.HasPrefix(path, "https://") {
		return path
	}
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if text, err := url.PathUnescape(part); err == nil && !strings.Contains(text, "/") {
			parts[i] = text
		}
	}
	return strings.Join(parts, "/")
}

// Replace replaces the names in braces of a text.
func Replace(text string, by func(name string) string) string {
	return label().ReplaceAllStringFunc(text, func(m string) string { return by(m[1 : len(m)-1]) })
}
