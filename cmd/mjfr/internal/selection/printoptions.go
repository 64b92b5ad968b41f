package selection

import (
	"errors"
	"math"
	"time"

	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// PrintOptions are the flags of verbs that print events.
type PrintOptions struct {
	Options
	formats         [print.TSV + 1]bool // by Format; without one the format is Text
	Fields          string
	spreadsheetSafe bool
	stackDepth      int
	deep            bool // --stack-depth was given
	Utc             bool
}

// AboutFormats describes the formats in the help.
const AboutFormats = `Text, --exact, --json and --xml are the formats of the JDK's jfr, word for word. --ndjson prints a
JSON object per event and line; --csv and --tsv print a row per event. In these, times are in UTC,
durations in nanoseconds, and stack traces complete unless you give --stack-depth. Rows have the
fields of the one event type you select, or those of --fields: paths such as eventThread.name or
stackTrace.frames[0].method.name, or @type, @thread, @top and others (mjfr help fields).

Spreadsheets run cells that begin with = + - or @ as formulas, and an application can write such
text into its recording: use --spreadsheet-safe if you open rows in one.`

// SpreadsheetUsage describes --spreadsheet-safe.
const SpreadsheetUsage = "put an apostrophe before each cell that a spreadsheet could take for a formula: " +
	"one that begins with = + - @, a tab or an end of line and is no number"

// FormatFlags adds the flags for the format.
func (o *PrintOptions) FormatFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.formats[print.Exact], "exact", false, "print numbers and times in full")
	f.BoolVar(&o.formats[print.JSON], "json", false, "print one JSON document")
	f.BoolVar(&o.formats[print.XML], "xml", false, "print one XML document")
	f.BoolVar(&o.formats[print.NDJSON], "ndjson", false, "print a JSON object for each event, in a line of its own")
	f.BoolVar(&o.formats[print.CSV], "csv", false, "print a row for each event, with commas between the fields")
	f.BoolVar(&o.formats[print.TSV], "tsv", false, "print a row for each event, with tabs between the fields")
	f.StringVar(&o.Fields, "fields", "", "print these `FIELDS` in rows or NDJSON; a list with commas")
	f.BoolVar(&o.spreadsheetSafe, "spreadsheet-safe", false, SpreadsheetUsage)
}

// DetailFlags adds the flags for all formats.
func (o *PrintOptions) DetailFlags(f *pflag.FlagSet) {
	f.IntVar(&o.stackDepth, "stack-depth", print.DefaultStackDepth, "print `N` frames of stack traces")
	f.BoolVar(&o.Utc, "utc", false, "print times in UTC, not in the zone of the recording")
}

// Check checks the format, as read from these flags, as far as that is possible without a
// recording.
func (o *PrintOptions) Check(flags *pflag.FlagSet) error {
	o.deep = flags.Changed("stack-depth")
	if formats := o.chosen(); len(formats) > 1 {
		return cli.Usagef("only one format can be specified at a time")
	}
	format := o.Format()
	switch {
	case o.stackDepth < 0:
		return cli.Usagef("stack depth must be zero or a positive integer")
	case o.Fields != "" && format < print.NDJSON:
		return cli.Usagef("--fields is for --ndjson, --csv and --tsv")
	case o.Fields != "" && len(FilterNames(o.Fields)) == 0:
		return cli.Usagef("--fields names no field")
	case o.spreadsheetSafe && format != print.CSV && format != print.TSV:
		return cli.Usagef("--spreadsheet-safe is for --csv and --tsv")
	}
	return nil
}

// chosen returns the formats that were given.
func (o *PrintOptions) chosen() (formats []print.Format) {
	for f, asked := range o.formats {
		if asked {
			formats = append(formats, print.Format(f))
		}
	}
	return formats
}

func (o *PrintOptions) Format() print.Format { return append(o.chosen(), print.Text)[0] }

// Print returns the library's options for printing.
func (o *PrintOptions) Print() print.Options {
	po := print.Options{
		Format: o.Format(), StackDepth: o.stackDepth, Fields: FilterNames(o.Fields), SpreadsheetSafe: o.spreadsheetSafe,
	}
	if po.Format >= print.NDJSON && !o.deep {
		po.StackDepth = math.MaxInt
	}
	if o.Utc {
		po.Zone = time.UTC
	}
	return po
}

// CheckFields returns an error for a field of --fields that no selected type has.
func (s *Selection) CheckFields(fields []string) error {
	if len(fields) == 0 {
		return nil
	}
	types, _ := mmapjfr.EventTypes(s.Set.Recordings, s.filters()...)
	if err := print.CheckFields(fields, types); err != nil {
		return cli.Usage(err)
	}
	return nil
}

// MixedTypes adds to the error of rows of several types what to do about it.
func MixedTypes(err error) error {
	if errors.Is(err, print.ErrMixedTypes) {
		return cli.Usagef("%w; give one type by --events, or the columns by --fields", err)
	}
	return err
}
