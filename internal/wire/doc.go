// Package wire turns the bytes of a Flight Recorder file into integers,
// floating-point numbers, strings and chunk headers, and steps over them. It
// knows no types: what a byte means is for the packages above to say.
//
// # Results
//
// Functions that consume bytes return how many they consumed. Zero means that
// the bytes end too early or do not form a value; nothing here formats an
// error, because that would keep the hot paths from being inlined. A [Cursor]
// reads several values in a row and goes inert at the first that does not fit.
//
// # Lifetime
//
// A [Text] aliases the bytes it was read from. [Text.View] hands out strings
// that alias them too; [Text.Append] copies.
//
// The layouts are drawn in index/FORMAT.md, sections 1 (chunk header), 2
// (integers) and 3 (strings).
package wire
