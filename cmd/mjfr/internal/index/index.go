// Package index is the verb index: it saves indexes of recordings.
package index

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// options are the flags of mjfr index.
type options struct {
	beside, cache             bool
	show, check, remove, json bool
	stats                     bool
}

// New makes the verb that saves indexes of recordings.
func New(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:         "index [flags] FILE...",
		Annotations: map[string]string{cli.RecordingsKey: ""},
		Short:       "Save an index, so that events are found at once",
		Long: `Read each recording and save an index of where its events and constants are. The index
replaces an older one. Other verbs use it: they need not read the whole recording
to find events by offset, ordinal, time, thread or type.

An index is for one state of one file. When the recording changes, verbs ignore the
index, and you can save a new one. Only plain files can have an index: unpack a packed
recording first. The index leaves out chunks that are still being written, or damaged;
verbs read these each time.`,
		Example: `  mjfr index app.jfr
  mjfr index --cache --stats app.jfr
  mjfr index --check *.jfr || echo make it anew
  mjfr index --remove app.jfr`,
		Args: cli.NeedFiles,
		PreRunE: func(*cobra.Command, []string) error {
			if o.show && o.stats {
				return cli.Usagef("--stats goes with making an index; --show describes one that was made before")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return run(a, cmd, args, &o)
		},
	}
	cmd.Flags().BoolVar(&o.beside, "beside", false, "in the folder of the recording, as FILE"+mmapjfr.IndexSuffix+"; that is the default")
	cmd.Flags().BoolVar(&o.cache, "cache", false, "in the user's cache folder")
	cmd.Flags().BoolVar(&o.show, "show", false, "show the contents of the index")
	cmd.Flags().BoolVar(&o.check, "check", false, "check whether the index can be used, or why not; reads all of it")
	cmd.Flags().BoolVar(&o.remove, "remove", false, "remove the index")
	cmd.Flags().BoolVar(&o.stats, "stats", false, "show how large each part is, and how long it took")
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON document")
	cmd.MarkFlagsMutuallyExclusive("beside", "cache")
	cmd.MarkFlagsMutuallyExclusive("show", "check", "remove")
	cmd.MarkFlagsMutuallyExclusive("stats", "check")
	cmd.MarkFlagsMutuallyExclusive("stats", "remove")
	return cmd
}

func (o *options) place() mmapjfr.IndexLocation {
	if o.cache {
		return mmapjfr.IndexInCache
	}
	return mmapjfr.IndexBeside
}

// run saves, shows, checks or removes the index of each file. It goes on after a file that fails.
func run(a *cli.App, cmd *cobra.Command, args []string, o *options) error {
	var (
		errs    []error
		reports = []*report{}
	)
	for _, name := range fileNames(args) {
		r := &report{File: name}
		err := indexFile(cmd.Context(), a, r, o)
		if cmd.Context().Err() != nil {
			return err
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			r.Error = err.Error()
		}
		if err == nil || o.json {
			reports = append(reports, r)
		}
	}
	return errors.Join(show(a, reports, o), errors.Join(errs...))
}

// fileNames returns the named files. It replaces patterns that the shell has not replaced.
func fileNames(args []string) (names []string) {
	for _, name := range args {
		if _, err := os.Stat(name); err == nil || !strings.ContainsAny(name, "*?[") {
			names = append(names, name)
			continue
		}
		list, _ := filepath.Glob(name)
		if len(list) == 0 {
			list = []string{name} // opening it reports that there is no such file
		}
		for _, file := range list {
			if !strings.HasSuffix(file, mmapjfr.IndexSuffix) {
				names = append(names, file)
			}
		}
	}
	return names
}

// plainFile returns an error if a name is not that of a file that can have an index.
func plainFile(name string) error {
	if name == "-" {
		return errors.New("standard input has no index; save it to a file first")
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file; check the path")
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("it is a folder; name the recordings in it, as in mjfr index %s", filepath.Join(name, "*.jfr"))
	case !info.Mode().IsRegular():
		return errors.New("it is not a plain file, and only those have an index; save it to one first")
	}
	return nil
}
