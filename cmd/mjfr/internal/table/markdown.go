package table

import (
	"fmt"
	"strings"

	"github.com/mmapjfr/jfr/internal/printable"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// markdown writes a result as a table under a title. A form has two columns. What Markdown takes
// for markup is escaped.
func (w *Writer) markdown(r *query.Result) error {
	if w.began {
		w.out.WriteByte('\n')
	}
	if r.Title != "" {
		fmt.Fprintf(w.out, "### %s\n\n", escapeMarkdown(r.Title))
	}
	rows, err := 0, error(nil)
	if r.Form {
		rows, err = w.markdownForm(r)
	} else {
		rows, err = w.markdownTable(r)
	}
	if rows == 0 {
		w.out.WriteString("No events.\n")
	}
	for _, note := range r.Notes {
		fmt.Fprintf(w.out, "\n%s\n", escapeMarkdown(note))
	}
	return err
}

func (w *Writer) markdownForm(r *query.Result) (rows int, err error) {
	one := *r
	one.Rows, one.All = firstRow(r.Rows), allRows(r)
	err = eachRow(&one, w.o.Zone, func(list []texts, row []query.Value) {
		rows++
		w.out.WriteString("| | |\n| --- | --- |\n")
		for i, v := range row {
			fmt.Fprintf(w.out, "| %s | %s |\n", escapeMarkdown(r.Columns[i].Title), list[i].lines(v, w.o.CellHeight, escapeMarkdown, "<br>"))
		}
	})
	return rows, err
}

func (w *Writer) markdownTable(r *query.Result) (rows int, err error) {
	return rows, eachRow(r, w.o.Zone, func(list []texts, row []query.Value) {
		if rows++; rows == 1 {
			w.markdownHead(r)
		}
		w.out.WriteByte('|')
		for i, v := range row {
			fmt.Fprintf(w.out, " %s |", list[i].lines(v, w.o.CellHeight, escapeMarkdown, "<br>"))
		}
		w.out.WriteByte('\n')
	})
}

func (w *Writer) markdownHead(r *query.Result) {
	w.out.WriteByte('|')
	for i := range r.Columns {
		fmt.Fprintf(w.out, " %s |", escapeMarkdown(r.Columns[i].Title))
	}
	w.out.WriteString("\n|")
	for i := range r.Columns {
		if r.Columns[i].Layout.Left {
			w.out.WriteString(" --- |")
		} else {
			w.out.WriteString(" ---: |")
		}
	}
	w.out.WriteByte('\n')
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "~", `\~`, "#", `\#`, "@", "&#64;",
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "\n", " ",
)

// escapeMarkdown returns a text as Markdown shows it. An @ would call a person.
func escapeMarkdown(s string) string { return markdownEscapes.Replace(visible(s)) }

// visible returns a text without ends of lines and tabs, in which nothing is invisible.
func visible(s string) string { return printable.Text(string(appendWithoutBreaks(nil, s))) }
