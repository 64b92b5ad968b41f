package export

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	"github.com/mmapjfr/jfr/mmapjfr/columns/arrow"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// isStream reports whether one type becomes one stream.
func (v *verb) isStream() bool {
	return v.arrow == "-" || strings.EqualFold(filepath.Ext(v.arrow), arrow.Format.Extension())
}

// stream writes the events of the one type that is selected.
func (v *verb) stream(ctx context.Context, set *input.Set, s *selection.Selection, po *print.Options) error {
	var types []string
	for _, name := range columns.TableNames(set.Recordings, po.Filters) {
		if !strings.HasPrefix(name, "_") {
			types = append(types, name)
		}
	}
	if len(types) != 1 {
		return cli.Usagef("--arrow %s is for one event type, and %d are selected; choose one by --events, or name a folder", v.arrow, len(types))
	}
	if err := cli.CheckOut(v.arrow, v.force); err != nil {
		return err
	}
	defer cli.SetGCPercent(garbage)()
	bar := v.Progress("exporting", cli.BytesOf(set), cli.AtEnd)
	defer bar.Done()
	sink := func(table string, fill func(io.Writer) error) error {
		if table != types[0] {
			return fill(io.Discard)
		}
		return v.WriteOut(ctx, v.arrow, set, fill)
	}
	report, err := columns.Export(ctx, set.Recordings, arrow.Format, sink, v.options(set, po, bar.Add))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	bar.Done()
	if err := s.ReportIfEmpty(ctx); err != nil || v.arrow == "-" {
		return err
	}
	d := document{Folders: []folder{{Path: filepath.Dir(v.arrow)}}}
	for _, t := range report.Tables {
		if t.Name == types[0] {
			d.Folders[0].Tables = []table{{filepath.Base(v.arrow), t.Rows, t.Late}}
		}
	}
	return v.show(d)
}
