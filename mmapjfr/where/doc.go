// Package where says which events are wanted by what their fields hold, as in
//
//	@duration > 10ms && @thread ~ ^worker- && (bytesRead >= 1MB || stackTrace ~ HashMap)
//
// # Grammar
//
//	condition  = all { "||" all }
//	all        = one { "&&" one }
//	one        = "(" condition ")" | field operator value
//	field      = a path, as mmapjfr.ParsePath takes it; between backquotes if it has
//	             other characters than Java's names
//	operator   = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~"
//	value      = a quoted text, or characters up to a space, &&, || or a parenthesis
//	             that closes none of its own
//
// Quotes are single or double. Within them a backslash before a quote or a backslash
// makes it a part of the text; any other backslash stays what it is, so that regular
// expressions can be written as they are.
//
// # Fields
//
// A field is what [mmapjfr.FieldPath] describes: recorded fields such as
// stackTrace.frames[0].method.name, and computed ones, which any event has (@type, @start,
// @end, @duration, @thread, @stack, @top, @class, @offset, @size, @chunk) or any thread
// (eventThread.name), class (objectClass.name) and so on. The names that NDJSON and CSV
// write are paths, too, and their values can be given back with =.
//
// # Values
//
// What a value means depends on the field:
//
//   - Lengths of time take one with its unit: 250us, 10ms, 1.5s, 2h30m, 1d. For = and != a
//     number alone is nanoseconds, as NDJSON and CSV write them.
//   - Points in time take one as in RFC 3339, or without a zone: "2026-11-20 21:22:37".
//     [ParseWithin] knows a recording, and then also takes 21:22:37, for that time of the
//     first day of the recording, or of the next one if it had not begun then and had not
//     ended; 10s, so long after its start; -10s, so long before its end; and 50% of it.
//   - Data amounts and other numbers take a number, also a hexadecimal one such as
//     0x7f00, or an amount: 512B, 64kB, 1.5MiB. Each unit is 1024 of the one before,
//     whether it has an i or not, as in what jfr prints.
//   - Percentages, which are fractions of 1 in a recording, take either: 50% or 0.5.
//   - Booleans take true and false.
//   - All that has a name takes text: strings, characters, classes as in Java, such as
//     java.lang.String or byte[], threads, thread groups, class loaders, and any struct
//     with a field that is called name.
//   - Methods take java.lang.String.indexOf(String,int), with or without the packages of
//     the parameters and spaces between them, or java.lang.String.indexOf for all methods
//     of that name. So do frames, which are also compared with their line where the value
//     has a colon: java.lang.Thread.run:1583.
//   - A stack trace holds if one of its frames does. With semicolons between them all
//     frames are compared, as they stand in a cell of CSV.
//   - An array holds if one of its elements does.
//   - Everything takes null, for what is not there or not known: of integers, only
//     times and lengths of time can be not known. A text is quoted if it is to be the
//     word "null".
//
// ~ looks for a regular expression of Go's anywhere in a text. != and !~ hold where =
// and ~ do not. What is null is equal to nothing but null, neither less nor greater,
// and has no text.
//
// An event whose type has not got the field is never wanted, whatever the operator is.
package where
