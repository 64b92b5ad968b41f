// Package query runs SQL queries on recordings: event types are tables, their fields are columns.
// docs/QUERY.md describes the language.
//
// # How a query reads events
//
// The entries of FROM are its sources, which it reads as one table. An event goes once to every
// source whose pattern matches its type. A field alias.field has values only in events of that
// source, a field without alias in all types that have it. With aggregates or GROUP BY, rows are
// groups of events; otherwise, rows are events.
//
// # Steps
//
// [Run] answers a statement in one step. Programs that do more take its steps themselves:
// [Parse] makes a [Statement] from text. [Statement.Plan] checks it against event types and makes a
// [Plan]. [Read] reads recordings for several plans at once and makes a [Partial] for each;
// [Partial.Add] takes single events, and [Statement.Follow] those of a stream. [Partial.Result] has
// columns and rows. Package table writes them, and package views has prepared statements.
//
// Partial results of groups merge in any order to the same rows, and can be written to bytes. Sums
// are exact, so results do not depend on the order or the number of workers.
//
// # Lifetimes and concurrency
//
// A [Value] stays valid without its recording. Rows that are groups need no recording any more;
// rows that are events are decoded when you read them, so keep their recordings open. Statements
// and plans are safe for concurrent use; partial results and rows are not.
//
// # Limits
//
// A partial result holds about 1 GiB of groups and values, and four million events for joins or for
// ordered rows that were added one by one. Beyond that, errors match [ErrTooMuch]. Of rows that are
// events, [Read] keeps the first 40,960 in their order (none without an order) and reads others on
// demand. Damaged recordings are read as far as possible, and the error says what is missing.
package query
