package query

import "github.com/mmapjfr/jfr/mmapjfr"

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
