// Package leakcheck is for tests that no error message and no progress shows what was recorded.
// Recordings hold secrets: environment variables, system properties, URLs, SQL, names of people.
//
// # Where the line is
//
// Values are what may not be shown: the fields of events, and the constants that they refer
// to, such as the names of threads, classes, methods and modules; also the values that the
// settings of a recording had, which are events.
//
// What describes the values may be shown, because without it no error would help: the
// names of types and fields and all other text of the metadata; the ids of types and the keys
// of constants; sizes, counts and offsets. Where a recording is damaged, a size or an id can be
// any bits that stand in its place. Anybody may be told again what he said himself: paths,
// field paths, conditions, the names of threads that he selects by.
//
// What a program asks for is no error message: the views of the library give values, as do
// [mmapjfr.Value.Text] and the standard output of mjfr print, at, constants, verify and so on.
// Views that are printed with package fmt, or logged, show names of code, which are those of
// classes and methods, and numbers. They show no other text: not that of fields, nor the names
// of threads, which programs give after whom they serve. See format.go of package mmapjfr.
package leakcheck
