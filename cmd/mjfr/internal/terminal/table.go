package terminal

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/mattn/go-runewidth"
	"github.com/mmapjfr/jfr/internal/javatext"
)

// Column is the head of a column of a table.
type Column struct {
	Title string
	// Right aligns the column at its right, as is usual for numbers. Such columns are never
	// shortened.
	Right bool
	// Unit is the unit of raw values, as in "bytes". It may be empty. Texts for people contain
	// their units.
	Unit string
}

// raw returns the title for programs.
func (c Column) raw() string {
	if c.Unit == "" {
		return c.Title
	}
	return c.Title + " (" + c.Unit + ")"
}

// Cell is a value in a table: for people, and for programs.
type Cell struct {
	Text, Raw string
	// Hue is the colour of the text.
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

// NewTable returns a table without rows.
func NewTable(columns ...Column) *Table { return &Table{columns: columns} }

// Row adds a row with at most one cell for each column.
func (t *Table) Row(cells ...Cell) { t.rows = append(t.rows, cells) }

// Untitled leaves out the titles where the table is for programs.
func (t *Table) Untitled() { t.titled = true }

// Write writes the table. On a terminal it writes the texts of the cells in aligned columns, and
// shortens texts if lines would be wider than the terminal. Otherwise it writes a line of titles
// with their units, and a line of raw values for each row. There are tabs between the values;
// control characters and backslashes in them are written as Go does.
func (t *Table) Write(w io.Writer, s Style) error {
	out := bufio.NewWriter(w)
	if s.Aligned {
		t.align(out, s)
	} else {
		t.separate(out)
	}
	return out.Flush()
}

// WritePart writes the rows so far, as Write does, and removes them, so that a table of any length
// needs little memory. Only the first part has titles. On a terminal each part is aligned by
// itself.
func (t *Table) WritePart(w io.Writer, s Style) error {
	err := t.Write(w, s)
	t.rows, t.titled = t.rows[:0], true
	return err
}

// separate writes for programs. Flush returns errors.
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

// cell returns a cell of a row, or an empty one.
func cell(row []Cell, i int) Cell {
	if i < len(row) {
		return row[i]
	}
	return Cell{}
}

// gap is the space between columns.
const gap = "  "

// align writes for people. Flush returns errors.
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
			case i == len(t.columns)-1: // nothing follows it
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

// leasts are the least widths of shortened columns. All columns are shortened to the first before
// any is shortened to the second.
var leasts = []int{24, 12}

// widths returns the width of each column on a terminal. Later columns are shortened first, because
// rows tend to begin with what they are about. If lines would be too wide even so, no column is
// shortened, and the terminal wraps the lines.
func (t *Table) widths(width int) []int {
	widths, titles := make([]int, len(t.columns)), make([]int, len(t.columns))
	over := len(gap)*(len(t.columns)-1) - width
	for i, c := range t.columns {
		titles[i] = textWidth(c.Title)
		widths[i] = titles[i]
		for _, row := range t.rows {
			widths[i] = max(widths[i], textWidth(cell(row, i).Text))
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

// ShareColumn is the head of a column of shares, which are from 0 to 1 for programs.
var ShareColumn = Column{Title: "Share", Right: true, Unit: "of 1"}

// Number is the head of a column of numbers.
func Number(title string) Column { return Column{Title: title, Right: true} }

// SizeColumn is the head of a column of sizes, see [Size].
func SizeColumn(title string) Column { return Column{Title: title, Right: true, Unit: "bytes"} }

// Int is a number without separators.
func Int(n int) Cell { return Plain(strconv.Itoa(n)) }

// Count is a number of things.
func Count(n uint64) Cell {
	return Cell{Text: humanize.Comma(int64(n)), Raw: strconv.FormatUint(n, 10)}
}

// CountOf counts things in a sentence, as in "1,024 events".
func CountOf(n uint64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return humanize.Comma(int64(n)) + " " + thing
}

// Size is a number of bytes.
func Size(n uint64) Cell {
	return Cell{Text: string(javatext.AppendAmount(nil, int64(min(n, math.MaxInt64)), false, false)), Raw: strconv.FormatUint(n, 10)}
}

// Offset is an offset in a file, in hexadecimal.
func Offset(n uint64) Cell { return Plain(fmt.Sprintf("%#x", n)) }

// Share is a share from 0 to 1.
func Share(share float64) Cell {
	return Cell{Text: humanize.FormatFloat("#.##", 100*share) + "%", Raw: strconv.FormatFloat(share, 'g', 6, 64)}
}

// Duration is a length of time in milliseconds for people, and in nanoseconds for programs.
func Duration(d time.Duration) Cell {
	return Cell{Text: d.Round(time.Millisecond).String(), Raw: strconv.FormatInt(int64(d), 10)}
}

// ShortDuration writes a length of time with three or four digits.
func ShortDuration(d time.Duration) string {
	switch {
	case d <= 0:
		return d.String()
	case d < time.Millisecond:
		return d.Round(10 * time.Nanosecond).String()
	case d < time.Second:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// Time is a point in time, in UTC. It is empty for a time that is not known.
func Time(t time.Time) Cell {
	if t.IsZero() {
		return Cell{}
	}
	return Cell{Text: t.UTC().Format("2006-01-02 15:04:05.000"), Raw: t.UTC().Format(time.RFC3339Nano)}
}

// textWidth returns how many columns a text takes on a terminal.
func textWidth(text string) int { return runewidth.StringWidth(Printable(text)) }

// Excerpt returns a line of a statement after a label, and a caret below the character at a place,
// or none if that is negative.
func Excerpt(label, line string, place int) string {
	text := "  " + label + Printable(line) + "\n"
	if place < 0 {
		return text
	}
	list := []rune(line)
	before := textWidth(label + string(list[:min(place, len(list))]))
	return text + strings.Repeat(" ", 2+before) + "^\n"
}
