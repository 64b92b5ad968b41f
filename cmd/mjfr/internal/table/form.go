package table

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// form writes the first row of a result: a line for each column, and more for long texts.
func (w *Writer) form(r *query.Result) error {
	list, err := textsOf(r, w.o.Zone)
	if err != nil {
		return err
	}
	for row, err := range r.Rows {
		if err != nil {
			return err
		}
		w.formOf(r, list, row)
		return nil
	}
	w.nothing(r)
	return nil
}

func (w *Writer) formOf(r *query.Result, list []texts, row []query.Value) {
	width := cmp.Or(w.o.Width, min(usual, cmp.Or(w.o.MaxWidth, usual)))
	for i := range r.Columns {
		if javatext.Len(r.Columns[i].Title)+len(": ")+3 > width {
			fmt.Fprintf(w.out, "\nColumns are too wide to fit width %d.\n", w.o.Width)
			return
		}
	}
	w.width = width
	fmt.Fprintln(w.out)
	if r.Title != "" {
		fmt.Fprintf(w.out, "%s\n%s\n", r.Title, strings.Repeat("-", javatext.Len(r.Title)))
	}
	for i := range r.Columns {
		w.formField(r.Columns[i].Title+": ", string(list[i].append(nil, row[i], false)), width)
	}
}

// formField writes a text after its label, in lines of equal width. As in the JDK a text that
// fills its last line has an empty one after it.
func (w *Writer) formField(label, text string, width int) {
	indent, n := javatext.Len(label), javatext.Len(text)
	fmt.Fprintf(w.out, "\n%s", label)
	step := width - indent - 1
	for at := 0; at < n; at += step {
		if at > 0 {
			fmt.Fprintf(w.out, "%*s", indent, "")
		}
		w.out.WriteString(javatext.Slice(text, at, min(n, at+step))) // errors are kept for Flush
		if at+step <= n {
			w.out.WriteByte('\n')
		}
	}
	w.out.WriteByte('\n')
}
