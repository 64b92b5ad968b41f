package export

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// destination is a folder, and the recordings whose tables it gets.
type destination struct {
	dir        string
	recordings []*mmapjfr.Recording
}

// label is a name in braces.
var label = regexp.MustCompile(`\{([^{}]*)\}`)

// labelName is what a label may be called.
var labelName = regexp.MustCompile(`^(prop:.+|[A-Za-z_][A-Za-z0-9_.-]*)$`)

// checkTemplates returns an error for templates that name nothing.
func checkTemplates(partition, labels string) error {
	known := map[string]bool{"date": true, "hour": true}
	for _, option := range [][2]string{{"--labels", labels}, {"--partition", partition}} {
		for _, m := range label.FindAllStringSubmatch(option[1], -1) {
			switch {
			case !labelName.MatchString(m[1]):
				return cli.Usagef("%s cannot be %q: {%s} is no name of a label", option[0], option[1], m[1])
			case option[0] == "--labels":
				known[m[1]] = true
			case !known[m[1]] && !strings.HasPrefix(m[1], "prop:"):
				return cli.Usagef("--partition cannot be %q: no label is called %s; name it by --labels", option[1], m[1])
			}
		}
		if rest := label.ReplaceAllString(option[1], ""); strings.ContainsAny(rest, "{}") {
			return cli.Usagef("%s cannot be %q: a brace is missing", option[0], option[1])
		}
	}
	if slices.Contains(strings.FieldsFunc(partition, isSlash), "..") || filepath.IsAbs(partition) {
		return cli.Usagef("--partition cannot be %q: it must lead into the folder", partition)
	}
	return nil
}

func isSlash(r rune) bool { return r == '/' || r == '\\' }

// folders returns the folders that recordings go to, in the order of the recordings.
func (v *verb) folders(set *input.Set, dir string) ([]*destination, error) {
	var list []*destination
	v.labelled = make(map[*mmapjfr.Recording][]string)
	for _, rec := range set.Recordings {
		labels, err := v.labelsOf(set, rec)
		if err != nil {
			return nil, err
		}
		at, err := v.folderOf(dir, labels, rec)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", set.Name(rec), err)
		}
		v.labelled[rec] = labels
		i := slices.IndexFunc(list, func(d *destination) bool { return d.dir == at })
		if i < 0 {
			i = len(list)
			list = append(list, &destination{dir: at})
		}
		list[i].recordings = append(list[i].recordings, rec)
	}
	return list, nil
}

// labelsOf returns the labels that the path of a recording has.
func (v *verb) labelsOf(set *input.Set, rec *mmapjfr.Recording) (values []string, err error) {
	if v.labels == "" {
		return nil, nil
	}
	path := filepath.ToSlash(cmp.Or(set.Path(rec), set.Name(rec)))
	pattern, last := "", 0
	for _, m := range label.FindAllStringIndex(v.labels, -1) {
		pattern += literal(v.labels[last:m[0]]) + "([^/]+?)"
		last = m[1]
	}
	pattern = "(?:^|/)" + pattern + literal(v.labels[last:]) + "$"
	r, err := regexp.Compile(pattern)
	if err != nil {
		return nil, cli.Usagef("--labels cannot be %q: %w", v.labels, err)
	}
	found := r.FindStringSubmatch(path)
	if found == nil {
		return nil, fmt.Errorf("%s: its path does not fit --labels %s", set.Name(rec), v.labels)
	}
	return found[1:], nil
}

// labelNames returns the names of labels.
func (v *verb) labelNames() (names []string) {
	for _, m := range label.FindAllStringSubmatch(v.labels, -1) {
		names = append(names, m[1])
	}
	return names
}

// literal returns the regular expression of a text, in which * stands for any characters of a name.
func literal(text string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, `[^/]*`)
}

// folderOf returns the folder of a recording.
func (v *verb) folderOf(dir string, labels []string, rec *mmapjfr.Recording) (string, error) {
	if v.partition == "" {
		return dir, nil
	}
	text := label.ReplaceAllStringFunc(v.partition, func(m string) string {
		name, value := m[1:len(m)-1], ""
		i := slices.Index(v.labelNames(), name)
		property, isProperty := strings.CutPrefix(name, "prop:")
		switch {
		case i >= 0:
			value = labels[i]
		case isProperty:
			value = propertyOf(rec, property)
		case name == "date":
			value = rec.Start().UTC().Format("2006-01-02")
		case name == "hour":
			value = rec.Start().UTC().Format("15")
		}
		return columns.PartitionValue(value)
	})
	return filepath.Join(dir, filepath.FromSlash(text)), nil
}

var pathKey, pathValue = mmapjfr.Path("key"), mmapjfr.Path("value")

// propertyOf returns a system property that the JVM had when it started.
func propertyOf(rec *mmapjfr.Recording, name string) string {
	for ev, err := range rec.Select(mmapjfr.Types("jdk.InitialSystemProperty")).Events() {
		if err == nil && ev.Str(pathKey) == name {
			return ev.Str(pathValue)
		}
	}
	return ""
}
