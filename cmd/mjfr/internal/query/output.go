package query

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// output is the flags that say how answers are written.
type output struct {
	formats  cli.TableFormats
	table    table.Options
	truncate string
	utc      bool
}

// flags adds the flags.
func (o *output) flags(f *pflag.FlagSet) {
	o.formats.Flags(f, "write one JSON document, with typed values")
	f.BoolVar(&o.table.Verbose, "verbose", false, "also show the names of fields, and the query")
	f.IntVar(&o.table.Width, "width", 0, "make tables `N` characters wide; by default as wide as needed, up to the terminal or 120")
	f.IntVar(&o.table.CellHeight, "cell-height", 0, "allow up to `N` lines per cell")
	f.StringVar(&o.truncate, "truncate", "", "cut long texts at this `END`: beginning or end")
	f.BoolVar(&o.table.SpreadsheetSafe, "spreadsheet-safe", false, selection.SpreadsheetUsage)
	f.BoolVar(&o.utc, "utc", false, "show times in UTC instead of the recording's zone")
}

// check checks the flags.
func (o *output) check() error {
	if err := o.formats.Choose(&o.table); err != nil {
		return err
	}
	switch o.truncate {
	case "":
	case "beginning":
		o.table.Truncate = table.Beginning
	case "end":
		o.table.Truncate = table.End
	default:
		return cli.Usagef("--truncate takes beginning or end; got %s", o.truncate)
	}
	if o.table.CellHeight < 0 {
		return cli.Usagef("--cell-height takes a number of lines")
	}
	return nil
}

// writer returns the writer of answers, whose times are in a zone unless the flags say otherwise.
func (r *reading) writer(zone *time.Location) *table.Writer {
	o := r.table
	if o.Zone = zone; r.utc {
		o.Zone = time.UTC
	}
	o.MaxWidth = r.Style.Width
	return table.New(r.Stdout, o)
}

// write writes one answer.
func (r *reading) write(zone *time.Location, result *query.Result) error {
	r.notes(result.Notes)
	w := r.writer(zone)
	if err := w.Write(result); err != nil {
		return err
	}
	return w.Close()
}

// isForPrograms reports whether programs read the format.
func (o *output) isForPrograms() bool { return o.table.Format >= table.JSON }
