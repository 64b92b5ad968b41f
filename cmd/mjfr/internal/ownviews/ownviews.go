// Package ownviews reads views that the user has defined, and their parameters.
package ownviews

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/views"
)

// Reserved are names by which mjfr view shows no single view.
var Reserved = []string{"types", "all-views", "all-events"}

// Read returns the views of files, and then those in the folder of the user's settings. The first
// one with a name counts.
func Read(a *cli.App, files []string) (all []*views.View, err error) {
	own, err := settings()
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Concat(files, own) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		list, err := views.Read(f, path)
		f.Close()
		if err != nil {
			return nil, err
		}
		for _, one := range list {
			is := func(name string) bool { return strings.EqualFold(one.Name, name) }
			if slices.ContainsFunc(Reserved, is) {
				return nil, fmt.Errorf("%s: no view can be called %s, which mjfr view shows itself; give it another name", path, one.Name)
			}
			if slices.ContainsFunc(all, func(other *views.View) bool { return is(other.Name) }) {
				a.Notice(fmt.Sprintf("%s: the view %s is left out: a file before has one with this name", path, one.Name))
			}
		}
		all = append(all, list...)
	}
	return all, nil
}

// settings returns the files of views in the folder of the user's settings, which need not be
// there.
func settings() (paths []string, err error) {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, nil // there are no settings of a user without a home
		}
		dir = filepath.Join(home, ".config")
	}
	dir = filepath.Join(dir, "mjfr")
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range list {
		if !e.IsDir() && filepath.Ext(e.Name()) == ".views" {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

// ParameterUsage describes the flag for parameters.
const ParameterUsage = "set a parameter of a view, as `NAME=VALUE`; repeatable"

// CheckParameters reports what is wrong with parameters as they were typed.
func CheckParameters(list []string) error {
	for _, p := range list {
		if name, _, found := strings.Cut(p, "="); name == "" || !found {
			return cli.Usagef("-p takes NAME=VALUE, as in -p threshold=20ms; got %s", p)
		}
	}
	return nil
}

// Values returns the values of parameters that have been checked, by their names.
func Values(list []string) map[string]string {
	values := make(map[string]string)
	for _, p := range list {
		name, value, _ := strings.Cut(p, "=")
		values[name] = value
	}
	return values
}
