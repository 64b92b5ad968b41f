// Package stream delivers the events of recordings that are still being written, as they are
// flushed: of a file ([OpenFile]), of the repository of a virtual machine ([OpenRepository]),
// of a pipe ([OpenReader]), of a machine that is attached to ([Attach]). It is what
// jdk.jfr.consumer.EventStream is in the JDK, by JEP 349.
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
// A virtual machine flushes what it has recorded about once a second. What has been flushed
// together is delivered together, in the order in which the events ended, and after it the
// handlers of [Stream.OnFlush] are called. Nothing that has not been flushed is looked at.
//
// Very rarely, a virtual machine flushes an event before its stack trace,
// and always before the class loaders of jdk.ClassLoaderStatistics: such values are missing, see
// [mmapjfr.Value.IsMissing], unless the event is read after the next flush.
//
// # Lifetime
//
// An event is valid until the handler returns, with all views that come out of it;
// [Stream.SetReuse] makes events stay valid. Strings that Str, Name and the like return stay
// valid for as long as somebody has them: a stream keeps each text once, through all its
// chunks (see [mmapjfr.StringTable]), because a handler that keeps a string, be it as the key
// of a map, is the rule, and memory that goes with its chunk is not to be had by accident.
// What [mmapjfr.Event.StrView] and its like return is valid until the handler returns.
//
// # Errors
//
// What cannot be read, and what handlers return or panic with, goes to the handlers of
// [Stream.OnError], and the stream goes on.
//
// Names of types that do not exist are no errors, since programs can register types at any
// time: they go to the handlers of [Stream.OnWarning], or to the log.
//
// # Concurrency
//
// Handlers of a stream are called one at a time, in the goroutine of [Stream.Start]. All
// methods of a stream may be called at any time, by handlers, too.
//
// # Performance
//
// Of events that nobody has subscribed to just the frame is read. A chunk that grows is mapped
// further than it reaches, and what has been read of it is not read again. With reuse,
// delivering an event allocates nothing.
//
// # What is not as in the JDK
//
//   - Times are told by the clock of the event's own chunk, where the JDK takes that of the
//     first one.
//   - Without a start time, the stream of a repository begins behind what had been flushed,
//     wherever that was in time: an event that is flushed later is delivered even if it ended
//     before the stream began.
//   - A stream ends when its virtual machine was killed, and tells [ErrKilled]; the JDK's
//     waits for ever. What was removed before it could be read is told as [ErrChunkRemoved].
//   - Types are subscribed to by patterns and without their package, too.
//   - Handlers are removed by what adding them returned, as functions cannot be compared.
package stream
