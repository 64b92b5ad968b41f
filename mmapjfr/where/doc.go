// Package where says which events are wanted by what their fields hold, as in
//
//	duration > 10ms && thread ~ ^worker- && (bytesRead >= 1MB || stackTrace ~ HashMap)
//
// # Grammar
//
//	condition  = all { "||" all }
//	all        = one { "&&" one }
//	one        = "(" condition ")" | field operator value
//	field      = a path to a field, as mmapjfr.ParsePath takes it, or "thread"
//	operator   = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~"
//	value      = a quoted text, or characters up to a space, &&, || or a parenthesis
//	             that closes none of its own
//
// Quotes are single or double. Within them a backslash before a quote or a backslash
// makes it a part of the text; any other backslash stays what it is, so that regular
// expressions can be written as they are.
//
// # Values
//
// What a value means depends on the field:
//
//   - Lengths of time take one with its unit: 250us, 10ms, 1.5s, 2h30m, 1d.
//   - Points in time take one as in RFC 3339, or without a zone: "2026-11-20 21:22:37".
//   - Data amounts and other numbers take a number, also a hexadecimal one such as
//     0x7f00, or an amount: 512B, 64kB, 1.5MiB. Each unit is 1024 of the one before,
//     whether it has an i or not, as in what jfr prints.
//   - Percentages, which are fractions of 1 in a recording, take either: 50% or 0.5.
//   - Booleans take true and false.
//   - All that has a name takes text: strings, characters, classes by their names with
//     dots, such as java.lang.String or byte[], methods and frames as
//     java.lang.String.indexOf, threads, thread groups, class loaders, and any struct
//     with a field that is called name.
//   - A stack trace holds if one of its frames does.
//   - An array holds if one of its elements does.
//   - Everything takes null, for what is not there or not known: of integers, only
//     times and lengths of time can be not known. A text is quoted if it is to be the
//     word "null".
//
// ~ looks for a regular expression of Go's anywhere in a text. != and !~ hold where =
// and ~ do not. What is null is equal to nothing but null, neither less nor greater,
// and has no text.
//
// thread is the thread that the event happened in or that was sampled.
//
// An event whose type has not got the field is never wanted, whatever the operator is.
package where
