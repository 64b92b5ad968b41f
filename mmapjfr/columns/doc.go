// Package columns writes events as tables: one for each event type, and tables of stacks, threads
// and classes. docs/COLUMNS.md specifies them.
//
//	sink := columns.Folder("out", columns.Parquet, false)
//	report, err := columns.Export(ctx, recordings, columns.Parquet, sink, columns.Options{})
//
// # How it works
//
// Workers decode events into blocks of 1024 rows. Each worker reads a constant once per chunk, and
// rows refer to it; strings in events are treated the same way. Blocks are collected in the order
// of the file until there are enough rows for some row groups. Then the goroutine of the table
// sorts them by start time, writes the row groups, and reuses the blocks.
//
// # Memory
//
// Waiting rows take up to 56 MiB, rows on their way there 12 MiB, and rows being written about 12
// MiB more. Each distinct stack, thread and class adds some bytes.
package columns
