package export

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/labelling"
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

// checkPartition returns an error for a template that leads out of the folder.
func checkPartition(partition string) error {
	if _, err := labels.Names(partition); err != nil {
		return cli.Usagef("--partition cannot be %q: %w", partition, err)
	}
	if slices.Contains(strings.FieldsFunc(partition, isSlash), "..") || filepath.IsAbs(partition) {
		return cli.Usagef("--partition cannot be %q: it must stay inside the folder", partition)
	}
	return nil
}

func isSlash(r rune) bool { return r == '/' || r == '\\' }

// label finds the labels of all recordings.
func (v *verb) label(set *input.Set) error {
	var err error
	if v.labelled, err = labelling.Find(set, v.labels); err != nil {
		return err
	}
	wanted, _ := labels.Names(v.partition) // it has been checked
	for _, name := range wanted {
		if name != "date" && name != "hour" && !strings.Contains(name, ":") && !slices.Contains(v.labelled.Names, name) {
			return cli.Usagef("--partition cannot be %q: there is no label %s; define it with --labels", v.partition, name)
		}
	}
	return nil
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
		value, ok := v.labelled.Value(rec, name)
		switch {
		case ok:
		case strings.Contains(name, ":"):
			value = labelling.Property(rec, name)
		case name == "date":
			value = rec.Start().UTC().Format("2006-01-02")
		case name == "hour":
			value = rec.Start().UTC().Format("15")
		}
		return columns.PartitionValue(value)
	})
	return filepath.Join(dir, filepath.FromSlash(text))
}
