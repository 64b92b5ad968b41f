// Package report is the verb report: one page about recordings, for an incident, a pull request or
// the results of a build.
package report

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/web"
)

// verb is mjfr report with its flags.
type verb struct {
	*cli.App
	selection.Options
	output   string
	markdown bool
	views    []string
	rows     int
	force    bool
}

// New makes the verb report.
func New(a *cli.App) *cobra.Command {
	v := &verb{App: a}
	cmd := &cobra.Command{
		Use:   "report [flags] FILE...",
		Short: "Write a one-page report",
		Long: `Write a one-page report: what was recorded, CPU, heap and pauses over time, tables of what
takes time and memory and of what threads wait for, and flame graphs. The page is
self-contained: mail it or keep it with a build. It contains command lines, paths and other
text of the recordings; redact them first if needed.

With --markdown, or a name that ends in .md, write Markdown for a pull request, with SVG charts
beside the file and without flame graphs.

Existing files are kept, unless you give --force.

` + selection.About,
		Example: `  mjfr report -o report.html app.jfr
  mjfr report -o report.html --from -5m app.jfr
  mjfr report --markdown app.jfr >> $GITHUB_STEP_SUMMARY
  mjfr report -o report.html --view gc-pauses,hot-methods,sql-by-time app.jfr`,
		Args:    cli.NeedFiles,
		PreRunE: func(*cobra.Command, []string) error { return cmp.Or(v.check(), v.Options.Check()) },
		RunE:    func(cmd *cobra.Command, args []string) error { return v.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.StringVarP(&v.output, "output", "o", "-", "write the page to `FILE`; - is standard output")
	f.BoolVar(&v.markdown, "markdown", false, "write Markdown")
	f.StringSliceVar(&v.views, "view", nil, "show these `VIEWS` as tables instead of the usual ones; mjfr view --list has all")
	f.IntVar(&v.rows, "rows", 20, "show `N` rows of each table at most")
	f.BoolVar(&v.force, "force", false, "replace existing files, pictures too")
	v.SelectFlags(f)
	selection.HideRows(f)
	return cmd
}

// check checks the flags.
func (v *verb) check() error {
	if v.rows < 1 {
		return cli.Usagef("--rows %d: a table needs at least one row", v.rows)
	}
	if v.output == "" {
		return cli.Usagef(`-o "": name a file to write, or - for standard output`)
	}
	switch ext := strings.ToLower(filepath.Ext(v.output)); {
	case v.markdown && (ext == ".html" || ext == ".htm"):
		return cli.Usagef("--markdown with -o %s: it is the name of a page in HTML; leave out --markdown, or give a name that ends in .md", v.output)
	case ext == ".md":
		v.markdown = true
	}
	return nil
}

func (v *verb) run(ctx context.Context, names []string) error {
	// What chunks need in memory has few pointers: to collect it early costs little, and keeps it
	// small.
	defer cli.SetGCPercent(25)()
	if err := v.checkOut(); err != nil {
		return err
	}
	return v.With(ctx, names, func(set *input.Set) error {
		for _, rec := range set.Recordings {
			for _, out := range append(v.pictureFiles(), v.output) {
				if path := set.Path(rec); path != "" && cli.IsAmong(out, []string{path}) {
					return cli.Usagef("-o %s: %s would be written, and is one of the files that are read; name another file to write", v.output, out)
				}
			}
		}
		c, err := v.gather(ctx, set)
		if err != nil {
			return err
		}
		return v.WriteOut(ctx, v.output, set, func(w io.Writer) error { return v.write(w, c) })
	}, append(v.Reading(), v.SavedIndexes())...)
}

// checkOut returns an error if a file that would be written is there and stays. A link by the name
// of a picture, which no user has chosen, is not followed but replaced.
func (v *verb) checkOut() error {
	if err := cli.CheckOut(v.output, v.force); err != nil {
		return err
	}
	for _, path := range v.pictureFiles() {
		info, err := os.Lstat(path)
		if err == nil && info.Mode().Type()&^fs.ModeSymlink != 0 {
			return fmt.Errorf("%s: cannot write a picture here, as this is not a file; name another report", path)
		}
		if err == nil && !v.force {
			return fmt.Errorf("%s: it exists; use --force to replace it", path)
		}
	}
	return nil
}

// pictureFiles returns all files that can be written beside the report.
func (v *verb) pictureFiles() (list []string) {
	info, err := os.Stat(v.output)
	if !v.markdown || v.output == "-" || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	for n := range web.ReadTopics().Overview {
		list = append(list, filepath.Join(filepath.Dir(v.output), v.pictureName(n)))
	}
	return list
}

// write writes the page.
func (v *verb) write(w io.Writer, c *content) error {
	if v.markdown {
		return v.writeMarkdown(w, c)
	}
	return writeHTML(w, c)
}
