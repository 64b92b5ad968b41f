package cli

import (
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
)

// TableFormats are the flags of verbs that write tables, a flag for each format. Without one it is
// text.
type TableFormats struct {
	given [table.TSV + 1]bool
}

// Flags adds the flags. JSON is what the help says of --json.
func (t *TableFormats) Flags(f *pflag.FlagSet, json string) {
	for format, usage := range map[table.Format]string{
		table.JSON: json, table.NDJSON: "write a JSON object for each row, in a line of its own",
		table.CSV: "write a line for each row, with commas between the columns", table.TSV: "write a line for each row, with tabs between the columns",
		table.Markdown: "write a table for a pull request", table.HTML: "write an HTML page",
	} {
		f.BoolVar(&t.given[format], format.String(), false, usage)
	}
}

// maxTableWidth is what --width takes at most: tables are made in memory.
const maxTableWidth = 100_000

// Choose sets the format that was given. It fails if there are several, or if the width is none.
func (t *TableFormats) Choose(o *table.Options) error {
	given := 0
	for format, is := range t.given {
		if is {
			given++
			o.Format = table.Format(format)
		}
	}
	if given > 1 {
		return Usagef("give one format")
	}
	if o.Width < 0 || o.Width > maxTableWidth {
		return Usagef("--width takes up to %d characters", maxTableWidth)
	}
	return nil
}
