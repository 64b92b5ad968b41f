// Package print writes the events of recordings: as text, JSON or XML, which are those
// of the JDK's jfr print byte for byte, and as NDJSON, CSV or TSV for programs. Numbers
// are written as the JDK writes them in the English locale, which is also what Java
// takes for the C locale.
//
// # The way from events to bytes
//
//	recordings
//	  │ walk       events that the options select, in the order of the file
//	  │ reorder    text, NDJSON, CSV and TSV: sorted in a window, across chunks
//	  │ chunksort  JSON and XML: sorted chunk by chunk
//	  │ walk       of these the first or the last ones
//	  ▼
//	groups of 256 events
//	  │ render     each by one of several workers, all groups in the order of the events
//	  │            json, xml, text, csv: one renderer for each worker
//	  │              template   what surrounds the values, made once for each type, and the
//	  │                         text of a constant, rendered once in each chunk
//	  ▼
//	writer
//
// # Memory
//
// Write takes some tens of megabytes, whatever the size of the recordings: for the
// rendered constants of a chunk, by each worker, for the groups, and for the order. See
// [Order] for what the order takes.
//
// # Damage
//
// What cannot be read goes to [Options.OnError], and the rest is written.
package print
