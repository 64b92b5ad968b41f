// Package schema holds what the metadata of a chunk describes: its types, their fields,
// annotations and settings, and how values of each type lie in the file.
//
// [ReadTree] reads the tree of a metadata event, and [NewTypeSet] makes types of it. A [Type]
// has a [Plan]: the list of slots that its values consist of, with inline structs flattened.
// A plan steps over values, finds where each slot of a value lies, and decodes the slots of
// many values at once. FORMAT.md draws the format; comments name its sections.
//
// # Concurrency
//
// Types and plans never change and can be used by many goroutines at once; [TypeSet.With]
// names the one exception.
//
// # Damage
//
// Every size and count in a file is compared with the bytes that are left before it is used.
// Errors match [ErrCorrupt] or [ErrUnsupported] and name no place: package index adds it.
package schema
