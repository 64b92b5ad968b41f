// Package index is the verb index: it saves indexes of recordings.
package index

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
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
		Short:       "Save an index that makes later runs faster",
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
		return errors.New("no such file; check the path")
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("it is a folder; name the recordings in it, as in mjfr index %s", filepath.Join(name, "*.jfr"))
	case !info.Mode().IsRegular():
		return errors.New("it is not a plain file, and only those have an index; save it to one first")
	}
	return nil
}

// show prints the results.
func show(a *cli.App, reports []*report, o *options) error {
	switch {
	case o.json:
		return a.WriteJSON(reports)
	case len(reports) == 0:
		return nil
	case o.remove:
		return removedTable(reports).Write(a.Stdout, a.Style)
	case o.show, o.stats:
		return showParts(a, reports, o)
	}
	return sizesTable(reports).Write(a.Stdout, a.Style)
}

func removedTable(reports []*report) *terminal.Table {
	t := terminal.NewTable(terminal.Column{Title: "File"}, terminal.Column{Title: "Removed"})
	for _, r := range reports {
		t.Row(terminal.Plain(r.File), terminal.Plain(r.Index))
	}
	return t
}

// sizesTable has a line for each file.
func sizesTable(reports []*report) *terminal.Table {
	t := terminal.NewTable(terminal.Column{Title: "File"}, terminal.Column{Title: "Index"}, terminal.SizeColumn("Size"),
		terminal.ShareColumn, terminal.Number("Chunks"), terminal.Number("Left Out"))
	for _, r := range reports {
		t.Row(terminal.Plain(r.File), terminal.Plain(r.Index), terminal.Size(r.Size), shareOf(r.Size, r.Recording),
			terminal.Int(r.Chunks), terminal.Int(r.Chunks-r.In))
	}
	return t
}

// showParts has a line for each chunk of each file, and one for the whole file.
func showParts(a *cli.App, reports []*report, o *options) error {
	t := terminal.NewTable(terminal.Column{Title: "File"}, terminal.Number("Chunk"),
		terminal.SizeColumn("Chunk Size"), terminal.Number("Events"),
		terminal.Number("Blocks"), terminal.SizeColumn("Blocks Size"),
		terminal.Number("Constants"), terminal.SizeColumn("Constants Size"),
		terminal.ShareColumn)
	for _, r := range reports {
		all := chunkPart{}
		for _, p := range r.Parts {
			t.Row(p.cells(r.File, strconv.Itoa(p.Chunk), p.BlocksSize+p.ConstantsSize)...)
			all.Size += p.Size
			all.Events, all.Blocks, all.Constants = all.Events+p.Events, all.Blocks+p.Blocks, all.Constants+p.Constants
			all.BlocksSize, all.ConstantsSize = all.BlocksSize+p.BlocksSize, all.ConstantsSize+p.ConstantsSize
		}
		t.Row(all.cells(r.File, "all", r.Size)...)
	}
	if err := t.Write(a.Stdout, a.Style); err != nil || !o.stats {
		return err
	}
	// The rest is another table, with a line for each file.
	if _, err := fmt.Fprintln(a.Stdout); err != nil {
		return err
	}
	t = terminal.NewTable(terminal.Column{Title: "File"}, terminal.SizeColumn("Index Size"),
		terminal.Number("Took"), terminal.Number("Bytes/s"))
	for _, r := range reports {
		rate := uint64(float64(r.Recording) / time.Duration(max(r.Took, 1)).Seconds())
		t.Row(terminal.Plain(r.File), terminal.Size(r.Size),
			terminal.Cell{Text: terminal.ShortDuration(time.Duration(r.Took)), Raw: time.Duration(r.Took).String()}, terminal.Size(rate))
	}
	return t.Write(a.Stdout, a.Style)
}

// cells are the cells for a chunk, or for the whole file. size is the size of its index.
func (p *chunkPart) cells(file, chunk string, size uint64) []terminal.Cell {
	return []terminal.Cell{
		terminal.Plain(file), terminal.Plain(chunk), terminal.Size(p.Size), terminal.Count(p.Events), terminal.Count(uint64(p.Blocks)),
		terminal.Size(p.BlocksSize), terminal.Count(p.Constants), terminal.Size(p.ConstantsSize), shareOf(size, int64(p.Size)),
	}
}

// shareOf is the size of an index as a share of a recording or a chunk.
func shareOf(size uint64, of int64) terminal.Cell {
	if of <= 0 {
		return terminal.Cell{}
	}
	share := float64(size) / float64(of)
	return terminal.Cell{Text: fmt.Sprintf("%.2f%%", 100*share), Raw: strconv.FormatFloat(share, 'f', 6, 64)}
}
