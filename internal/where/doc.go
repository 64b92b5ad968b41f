// Package where selects events by the values of their fields, as in
//
//	@duration > 10ms && @thread ~ ^worker- && (bytesRead >= 1MB || stackTrace ~ HashMap)
//
// or, which means the same, with the words of SQL:
//
//	@duration > 10ms AND @thread LIKE 'worker-%' AND (bytesRead >= 1MB OR stackTrace ~ HashMap)
//
// # Grammar
//
//	condition  = all { or all }                or  = "||" | OR
//	all        = one { and one }               and = "&&" | AND
//	one        = field comparison | "(" condition ")" | NOT one | "!" "(" condition ")"
//	comparison = operator value
//	           | [NOT] IN "(" value { "," value } ")"
//	           | [NOT] BETWEEN value AND value
//	           | [NOT] LIKE value
//	           | IS [NOT] NULL
//	operator   = "=" | "!=" | "<>" | "<" | "<=" | ">" | ">=" | "~" | "!~"
//	field      = a path, as mmapjfr.ParsePath takes it; between backquotes if it has
//	             other characters than Java's names, or is NOT
//	value      = a quoted text, or characters up to a space, &&, ||, a parenthesis
//	             that closes none of its own, or a comma within IN
//
// Words are in any case. <> is !=. IN finds values that are equal to one of those in the list,
// BETWEEN those from the first to the second, both included. In the text of LIKE, % stands for
// any characters and _ for one; \% \_ and \\ are these characters themselves.
//
// Quotes are single or double. Within them a backslash begins an escape of JSON: \" \\ \/ \b \f \n
// \r \t and \u with four hexadecimal digits, such as \u00e9, in pairs beyond U+FFFF; and \' is a
// quote. So a text can be copied from NDJSON or TSV. Any other backslash stays what it is. In a
// regular expression \b is the boundary of a word, and all other escapes mean the same, so that
// most expressions can be written as they are; \\ is one backslash of the expression.
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
//   - Time spans take a number with its unit: 250us, 10ms, 1.5s, 2h30m, 1d. For = and != a
//     number alone is nanoseconds, as NDJSON and CSV write them.
//   - Points in time take one as in RFC 3339, or without a zone: "2026-11-20 21:22:37". A
//     year after 9999 or before 0 has a sign, as print writes it: +12026-11-20.
//     With [Options].Start and End, one can also be 21:22:37, for that time of the
//     first day of the recording, or of the next day if the recording had not begun then
//     and had not ended; 10s for that long after its start; -10s for that long before its
//     end; and 50% of its length.
//   - Data amounts and other numbers take a number, also a hexadecimal one such as
//     0x7f00, or an amount: 512B, 64kB, 1.5MiB. Each unit is 1024 of the one before, with
//     an i or without, as in the JDK's jfr.
//   - Percentages, which are fractions of 1 in a recording, take either: 50% or 0.5.
//   - Booleans take true and false.
//   - Everything with a name takes text: strings, characters, classes as in Java, such as
//     java.lang.String or byte[], threads, thread groups, class loaders, and any struct
//     with a field called name.
//   - Methods take java.lang.String.indexOf(String,int), with or without the packages of
//     the parameters and spaces between them, or java.lang.String.indexOf for all methods
//     of that name. So do frames, which are also compared with their line where the value
//     has a colon: java.lang.Thread.run:1583.
//   - A stack trace matches if one of its frames does. A value with semicolons is compared
//     with all frames, as they stand in a cell of CSV.
//   - An array matches if one of its elements does.
//   - Everything takes null, for what is absent or unknown: of integers, only points in
//     time and time spans can be unknown. The text null needs quotes.
//
// ~ looks for a regular expression of Go's anywhere in a text, LIKE compares all of it. !=, !~
// and NOT match where =, ~ and the like do not. Null is equal to nothing but null, neither less
// nor greater, and has no text: unlike in SQL, NOT duration > 1ms matches null.
//
// An event whose type does not have the field never matches, whatever the operator is, with NOT,
// too: NOT (a = 1 AND b = 2) means a != 1 OR b != 2.
//
// # Speed
//
// [Condition.Filter] selects types, [Condition.MatchBatch] events of a batch, [Condition.Matches]
// one event.
package where
