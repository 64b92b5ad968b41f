package print

import "github.com/mmapjfr/jfr/mmapjfr"

// item is an event that is to be written.
type item struct {
	event mmapjfr.Event
	// context are the events with contextual fields that enclose it, in the order
	// in which they began. Only text shows them.
	context []mmapjfr.Event
}

// renderer writes events in one format. It belongs to one goroutine.
type renderer interface {
	// append appends an event to dst.
	append(dst []byte, it *item) []byte
}

// frame is what a document has around its events and between them.
type frame struct {
	begin, between, end string
}
