// Package stream delivers the events of recordings that are still being written, as they are
// flushed: of a file, of the repository of a virtual machine, of a pipe, of a machine that is
// attached to. It is what jdk.jfr.consumer.EventStream is in the JDK.
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
// # Lifetime
//
// An event is valid until the handler returns, with all views and strings that come out of
// it: keep strings with [strings.Clone]. [Stream.SetReuse] makes events stay valid.
//
// # Errors
//
// What cannot be read, and what handlers return or panic with, goes to the handlers of
// [Stream.OnError], and the stream goes on.
//
// # Concurrency
//
// Handlers of a stream are called one at a time, in the goroutine of [Stream.Start]. All
// methods of a stream may be called at any time, by handlers, too.
//
// # Performance
//
// Of events that nobody has subscribed to just the frame is read. A chunk that grows is mapped
// once and never read again. With reuse, delivering an event allocates nothing.
package stream
