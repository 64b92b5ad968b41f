package table

import (
	_ "embed"
	"fmt"
	"html"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr/query"
)

//go:embed page.html
var page string

// pageMark is where the results stand in the page.
const pageMark = "<!-- results -->\n"

// html writes a result as a table of a page. The first result begins the page.
func (w *Writer) html(r *query.Result) error {
	if !w.o.Part {
		w.beginPage(r.Title)
	}
	if r.Title != "" {
		fmt.Fprintf(w.out, "<h2>%s</h2>\n", escapeHTML(r.Title))
	}
	one := *r
	if r.Form {
		one.Rows, one.All = firstRow(r.Rows), allRows(r)
	}
	rows := 0
	err := eachRow(&one, w.o.Zone, func(list []texts, row []query.Value) {
		if rows++; rows == 1 {
			w.out.WriteString("<table>\n")
		}
		if r.Form {
			w.htmlForm(list, row)
			return
		}
		if rows == 1 {
			w.htmlHead(r)
		}
		w.out.WriteString("<tr>")
		for i, v := range row {
			w.htmlCell("td", r.Columns[i].Layout, list[i].lines(v, w.o.CellHeight, escapeHTML, "<br>"))
		}
		w.out.WriteString("</tr>\n")
	})
	if rows > 0 {
		w.out.WriteString("</table>\n")
	} else {
		w.out.WriteString("<p>No events.</p>\n")
	}
	for _, note := range r.Notes {
		fmt.Fprintf(w.out, "<p>%s</p>\n", escapeHTML(note))
	}
	return err
}

func (w *Writer) beginPage(title string) {
	if w.began {
		return
	}
	if title == "" {
		title = "Flight recording"
	}
	head, _, _ := strings.Cut(page, pageMark)
	w.out.WriteString(strings.Replace(head, "{{title}}", escapeHTML(title), 1))
	w.began = true
}

func (w *Writer) endPage() {
	w.beginPage("")
	_, tail, _ := strings.Cut(page, pageMark)
	w.out.WriteString(tail)
}

func (w *Writer) htmlHead(r *query.Result) {
	w.out.WriteString("<tr>")
	for i := range r.Columns {
		w.htmlCell("th", r.Columns[i].Layout, escapeHTML(r.Columns[i].Title))
	}
	w.out.WriteString("</tr>\n")
}

func (w *Writer) htmlForm(list []texts, row []query.Value) {
	left := query.Layout{Left: true}
	for i, v := range row {
		w.out.WriteString("<tr>")
		w.htmlCell("th", left, escapeHTML(list[i].column.Title))
		w.htmlCell("td", left, list[i].lines(v, w.o.CellHeight, escapeHTML, "<br>"))
		w.out.WriteString("</tr>\n")
	}
}

func (w *Writer) htmlCell(element string, l query.Layout, text string) {
	class := ""
	if !l.Left {
		class = ` class="r"`
	}
	fmt.Fprintf(w.out, "<%s%s>%s</%s>", element, class, text, element)
}

func escapeHTML(s string) string { return html.EscapeString(visible(s)) }
