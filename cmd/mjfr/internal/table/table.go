// Package table writes results of statements: as tables and forms of text, which are those of the
// JDK's jfr view byte for byte, as Markdown and HTML for people, and as JSON, NDJSON, CSV and TSV
// for programs. Numbers are written as the JDK writes them in the English locale.
//
// A result is written while it is read: twice for text, whose columns are as wide as what is in
// them, once more if shares of a sum are shown, and otherwise once. No row is kept.
package table

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// Format is what results are written as.
type Format uint8

// The formats.
const (
	// Text is for people: a table, or a form for results that are one.
	Text Format = iota
	// Markdown is a table as GitHub shows it in comments and pull requests.
	Markdown
	// HTML is one page for all results, which needs nothing else.
	HTML
	// JSON is one document for each result.
	JSON
	// NDJSON is one object for each row and line.
	NDJSON
	// CSV is one line for each row, with commas between the cells, after a line of names.
	CSV
	// TSV is CSV with tabs.
	TSV
)

// String returns the name of the format, such as "json".
func (f Format) String() string {
	return [...]string{"text", "markdown", "html", "json", "ndjson", "csv", "tsv"}[min(f, TSV)]
}

// Truncation is which end of a text that is too long for a cell is left out.
type Truncation uint8

const (
	// AsColumn is the end that the column names: the last characters unless it says otherwise.
	AsColumn Truncation = iota
	// Beginning leaves out the first characters, and End the last.
	Beginning
	End
)

// Options say how results are written. The zero Options are those of jfr view in UTC.
type Options struct {
	Format Format
	// Zone is the time zone of points in time; nil is UTC. Jfr view has that of its reader.
	Zone *time.Location
	// Width is how many characters text is wide; 0 is as many as it needs, within limits.
	Width int
	// MaxWidth is how many characters text has at most if Width is 0, such as those of a terminal;
	// 0 is 120.
	MaxWidth int
	// CellHeight is how many lines cells of text and Markdown have at most, where lists and stack
	// traces have an element on each; 0 is what the columns say, which is one if they say nothing.
	CellHeight int
	// Truncate is which end of long texts is left out.
	Truncate Truncation
	// Verbose adds the names of fields to tables of text.
	Verbose bool
	// Array makes documents of JSON the elements of one array.
	Array bool
	// OneHeading leaves the names of columns in CSV and TSV out where they are those of the result
	// before.
	OneHeading bool
	// SpreadsheetSafe puts an apostrophe before each cell of CSV and TSV that a spreadsheet could
	// take for a formula.
	SpreadsheetSafe bool
	// Part makes HTML a part of another page: without what a page has around it.
	Part bool
}

// Writer writes results one after the other. It is not safe for concurrent use.
type Writer struct {
	out   *bufio.Writer
	o     Options
	width int
	began bool   // a result has been written
	names string // the last line with names of columns
}

// New returns a writer. It must be closed.
func New(w io.Writer, o Options) *Writer {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	return &Writer{out: bufio.NewWriterSize(w, 64<<10), o: o}
}

// Write writes a result. The error is that of its rows or of the writer below.
func (w *Writer) Write(r *query.Result) error {
	w.width = 0
	write := [...]func(*query.Result) error{w.text, w.markdown, w.html, w.json, w.lines, w.lines, w.lines}[min(w.o.Format, TSV)]
	err := write(r)
	w.began = true
	return cmp.Or(err, w.out.Flush())
}

// Close ends what has been begun. It does not close the writer below.
func (w *Writer) Close() error {
	switch {
	case w.o.Format == HTML && !w.o.Part:
		w.endPage()
	case w.o.Format == JSON && w.o.Array:
		if !w.began {
			w.out.WriteByte('[')
		}
		w.out.WriteString("]\n")
	}
	return w.out.Flush()
}

// Width returns how many characters the table or form of the last result is wide: 0 if it has no
// rows, or is no text.
func (w *Writer) Width() int { return w.width }

func (w *Writer) text(r *query.Result) error {
	if r.Form {
		return w.form(r)
	}
	t := &textTable{Writer: w, result: r}
	return t.write()
}

// The widths of tables that nobody asked for another.
const (
	most      = 120 // as in the JDK
	usual     = 80
	narrowest = 40 // of one or two columns
)

// textTable writes a table of text.
type textTable struct {
	*Writer
	result *query.Result
	texts  []texts
	cells  []cell
	line   []byte
}

func (t *textTable) write() error {
	var err error
	if t.texts, err = textsOf(t.result, t.o.Zone); err != nil {
		return err
	}
	t.makeCells()
	rows, err := t.measure()
	switch {
	case err != nil:
		return err
	case rows == 0 || len(t.cells) == 0:
		t.nothing(t.result)
		return nil
	case len(t.cells)*leastCell > cmp.Or(t.o.Width, t.o.MaxWidth, most):
		_, err := t.out.WriteString("\nToo many columns to fit width.\n")
		return err
	}
	t.setWidths()
	t.head()
	return t.rows()
}

// nothing says that a result has no rows.
func (w *Writer) nothing(r *query.Result) {
	if r.Title != "" {
		fmt.Fprintf(w.out, "\nNo events found for '%s'.\n", r.Title)
	}
}

func (t *textTable) makeCells() {
	t.cells = make([]cell, len(t.result.Columns))
	for i := range t.cells {
		c, col := &t.cells[i], &t.result.Columns[i]
		c.layout = col.Layout
		c.height = max(1, cmp.Or(t.o.CellHeight, col.Format.CellHeight))
		c.beginning = t.o.Truncate == Beginning || t.o.Truncate == AsColumn && col.Format.TruncateBeginning
		c.prefer(javatext.Len(col.Title))
		if t.o.Verbose {
			c.prefer(len("()") + javatext.Len(col.Field))
		}
	}
}

// measure finds how wide the texts of all rows are, and how many rows there are.
func (t *textTable) measure() (rows int, err error) {
	for row, err := range allRows(t.result) {
		if err != nil {
			return rows, err
		}
		rows++
		for i := range t.cells {
			t.setLine(i, row[i], false)
			t.cells[i].prefer(javatext.Len(t.line))
		}
	}
	return rows, nil
}

// setWidths gives the width of the table to its columns, one character at a time, as the JDK does:
// a round can give more than there is.
func (t *textTable) setWidths() {
	t.width = 0
	total := t.o.Width
	if total == 0 {
		for i := range t.cells {
			total += t.cells[i].preferred
		}
		limit := most
		if t.o.MaxWidth > 0 {
			limit = max(t.o.MaxWidth-len(t.cells)+1, 1) // as the last round can give more
		}
		total = min(total, limit)
		if few := len(t.cells) < 3; few && total < narrowest {
			total = narrowest
		} else if total < usual {
			total = usual
		}
		total = min(total, limit)
	}
	for _, wants := range []func(c *cell) bool{
		func(c *cell) bool { return c.width < leastCell },
		func(c *cell) bool { return c.width < c.preferred },
		func(c *cell) bool { return c.layout.Wide },
		func(*cell) bool { return true },
	} {
		for given := true; given && t.width < total; {
			given = false
			for i := range t.cells {
				if wants(&t.cells[i]) {
					t.cells[i].width++
					t.width++
					given = true
				}
			}
		}
	}
}

// head writes the title and what is above the rows.
func (t *textTable) head() {
	if title := t.result.Title; title != "" {
		if t.result.Experimental {
			title += " (Experimental)"
		}
		fmt.Fprintf(t.out, "\n%*s%s\n\n", max(0, t.width-javatext.Len(title))/2, "", title)
	}
	t.heading(func(c *query.Column) string { return c.Title })
	if t.o.Verbose {
		t.heading(func(c *query.Column) string { return "(" + c.Field + ")" })
	}
	for i := range t.cells {
		c := &t.cells[i]
		t.line = t.line[:0]
		for range c.contentWidth() {
			t.line = append(t.line, '-')
		}
		c.set(t.line)
	}
	t.printRow()
}

func (t *textTable) heading(of func(c *query.Column) string) {
	for i := range t.cells {
		t.cells[i].set([]byte(of(&t.result.Columns[i])))
	}
	t.printRow()
}

func (t *textTable) rows() error {
	for row, err := range t.result.Rows {
		if err != nil {
			return err
		}
		for i := range t.cells {
			t.setCell(i, row[i])
		}
		t.printRow()
	}
	return nil
}

// setCell makes the lines of a cell. A text that does not fit is tried in its short form.
func (t *textTable) setCell(i int, v query.Value) {
	c, texts := &t.cells[i], &t.texts[i]
	if c.height > 1 && (v.Kind() == query.Stack || v.Kind() == query.List) {
		c.clear()
		for n, e := range v.Elements() {
			if n == c.height {
				return // as in the JDK, what is cut is not sorted
			}
			t.line = texts.append(t.line[:0], e, false)
			if javatext.Len(t.line) > c.contentWidth() {
				t.line = texts.append(t.line[:0], e, true)
			}
			c.addLine(t.line)
		}
		if c.layout.Sorted {
			c.sort()
		}
		return
	}
	t.setLine(i, v, false)
	if javatext.Len(t.line) > c.contentSize() {
		t.setLine(i, v, true)
	}
	c.set(t.line)
}

// setLine sets the line to the text of a value in a column. Of a long text it has the ends: more
// than a cell shows.
func (t *textTable) setLine(column int, v query.Value, short bool) {
	end := 2 * utf8.UTFMax * (max(t.o.Width, t.o.MaxWidth, most) + len(t.cells)) * max(t.cells[column].height, 1)
	if v.Kind() == query.Text && len(v.Text()) > 2*end {
		text := v.Text()
		t.line = appendWithoutBreaks(t.line[:0], strings.ToValidUTF8(text[:end], "")+strings.ToValidUTF8(text[len(text)-end:], ""))
		return
	}
	t.line = t.texts[column].append(t.line[:0], v, short)
}

// printRow writes the lines of all cells.
func (t *textTable) printRow() {
	height := 0
	for i := range t.cells {
		height = max(height, len(t.cells[i].lines))
	}
	for n := range height {
		t.line = t.line[:0]
		for i := range t.cells {
			c := &t.cells[i]
			if i > 0 {
				t.line = append(t.line, ' ')
			}
			if n < len(c.lines) {
				t.line = append(t.line, c.line(n)...)
			} else {
				t.line = appendSpaces(t.line, c.contentWidth())
			}
		}
		t.out.Write(append(t.line, '\n')) // errors are kept for Flush
	}
}
