// Package mmapjfr reads Java Flight Recorder files of any size straight out of
// a memory map. Opening reads the chunk headers; after that events, fields,
// constants and stack traces are decoded in place, when they are asked for.
//
//	rec, err := mmapjfr.Open("app.jfr")
//	if err != nil { ... }
//	defer rec.Close()
//	for ev, err := range rec.Events() {
//		if err != nil {
//			log.Print(err) // what cannot be read; the loop goes on with what can
//			continue
//		}
//		fmt.Println(ev.Start(), ev.Type().Name(), ev.Thread().Name())
//	}
//
// A recording that is still being written, or whose machine died, is read up to its last
// flush. Then the loop gets an error that matches [ErrUnfinished]. A loop that returns at the
// first error has got all events before that error, and none after it.
//
// # Layout
//
// A [Recording] is a sequence of chunks. Each [Chunk] has its own clock, types and constants.
// A [Selection] selects events. It iterates over them in the order of the file, as an
// iterator or with a [Cursor], or reads them on several processors with [Selection.Parallel]
// and [Fold]. [Recording.EventAtOffset], [Recording.EventByOrdinal] and
// [Recording.FirstEventSince] look up one event. [Event], [Value], [Thread], [StackTrace] and
// others are views: small values that say where something lies and decode it on demand. A
// [FieldPath] such as "sampledThread.javaName" or "@thread" leads from an event or a struct to
// a value inside it; it is resolved once for each set of types. [Bind] fills Go structs.
//
// # Recordings that grow
//
// Package [github.com/mmapjfr/jfr/mmapjfr/stream] follows a recording while a JVM writes it, and
// reads recordings from a pipe or a socket.
//
// # Damaged recordings
//
// [Open] reads what the headers of chunks vouch for, and reports what is missing or damaged.
// The option [Salvage] reads more: it reads all bytes once and looks for chunks, metadata and
// events after damage. [Recording.Salvaged] returns what was done and what is lost.
//
// # Lifetime
//
// Views are valid until [Recording.Close]; after that they answer as if nothing
// were there.
//
// Strings always stay valid: after Close, in maps, in other goroutines. That holds for Str, for names of threads, classes and methods, and for fields
// that [Bind] fills. A recording keeps each text once (see
// [StringTable]): the first reading of a text copies it, and reading it again allocates
// nothing. It costs some 15 ns more than a string that aliases the file, which is little
// beside finding the value. A string that aliases the file and is kept by accident, as the key
// of a map or in a struct, would crash the program long after the mistake.
//
// To read very many or very long texts once, to write or compare them, ask for views of the
// file: [Value.StrView] and [Event.StrView] return strings that alias the file where its bytes
// are the text. They are valid until Close, in a stream until the handler returns, and only
// while the Recording is reachable. Reading such a string later can crash the program.
// [Value.AppendStr] copies into memory of the caller.
//
// A Recording that is never closed is unmapped when it is collected, with all its views.
// [Recording.Protect] keeps it mapped while a function runs, and turns faults of the map in
// that function into errors.
//
// # Checking lifetimes
//
// In builds with the tag jfrdebug mistakes in the use of memory fail loudly. Run tests
// of your own with
//
//	go test -tags jfrdebug ./...
//
// Accessors of views then panic if the recording is closed and no iteration is running; if
// another goroutine reads an event without [Event.Detached]; and if an event is kept longer than
// the function that got it. Slices that are used again become unusable. The bytes of a recording cannot be written to. After Close they
// are inaccessible, and nothing else is mapped there for a while, so that reading a view of a
// string that aliases them faults. What [CopyOnOpen] promises to keep stays readable.
//
// That costs a copy of the bytes given to [OpenBytes], memory for each event of
// [Selection.Parallel], and time for each access: it is for tests. On
// Windows and in WebAssembly there are only the panics. Goroutines are distinguished on amd64
// and arm64.
//
// # Saved indexes
//
// Finding events by offset, ordinal, time, thread or type, and finding constants, needs an
// index, which is built when it is first needed. The option [SavedIndexes] keeps it in a
// file, so that the next program that opens the recording need not build it again. By default no
// file is written or read.
//
// # Concurrency
//
// A Recording is safe for concurrent use. An [Event] that an iterator hands out
// shares the iterator's scratch memory: it belongs to that goroutine, until
// [Event.Detached] has made it independent. A [Cursor] belongs to one goroutine.
//
// # Errors
//
// An error in a file is a [FormatError] with chunk and offset. It matches one of the sentinels,
// such as [ErrCorrupt], with errors.Is. Iterators yield errors where they occur; a loop that
// continues gets the next events that can be read. Damaged checkpoints are reported once a
// constant of their chunk has been looked up: once for each chunk, some events later or at the
// end of the iteration. [Chunk.ConstantsErr] reports them at any time.
//
// # Files that change
//
// A file that is cut while it is mapped does not end the program. Iterations, parallel scans,
// EventAtOffset and all other functions that return errors return [ErrTruncated] if they read
// missing bytes. Values return no errors: they answer as if nothing were there, the iteration
// reports the error before its next event, and [Recording.FileErr] at any time. If others
// overwrite a file, functions return [ErrChanged], at the latest at their end: the headers of
// the chunks, the modification time, or bytes that contradict others show it. Bytes that a
// recorder appends are no change. Faults of other memory end the program as always.
//
// Views of strings, see [Value.StrView], are the exception: they alias the file, and reading
// them calls no function that could recover from a fault.
//
// # Performance
//
// Iterating, selecting, reading fields, walking stacks, EventAtOffset and EventByOrdinal allocate
// nothing once they run. Make a [FieldPath] once and keep it, instead of looking up a name for
// each event.
//
// Packages [github.com/mmapjfr/jfr/mmapjfr/query] and columns read a few fields of very many
// events as columns, several times faster than one by one. Selecting from the same recording by time, thread or
// type again and again is fast because its blocks are kept once they have been built; a saved
// index spares building them.
package mmapjfr
