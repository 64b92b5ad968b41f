package terminal

import (
	"bufio"
	"io"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Column is the head of a column of a table.
type Column struct {
	Title string
	// Right aligns what stands in the column at its right, as is usual for numbers.
	// Such columns are never cut.
	Right bool
	// Unit is what raw values are counted in, as in "bytes"; empty if that goes without
	// saying. Texts for people have their units with them.
	Unit string
}

// raw returns the title for programs.
func (c Column) raw() string {
	if c.Unit == "" {
		return c.Title
	}
	return c.Title + " (" + c.Unit + ")"
}

// Cell is what stands in a table: for people, and for programs.
type Cell struct {
	Text, Raw string
	// Hue is how the text is shown where there are colours.
	Hue Hue
}

// Plain is a cell that is the same for people and for programs.
func Plain(text string) Cell { return Cell{Text: text, Raw: text} }

// Table is rows under titled columns.
type Table struct {
	columns []Column
	rows    [][]Cell
	titled  bool // the titles have been written
}

// NewTable returns a table that has no rows yet.
func NewTable(columns ...Column) *Table { return &Table{columns: columns} }

// Row adds a row, one cell for each column. It may have fewer.
func (t *Table) Row(cells ...Cell) { t.rows = append(t.rows, cells) }

// Write writes the table. On a terminal that is the texts of the cells, with the
// columns aligned, and text cut where lines would be wider than the terminal.
// Otherwise it is a line of titles, with their units, and a line of raw values for each row, with tabs
// between them; control characters and backslashes in them are written as Go does.
func (t *Table) Write(w io.Writer, s Style) error {
	out := bufio.NewWriter(w)
	if s.Aligned {
		t.align(out, s)
	} else {
		t.separate(out)
	}
	return out.Flush()
}

// WritePart writes the rows there are, as Write does, and forgets them: so tables of
// very many rows can be written. The titles come with the first part. On a terminal
// each part is aligned by itself.
func (t *Table) WritePart(w io.Writer, s Style) error {
	err := t.Write(w, s)
	t.rows, t.titled = t.rows[:0], true
	return err
}

// separate writes for programs. Errors come out of Flush.
func (t *Table) separate(out *bufio.Writer) {
	if !t.titled {
		for i, c := range t.columns {
			field(out, i, c.raw())
		}
		out.WriteByte('\n')
	}
	for _, row := range t.rows {
		for i := range t.columns {
			field(out, i, cell(row, i).Raw)
		}
		out.WriteByte('\n')
	}
}

func field(out *bufio.Writer, i int, value string) {
	if i > 0 {
		out.WriteByte('\t')
	}
	out.WriteString(oneField(value))
}

// cell returns an empty one where the row has none.
func cell(row []Cell, i int) Cell {
	if i < len(row) {
		return row[i]
	}
	return Cell{}
}

// gap is what stands between columns.
const gap = "  "

// align writes for people. Errors come out of Flush.
func (t *Table) align(out *bufio.Writer, s Style) {
	widths := t.widths(s.Width)
	line := func(at func(i int) Cell) {
		for i, c := range t.columns {
			here := at(i)
			text := runewidth.Truncate(Printable(here.Text), widths[i], "…")
			pad := strings.Repeat(" ", max(0, widths[i]-runewidth.StringWidth(text)))
			if i > 0 {
				out.WriteString(gap)
			}
			text = s.hue(here.Hue, text)
			switch {
			case c.Right:
				out.WriteString(pad + text)
			case i == len(t.columns)-1: // nothing stands behind it
				out.WriteString(text)
			default:
				out.WriteString(text + pad)
			}
		}
		out.WriteByte('\n')
	}
	if !t.titled {
		line(func(i int) Cell { return Cell{Text: t.columns[i].Title, Hue: Bold} })
	}
	for _, row := range t.rows {
		line(func(i int) Cell { return cell(row, i) })
	}
}

// leasts are to how many columns of the terminal texts may be cut: all of them to the
// first before one is cut further.
var leasts = []int{24, 12}

// widths returns how wide each column is on a terminal of that width. What stands
// behind is cut first: rows tend to begin with what they are about. If lines would be
// too wide even so nothing is cut, and the terminal goes on in the next line.
func (t *Table) widths(width int) []int {
	widths, titles := make([]int, len(t.columns)), make([]int, len(t.columns))
	over := len(gap)*(len(t.columns)-1) - width
	for i, c := range t.columns {
		titles[i] = runewidth.StringWidth(Printable(c.Title))
		widths[i] = titles[i]
		for _, row := range t.rows {
			widths[i] = max(widths[i], runewidth.StringWidth(Printable(cell(row, i).Text)))
		}
		over += widths[i]
	}
	if width == 0 {
		return widths
	}
	whole := slices.Clone(widths)
	for _, least := range leasts {
		for i := len(t.columns) - 1; i >= 0 && over > 0; i-- {
			cut := min(over, widths[i]-max(titles[i], least))
			if !t.columns[i].Right && cut > 0 {
				widths[i] -= cut
				over -= cut
			}
		}
	}
	if over > 0 {
		return whole
	}
	return widths
}
