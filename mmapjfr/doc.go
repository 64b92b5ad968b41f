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
// A recording that is still being written, or was when the machine died, is read as far as it
// has been flushed: then comes an error that matches [ErrUnfinished]. A loop that returns at
// the first error has all events before it, and none of those after it.
//
// # Layout
//
// A [Recording] is a row of chunks. Each [Chunk] is an island with its own
// clock, types and constants. A [Selection] says which events are wanted and
// walks over them in the order of the file, as an iterator or with a [Cursor], or
// reads them on several processors with [Selection.Parallel], [Fold] and
// [Selection.Batches]. [Recording.EventAtOffset] reads one by its offset,
// [Recording.EventByOrdinal] by its ordinal, [Recording.FirstEventSince] by its time. [Event], [Value], [Thread],
// [StackTrace] and the like are views: small values that know where something
// lies and decode it on demand. A [FieldPath] such as
// "sampledThread.javaName" or "@thread" leads from an event or a struct to a value
// inside it; it is resolved once for each layout. [Bind] fills Go structs.
//
// # Lifetime
//
// Views are valid until [Recording.Close]; after that they answer as if nothing
// were there.
//
// Strings stay valid for as long as somebody has them: after Close, after a live chunk has
// gone, in maps, in other goroutines. That holds for Str, for names of threads, classes and
// methods, for columns of strings and for fields that [Bind] fills. A recording keeps each
// text once (see [StringTable]): the first reading of a text copies it, and reading it again
// allocates nothing. It costs some 15 ns more than a string that aliases the file, which is
// little beside finding the value, and it is the rule everywhere, because a string that is
// kept by accident, as the key of a map or in a struct, would crash the program long after
// the mistake.
//
// Those who read very many or very long texts once, to write them out or to compare them,
// can ask for views of the file by name: [Value.StrView], [Event.StrView] and
// [Batch.StringViews] return strings that alias it where its bytes are right as they are. They
// are valid until Close, or until a live chunk grows, and only while the Recording is
// reachable; reading such a string later can crash the program. So do the bytes that
// [Event.Bytes] returns. [Value.AppendStr] copies into memory of the caller.
//
// A Recording that is never closed is unmapped when it is collected, with all its views.
//
// # Checking lifetimes
//
// In builds with the tag jfrdebug mistakes in the use of memory fail loudly. Run tests
// of your own with
//
//	go test -tags jfrdebug ./...
//
// Then accessors of views panic once the recording is closed and no iteration keeps it
// any more, as do events that another goroutine reads without [Event.Detached], and events
// and batches that are kept longer than the function that got them. Live chunks that
// have grown, and slices that are used again, are made unusable. The bytes of a recording
// cannot be written to; after Close they become inaccessible, and for a while nothing else
// gets their addresses: reading a view of a string that aliases them faults. What
// promises to stay, as [CopyOnOpen] and [KeepEvents] do, stays.
//
// That costs a copy of what is given to [OpenBytes], memory for each event of
// [Selection.Parallel] and for each batch, and time with each access: it is for tests.
// Where the system has no means for it, as on Windows and in WebAssembly, there are only
// the panics; goroutines are told apart on amd64 and arm64.
//
// # Saved indexes
//
// Finding events by offset, ordinal, time, thread or type, and constants, needs an
// index that is made when it is first asked for. The option [SavedIndex] keeps it in
// a file, so that the next program to open the recording need not make it again. By
// default no file is written or read. The option [ReadSavedIndex] uses one that is there,
// and never writes. [Recording.IndexState] tells what came of the options.
//
// # Concurrency
//
// A Recording is safe for concurrent use. An [Event] that an iterator hands out
// shares the iterator's scratch memory: it belongs to that goroutine, until
// [Event.Detached] has made it independent. A [Cursor] belongs to one goroutine.
//
// # Errors
//
// What is wrong in a file is a [FormatError] with chunk and offset; it matches
// one of the sentinels, such as [ErrCorrupt], with errors.Is. Iterators deliver
// errors where they occur; a caller who goes on gets the next events that can
// be read. Damaged checkpoints are reported when a constant of their chunk has been asked
// for: once for each chunk, some events later or at the end, but always before the iteration
// ends. [Chunk.ConstantsErr] reports it at any time, also after that.
//
// # Files that change
//
// A file that is cut while it is mapped does not end the program: who reads what has gone
// gets [ErrTruncated], from iterations, selections in parallel, EventAtOffset and all else that
// returns errors. Values return none. They answer as if nothing were there, the iteration
// tells of it before its next event, and [Recording.FileErr] whenever it is asked. What is
// written over a file shows as [ErrChanged], at the latest where what reads it ends: in
// the headers of its chunks, in the time at which it was written to, or because something
// no longer fits. What a recorder adds is no change. Faults of other memory stay what they
// are.
//
// Views of strings, as [Value.StrView] returns them, are the exception: they alias the file,
// and nobody is asked when they are read.
//
// # Performance
//
// Iterating, selecting, reading fields, walking stacks, EventAtOffset and EventByOrdinal allocate
// absent once they run. Prefer one [FieldPath] that is kept to a name that is
// looked up for each event.
//
// Who wants a few fields of very many events reads them in batches: columns are
// decoded several times faster than events one by one. Who asks the same recording
// for times, threads or single types again and again gains by its blocks, which are
// kept once they have been cut, and by a saved index, which spares cutting them.
package mmapjfr
