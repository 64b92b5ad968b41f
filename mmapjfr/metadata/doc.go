// Package metadata shows the types that recordings describe: as source text, word
// for word as the JDK's jfr metadata prints it, or as plain data to be written as
// JSON, searched, or compared with those of another recording.
//
//	var all metadata.Catalog
//	if err := all.Add(rec); err != nil { ... }
//	err := all.WriteSource(os.Stdout, metadata.Options{})
//
// # Several chunks
//
// Each chunk describes all its types anew, and the numbers of types mean nothing
// outside of it. What several chunks describe alike is shown once. A type that they
// describe differently, as in recordings of different virtual machines that have
// been joined, is shown in each of its forms, the earliest first. Types of one name
// in the same chunk, as those of a class that several class loaders have loaded, are
// all shown.
//
// With [Options.IDs] the numbers are part of what is compared. Of a recording made
// by a single virtual machine that is then just what the JDK shows. The JDK goes by
// the numbers alone: in joined recordings it leaves out types whose number another
// one had before.
package metadata
