package export

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
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// destination is a folder, and the recordings whose tables it gets.
type destination struct {
	dir        string
	recordings []*mmapjfr.Recording
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
		if value := propertyOf(rec, p[1]); value != "" {
			found[p[0]] = value
		}
	}
	return found
}

// names returns the names of labels, in the order of --labels; then those of folders such as service=shop.
func (l *labeller) names(all map[*mmapjfr.Recording]map[string]string) []string {
	names := slices.Clone(l.template.Names())
	for _, p := range l.properties {
		names = append(names, p[0])
	}
	folders := make(map[string]bool)
	for _, found := range all {
		for name := range found {
			folders[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// checkPartition returns an error for a template that leads out of the folder.
func checkPartition(partition string) error {
	if _, err := labels.Names(partition); err != nil {
		return cli.Usagef("--partition cannot be %q: %w", partition, err)
	}
	if slices.Contains(strings.FieldsFunc(partition, isSlash), "..") || filepath.IsAbs(partition) {
		return cli.Usagef("--partition cannot be %q: it must lead into the folder", partition)
	}
	return nil
}

func isSlash(r rune) bool { return r == '/' || r == '\\' }

// label finds the labels of all recordings.
func (v *verb) label(set *input.Set) error {
	l, err := newLabeller(v.labels)
	if err != nil {
		return err
	}
	v.labelled = make(map[*mmapjfr.Recording]map[string]string)
	for _, rec := range set.Recordings {
		v.labelled[rec] = l.of(set, rec)
	}
	v.labelNames = l.names(v.labelled)
	wanted, _ := labels.Names(v.partition) // it has been checked
	for _, name := range wanted {
		if name != "date" && name != "hour" && !strings.Contains(name, ":") && !slices.Contains(v.labelNames, name) {
			return cli.Usagef("--partition cannot be %q: no label is called %s; name it by --labels", v.partition, name)
		}
	}
	return nil
}

// labelValues returns the values of the labels of a recording.
func (v *verb) labelValues(rec *mmapjfr.Recording) (values []string) {
	for _, name := range v.labelNames {
		values = append(values, v.labelled[rec][name])
	}
	return values
}

// folders returns the folders that recordings go to, in the order of the recordings.
func (v *verb) folders(set *input.Set, dir string) ([]*destination, error) {
	var list []*destination
	for _, rec := range set.Recordings {
		at := v.folderOf(dir, rec)
		i := slices.IndexFunc(list, func(d *destination) bool { return d.dir == at })
		if i < 0 {
			i = len(list)
			list = append(list, &destination{dir: at})
		}
		list[i].recordings = append(list[i].recordings, rec)
	}
	return list, nil
}

// folderOf returns the folder of a recording.
func (v *verb) folderOf(dir string, rec *mmapjfr.Recording) string {
	if v.partition == "" {
		return dir
	}
	text := labels.Replace(v.partition, func(name string) string {
		value, ok := v.labelled[rec][name]
		switch {
		case ok:
		case strings.Contains(name, ":"):
			value = propertyOf(rec, name)
		case name == "date":
			value = rec.Start().UTC().Format("2006-01-02")
		case name == "hour":
			value = rec.Start().UTC().Format("15")
		}
		return columns.PartitionValue(value)
	})
	return filepath.Join(dir, filepath.FromSlash(text))
}

var pathKey, pathValue = mmapjfr.Path("key"), mmapjfr.Path("value")

// propertyOf returns a system property or, for env:NAME, a variable of the environment that the JVM had when it
// started.
func propertyOf(rec *mmapjfr.Recording, property string) string {
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
