package sql

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/mmapjfr/columns/duckdb"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

var (
	// colours are what the program writes although nobody sees them.
	colours = lazy.Regexp("\x1b\\[[0-9;]*m")
	// missingTable is the message about a table, and the name.
	missingTable = lazy.Regexp(`^Catalog Error: Table with name (.+?) does not exist!`)
	// excerpt is a line of a statement, with its number, over a caret.
	excerpt = lazy.Regexp(`^LINE (\d+): (.*)$`)
	// nearEnd is what DuckDB says of the mark that ends a statement, or of the end itself.
	nearEnd = lazy.Regexp(`syntax error at (?:or near "[;)]"|end of input)`)
)

// Wrong returns the error of a statement: what DuckDB says, and how to go on. The line of the statement with a caret
// under the place is written to standard error. DuckDB got the statement after some other lines.
func Wrong(in *Input, said string, st duckdb.Statement, before int) error {
	message, number, line, caret := "", 0, "", -1
	for text := range strings.Lines(colours().ReplaceAllString(said, "")) {
		text = strings.TrimRight(text, "\r\n")
		m := excerpt().FindStringSubmatch(text)
		switch {
		case text == "" || strings.HasPrefix(text, "-- Loading resources"):
		case number > 0 && caret < 0 && strings.TrimLeft(text, " ") == "^":
			caret = max(0, len(text)-len("^LINE : ")-len(strconv.Itoa(number)))
		case m != nil && number == 0:
			number, _ = strconv.Atoi(m[1])
			line = m[2]
		case number > 0 && caret < 0: // the excerpt goes on
		case message == "":
			message = text
		case !strings.HasPrefix(text, "Did you mean"):
			message += "; " + text
		}
	}
	lines := strings.Split(st.Text, "\n")
	if at := number - before; nearEnd().MatchString(message) && (number == 0 || at > len(lines)) {
		message = nearEnd().ReplaceAllString(message, "syntax error at end of input")
		line, number = strings.TrimRight(lines[len(lines)-1], " \t\r"), len(lines)+before
		caret = utf8.RuneCountInString(line)
	}
	if at := number - before; at >= 1 && at <= len(lines) && caret >= 0 {
		if hasSecrets(in, lines[at-1]) {
			line, caret = lines[at-1], -1 // the excerpt of DuckDB may begin within a password
		}
		showPlace(in, st.Line+at-1, line, caret)
	}
	err := fmt.Errorf("DuckDB: %s%s", strings.TrimSuffix(message, "!"), hint(in, message))
	if in.Lacking && missingTable().MatchString(message) {
		return err // the recording may have described it
	}
	return cli.Usage(err)
}

// hasSecrets reports whether a line of a script has secrets of URLs, which no message shows.
func hasSecrets(in *Input, line string) bool { return in.App.WithoutSecrets(line) != line }

// showPlace writes a line of a script, with a caret under a character. A line with secrets of URLs is written without them, and
// without the caret.
func showPlace(in *Input, number int, line string, caret int) {
	label := fmt.Sprintf("LINE %d: ", number)
	if hasSecrets(in, line) {
		line, caret = in.App.WithoutSecrets(line), -1
	}
	fmt.Fprint(in.App.Stderr, terminal.Excerpt(label, line, caret))
}

// checkEnds returns an error for a statement in which a string, a name or a comment has no end.
func checkEnds(in *Input, st duckdb.Statement) error {
	what, at := duckdb.Endless(st.Text)
	if what == "" {
		return nil
	}
	before := st.Text[:at]
	begin := strings.LastIndexByte(before, '\n') + 1
	line, _, _ := strings.Cut(st.Text[begin:], "\n")
	showPlace(in, st.Line+strings.Count(before, "\n"), line, utf8.RuneCountInString(before[begin:]))
	return cli.Usagef("a %s of the statement has no end", what)
}

// hint returns how to go on.
func hint(in *Input, message string) string {
	if m := missingTable().FindStringSubmatch(message); m != nil {
		if which := in.Catalog.Which(m[1]); which != "" {
			return "; " + which
		}
		if v := in.Catalog.View(m[1]); v != nil && v.Err != nil {
			if !errors.Is(v.Err, query.ErrNoSQL) {
				return fmt.Sprintf("; the view of this name cannot be made: %v", v.Err)
			}
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
