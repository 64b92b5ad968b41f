// Package stream delivers the events of recordings that are still being written, flush by flush:
// of a file ([OpenFile]), of the disk repository of a virtual machine ([OpenRepository]), of a
// pipe ([OpenReader]), or of a running virtual machine ([Attach]). It is
// jdk.jfr.consumer.EventStream of the JDK, by JEP 349.
//
//	s, err := stream.OpenRepository("/tmp/2026_11_21_12_00_00_4711")
//	if err != nil { ... }
//	defer s.Close()
//	cpu := mmapjfr.Path("machineTotal")
//	s.OnEventType("jdk.CPULoad", func(ev mmapjfr.Event) error {
//		fmt.Println(ev.Start(), ev.Float(cpu))
//		return nil
//	})
//	err = s.Start(ctx)
//
// # Flushes
//
// A virtual machine flushes what it has recorded about once a second. The events of a flush are
// delivered together, in the order in which they ended; then the handlers of [Stream.OnFlush]
// are called. Nothing is read before it has been flushed.
//
// Very rarely a virtual machine flushes an event before its stack trace, and always before the
// class loaders of jdk.ClassLoaderStatistics. These values are missing, see
// [mmapjfr.Value.IsMissing], unless the event is read after the next flush.
//
// # Lifetime
//
// An event and all views of it are valid until the handler returns; with [Stream.SetReuse] they
// stay valid. Strings that Str, Name and the like return always stay valid: a stream holds each
// text once for all its chunks, see [mmapjfr.StringTable]. Handlers usually keep strings, such as
// the keys of maps, and should not need copies. Results of [mmapjfr.Event.StrView] and the like
// are valid until the handler returns.
//
// # Errors
//
// What cannot be read, and the errors and panics of handlers, go to the handlers of
// [Stream.OnError], and the stream goes on. Names that no event type has go to the handlers of
// [Stream.OnWarning]: programs can register types at any time.
//
// # Concurrency
//
// Handlers of a stream are called one at a time, in the goroutine of [Stream.Start]. All
// methods of a stream may be called at any time, by handlers, too.
//
// # Performance
//
// Of events without handlers only the event header is read. A file is mapped further than it
// reaches, and no byte is read twice. With reuse, delivering an event allocates nothing.
//
// # Differences from the JDK
//
//   - Times are those of the clock of the event's own chunk; the JDK uses that of the first one.
//   - Without a start time, the stream of a repository begins after the last flush, whatever the
//     times of events: an event that is flushed later is delivered even if it ended before.
//   - A stream ends when its virtual machine has been killed, and reports [ErrKilled]; that of
//     the JDK waits. If the virtual machine goes on and its recording has ended, it reports
//     [ErrStopped]. Chunks that were removed before they could be read are reported as
//     [ErrChunkRemoved].
//   - Types can be named by patterns and without their package.
//   - A handler is removed by the value that adding it returned, since functions cannot be
//     compared.
package stream
