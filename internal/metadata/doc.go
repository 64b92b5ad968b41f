// Package metadata shows the types that recordings describe: as source text, byte for byte
// that of the JDK's jfr metadata, or as plain data, which can be written as JSON, searched,
// or compared with that of another recording.
//
//	var all metadata.Catalog
//	if err := all.Add(rec); err != nil { ... }
//	err := all.WriteSource(os.Stdout, metadata.Options{})
//
// # Several chunks
//
// Each chunk describes all its types anew, and the numbers of types mean nothing outside of it. A
// type that several chunks describe alike is shown once. A type that they describe differently, as
// in joined recordings of different virtual machines, is shown in each form, the earliest first. If
// a chunk has several types of one name, such as classes of different class loaders, all are shown.
//
// With [Options.IDs] the numbers are compared, too. For a recording of one virtual machine
// the result is that of the JDK. The JDK goes by the numbers alone: in joined recordings
// it leaves out a type if another one with its number came before.
package metadata
