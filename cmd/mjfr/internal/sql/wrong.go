package sql

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
)

var (
	// colours are what the program writes although nobody sees them.
	colours = regexp.MustCompile("\x1b\\[[0-9;]*m")
	// missingTable is the message about a table, and the name.
	missingTable = regexp.MustCompile(`^Catalog Error: Table with name (.+?) does not exist!`)
	described    = "LINE 1: DESCRIBE "
)

// Wrong returns the error of a statement: what DuckDB says, and how to go on. The line of the statement with a caret
// under the place is written to standard error.
func Wrong(in *Input, said string) error {
	message, place := "", []string{}
	for line := range strings.Lines(colours.ReplaceAllString(said, "")) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "" || strings.HasPrefix(line, "-- Loading resources"):
		case len(place) > 0:
			if rest, is := strings.CutPrefix(place[0], described); is && len(line) > len(described) {
				place[0], line = "LINE 1: "+rest, line[len("DESCRIBE "):]
			}
			place = append(place, line)
		case strings.HasPrefix(line, "LINE "):
			place = append(place, line)
		case message == "":
			message = line
		case !strings.HasPrefix(line, "Did you mean"):
			message += "; " + line
		}
	}
	for _, line := range place[:min(len(place), 2)] {
		fmt.Fprintf(in.App.Stderr, "  %s\n", terminal.Printable(line))
	}
	return cli.Usagef("DuckDB: %s%s", strings.TrimSuffix(message, "!"), hint(in, message))
}

// hint returns how to go on.
func hint(in *Input, message string) string {
	if m := missingTable.FindStringSubmatch(message); m != nil {
		if v := in.Catalog.View(m[1]); v != nil && v.Err != nil {
			return fmt.Sprintf("; mjfr view %s has it: %v", v.Name, v.Err)
		}
		if like := in.Catalog.Like(m[1]); like != "" {
			return "; did you mean " + like + "? mjfr sql --tables lists all"
		}
		return "; mjfr sql --tables lists all"
	}
	if strings.HasPrefix(message, "Binder Error: Referenced column") {
		return "; mjfr sql --tables lists columns"
	}
	return ""
}
