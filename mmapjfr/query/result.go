package query

import (
	"iter"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Column describes a column of a [Result].
type Column struct {
	// Name is that of the column in JSON and CSV: its alias, or its expression.
	Name string
	// Title is its heading: as COLUMN says, or else made from the label of the field.
	Title string
	// Expression is the expression as it was written, with aliases of event types.
	Expression string
	// Field is the path of the field that the column shows or aggregates, as JDK's views show it
	// under the title with --verbose: startTime for COUNT(*).
	Field string
	// Kind is that of its values, besides Null. It is Text if types differ.
	Kind Kind
	// Unit is that of its numbers, such as [mmapjfr.Bytes]. Times have none.
	Unit mmapjfr.Unit
	// Rate is set if they are per second.
	Rate bool
	// Significant is set if fractions are shown with three significant digits, and not with three
	// after the point as in the JDK's views.
	Significant bool
	// Aggregate is set if the values are those of an aggregate.
	Aggregate bool
	// Layout and Format are how the column is shown in tables.
	Layout Layout
	Format Format
}

// Format is how a column is shown in tables and forms.
type Format struct {
	CellHeight        int    // lines that a cell takes at most; 0 unless it was said
	Missing           string // text for Null; "" is N/A
	Normalized        bool   // shown as shares of the sum of the column
	TruncateBeginning bool   // long texts lose their beginning
	MillisDigits      int    // digits of lengths of time in ms after the point, if Millis is set
	Millis            bool
}

// Result is the answer to a statement.
type Result struct {
	// Title is the title of the view, if the statement is one.
	Title string
	// Form is set if only the first row matters, which is shown as a form.
	Form bool
	// Experimental is set if columns show fields of an event type that is experimental.
	Experimental bool
	// Columns are in the order of the statement.
	Columns []Column
	// Rows are the rows that are asked for, in their order. They can be read several times; a row is valid
	// until the next one is read.
	Rows iter.Seq2[[]Value, error]
	// All are the rows in any order, which costs less where they are many, with those beyond the limit if they
	// are groups or the statement is a prepared view: tables take their widths and the sums of normalized
	// columns from them, as the JDK's views do. It is nil if Rows serve for that.
	All iter.Seq2[[]Value, error]
	// Notes say what is missing, such as an event type that the recording does not have.
	Notes []string
}

// Layout is how a column stands in a table.
type Layout struct {
	Left   bool // its texts begin at the left, and do not end at the right
	Wide   bool // it takes width that no column needs
	Sorted bool // the lines of a cell with several are in the order of their texts
}

// LayoutOf returns the layout of a column that shows values of a kind, as the JDK's views have it.
// Characters, and structs other than threads, classes and methods, are Text that is not wide.
func LayoutOf(k Kind, unit mmapjfr.Unit) Layout {
	switch k {
	case Bool, Int, Unsigned, Float, Timespan:
		return Layout{Left: unit == mmapjfr.Address}
	case Null, Timestamp:
		return Layout{Left: true}
	}
	return Layout{Left: true, Wide: true, Sorted: true}
}
