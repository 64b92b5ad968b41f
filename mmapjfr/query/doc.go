// Package query answers questions about recordings in a small SQL: event types are tables, their fields are
// columns. The language has a page of its own, docs/QUERY.md.
//
// # What a statement means
//
// A statement reads the events of its sources, which are the entries of FROM, as one table. Each event goes
// once to every source whose pattern matches its type; alias.field has values only in events of that
// source, and a field without an alias in events of all types that have it. With aggregates or GROUP BY
// the rows are groups of events, and otherwise events.
//
// # Steps
//
// [Parse] makes a [Statement] of a text. [Statement.Plan] checks it against event types, and makes a [Plan].
// [Read] reads recordings for several plans at once, and makes a [Partial] of each; [Partial.Add] takes events
// one by one, and [Statement.Follow] those of a stream. [Partial.Result] has columns and rows. Package table
// writes them, and package views has statements under names.
//
// Partial results of groups can be merged in any order to the same rows, and be bytes in between. Sums are
// exact, so that nothing depends on the order or on the number of workers.
//
// # Lifetimes and concurrency
//
// A [Value] stays valid; it holds no part of a recording. Rows that are groups need no recording any more. Rows
// that are events are decoded when they are read: their recordings must stay open until then. Statements and
// plans are safe for concurrent use; partial results and the rows of a result are not.
//
// # Limits
//
// A partial result keeps groups and values of about 1 GiB; joins keep four million events, and so do ordered
// rows that were added one by one. Beyond them errors match [ErrTooMuch]. Of the rows of [Read] that are events
// the first 40,960 in their order are kept, or none without an order; others are read when they are asked for. A
// recording that is damaged is read as far as it can be, and the error says what could not.
package query
