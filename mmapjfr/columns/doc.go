// Package columns writes the events of recordings as tables: a file for each event type, and tables of the stacks,
// threads and classes that events refer to. docs/COLUMNS.md specifies tables, columns and values.
//
//	sink := columns.Folder("out", columns.CSV, false)
//	report, err := columns.Export(ctx, recordings, columns.CSV, sink, columns.Options{})
//
// Package [github.com/mmapjfr/jfr/mmapjfr/columns/parquet] has the format for databases.
//
// # How
//
// Workers decode batches of events into columns, in blocks of 1024 rows. A constant is read once for each chunk and worker,
// and rows refer to it; texts in events become constants, too. The blocks come together in the order of the file, and stay as
// they are until some row groups are there. A goroutine for each table puts positions in order by start time, gathers
// rows into row groups and writes these. The blocks whose rows have all been written are used again.
//
// # Memory
//
// Rows that wait take up to 56 MiB, those on their way to them 12 MiB, and those that are being written about as much as
// that. Besides, each distinct stack, thread and class of the recordings takes some bytes.
package columns
