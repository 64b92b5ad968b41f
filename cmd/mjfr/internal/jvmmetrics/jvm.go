package jvmmetrics

import (
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// virtualMachine adds metrics of the JVM itself. It detects that another JVM has replaced it.
func (c *catalog) virtualMachine() {
	const information, property = "jdk.JVMInformation", "jdk.InitialSystemProperty"
	info := c.gauge("jvm_runtime_info", "Which JVM it is; the value is 1",
		from(information, property), "runtime", "vendor", "version")
	started := c.gauge("process_start_time_seconds", "When the JVM began, in seconds since 1970", from(information))

	name, version := mmapjfr.Path("jvmName"), mmapjfr.Path("jvmVersion")
	start := mmapjfr.Path("jvmStartTime")
	key, value := mmapjfr.Path("key"), mmapjfr.Path("value")
	var (
		known    labels
		began    int64 // nanoseconds since 1970
		vendorAt int64 // time of the event with its vendor
	)
	update := func(at int64, now labels) {
		if now != known {
			info.clear()
			known = now
		}
		if known[0] != "" {
			info.set(at, 1, known)
		}
	}
	c.on(information, func(ev mmapjfr.Event) {
		now := labels{ev.Str(name), known[1], runtimeVersion(ev.Str(version))}
		if at := ev.Time(start); !at.IsZero() {
			if nanos := at.UnixNano(); nanos != began {
				began = nanos
				c.restart(began)
				if vendorAt < began {
					now[1] = ""
				}
			}
			started.set(ev.StartNanos(), inSeconds(at), labels{})
		}
		update(ev.StartNanos(), now)
	})
	c.on(property, func(ev mmapjfr.Event) {
		if ev.Str(key) == "java.vm.vendor" {
			vendorAt = ev.StartNanos()
			update(vendorAt, labels{known[0], ev.Str(value), known[2]})
		}
	})
}

// runtimeVersion returns the version of the Java runtime, as in "25.0.3+9-LTS". In HotSpot's long
// version it follows "JRE (". Versions of other JVMs do not change.
func runtimeVersion(long string) string {
	_, rest, ok := strings.Cut(long, "JRE (")
	if !ok {
		return long
	}
	version, _, _ := strings.Cut(rest, ")")
	return version
}
