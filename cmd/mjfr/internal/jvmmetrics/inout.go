package jvmmetrics

import "github.com/mmapjfr/jfr/mmapjfr"

// inOut is about files and sockets. What is done on them takes time and moves bytes;
// of both only that is known which took longer than the threshold of the events.
func (c *catalog) inOut() {
	for _, io := range []struct{ event, name, help, bytes string }{
		{"jdk.FileRead", "jvm_file_read", "reads from files", "bytesRead"},
		{"jdk.FileWrite", "jvm_file_write", "writes to files", "bytesWritten"},
		{"jdk.FileForce", "jvm_file_force", "flushes of files to disk", ""},
		{"jdk.SocketRead", "jvm_socket_read", "reads from sockets", "bytesRead"},
		{"jdk.SocketWrite", "jvm_socket_write", "writes to sockets", "bytesWritten"},
	} {
		const only = ", if longer than the event's threshold"
		times := c.histogram(io.name+"_seconds", "How long "+io.help+" took"+only, lengths, from(io.event))
		handle := func(ev mmapjfr.Event) { times.took(ev, labels{}) }
		if io.bytes != "" {
			moved := c.counter(io.name+"_bytes_total", "Bytes that were moved by "+io.help+only, from(io.event))
			bytes := mmapjfr.Path(io.bytes)
			handle = func(ev mmapjfr.Event) {
				times.took(ev, labels{})
				moved.addInt(ev, bytes, labels{})
			}
		}
		c.on(io.event, handle, "threshold=10ms", noStack)
	}
}
