package sql

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/duckdb"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/internal/views"
)

// options are those of duckdb for a format. Without a width it makes tables as wide as they need in
// a pipe.
func (v *verb) options() []string {
	switch v.table.Format {
	case table.JSON:
		return []string{"-json"}
	case table.NDJSON:
		return []string{"-jsonlines"}
	case table.CSV:
		return []string{"-csv", "-nullvalue", ""}
	case table.TSV:
		return []string{"-csv", "-separator", "\t", "-nullvalue", ""}
	case table.Markdown:
		return []string{"-markdown"}
	case table.HTML:
		return []string{"-html"}
	}
	list := []string{"-cmd", ".maxrows -1"}
	if width := cmp.Or(v.table.Width, v.Style.Width); width > 0 {
		list = append(list, "-cmd", ".maxwidth "+strconv.Itoa(width))
	}
	return list
}

// execute runs statements after a setup.
func (v *verb) execute(ctx context.Context, program, setup, statements string) error {
	var said bytes.Buffer
	out := &output{w: v.Stdout, lines: v.table.Format == table.NDJSON, last: '\n'}
	cmd := exec.CommandContext(ctx, program, append([]string{"-init", setup, "-batch", "-bail"}, v.options()...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(statements+"\n"), out, &said
	cmd.WaitDelay = time.Second // the duckdb of PyPI is a script, and what it starts can outlive it
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case out.err != nil:
		return out.err
	case err != nil && said.Len() > 0:
		return v.wrong(said.String(), statements)
	case err != nil:
		return fmt.Errorf("duckdb: %w", err)
	}
	return nil
}

// talk runs the shell of duckdb.
func (v *verb) talk(ctx context.Context, program, setup string) error {
	cmd := exec.CommandContext(ctx, program, "-init", setup)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = v.Stdin, v.Screen, v.Stderr
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("duckdb: %w", err)
	}
	return context.Cause(ctx)
}

// output keeps the first error of a writer: duckdb ends by it, and says another one.
type output struct {
	w     io.Writer
	err   error
	lines bool // leave out empty lines, which duckdb writes for results without rows
	last  byte
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	n := len(b)
	if o.lines {
		text := make([]byte, 0, n)
		for _, c := range b {
			if c != '\n' || o.last != '\n' {
				text = append(text, c)
			}
			o.last = c
		}
		b = text
	}
	if _, err := o.w.Write(b); err != nil {
		o.err = err
		return 0, err
	}
	return n, nil
}

var (
	colours      = lazy.Regexp("\x1b\\[[0-9;]*m")
	missingTable = lazy.Regexp(`Table with name "?(.+?)"? does not exist`)
)

// wrong returns the error of statements from what duckdb says, and writes the line that it shows.
func (v *verb) wrong(said, statements string) error {
	var message []string
	hasSecrets := v.WithoutSecrets(statements) != statements // of URLs, of which an excerpt may have a part
	inExcerpt := false
	for line := range strings.Lines(colours().ReplaceAllString(said, "")) {
		line = strings.TrimRight(line, "\r\n ")
		inExcerpt = inExcerpt || strings.HasPrefix(line, "LINE ")
		switch {
		case line == "" || strings.HasPrefix(line, "-- Loading resources") || strings.HasPrefix(line, "Did you mean"):
		case !inExcerpt:
			message = append(message, strings.TrimRight(line, "!."))
		case !hasSecrets:
			fmt.Fprintln(v.Stderr, "  "+terminal.Printable(line))
		}
		inExcerpt = inExcerpt && strings.TrimSpace(line) != "^"
	}
	text := strings.Join(message, "; ")
	err := errors.New("DuckDB: " + v.WithoutSecrets(text) + v.hint(text))
	if v.lacking && missingTable().MatchString(text) {
		return err // the recording may have described it
	}
	return cli.Usage(err)
}

// hint returns what to do next.
func (v *verb) hint(message string) string {
	if strings.HasPrefix(message, "Binder Error: Referenced column") {
		return "; mjfr sql --tables lists columns"
	}
	m := missingTable().FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	name, isFull := m[1], strings.Contains(m[1], ".")
	var known, same []string
	for _, n := range v.names {
		if n.Short == "" && strings.EqualFold(n.Full[strings.LastIndexByte(n.Full, '.')+1:], name) {
			same = append(same, duckdb.Quote(n.Full))
		}
		if isFull || n.Short == "" {
			known = append(known, n.Full)
		} else {
			known = append(known, n.Short)
		}
	}
	if len(same) > 0 {
		return "; several event types have this short name; write " + strings.Join(same[:min(len(same), 10)], " or ")
	}
	if view, ok := views.Find(name); ok {
		return fmt.Sprintf("; mjfr view %s FILE shows the view of that name", view.Name)
	}
	return cmp.Or(suggest.Question(name, known), ";") + " mjfr sql --tables lists all"
}
