package jvmstats

import (
	"bytes"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// textLen is the greatest length of a text in bytes.
const textLen = 4096

// text returns a copy of the string at a path, or old if that is the same.
func text(ev mmapjfr.Event, p *mmapjfr.FieldPath, old string) string {
	s := ev.Str(p)
	s = s[:min(len(s), textLen)]
	if s == old {
		return old
	}
	return strings.Clone(strings.ToValidUTF8(s, "\uFFFD"))
}

func (v *Vitals) jvmInformation(ev mmapjfr.Event, _ int64) {
	v.alloc.weights.Add(ev)
	j := &v.jvm
	j.Name = text(ev, v.at("jvmName"), j.Name)
	j.Version = text(ev, v.at("jvmVersion"), j.Version)
	j.Arguments = text(ev, v.at("jvmArguments"), j.Arguments)
	j.JavaArguments = text(ev, v.at("javaArguments"), j.JavaArguments)
	j.PID = ev.Int(v.at("pid"))
	j.Start = jsonout.At(time.Time{})
	// JSON has no years with more than four digits.
	if start := ev.Time(v.at("jvmStartTime")); start.Year() > 1 && start.Year() < 10000 {
		j.Start = jsonout.At(start)
	}
}

func (v *Vitals) cpuInformation(ev mmapjfr.Event, _ int64) {
	v.jvm.Processor = text(ev, v.at("cpu"), v.jvm.Processor)
	v.jvm.HardwareThreads = size(ev, v.at("hwThreads"))
}

func (v *Vitals) threadStatistics(ev mmapjfr.Event, _ int64) {
	v.threads = Threads{
		Time:    jsonout.At(ev.End()),
		Active:  size(ev, v.at("activeCount")),
		Daemon:  size(ev, v.at("daemonCount")),
		Peak:    size(ev, v.at("peakCount")),
		Started: size(ev, v.at("accumulatedCount")),
	}
}

// processors is the load of the processors, now and before.
type processors struct {
	now     CPU
	history history[CPUPoint]
}

func (v *Vitals) cpuLoad(ev mmapjfr.Event, second int64) {
	c := CPU{
		Time:      jsonout.At(ev.End()),
		JVMUser:   ratio(ev, v.at("jvmUser")),
		JVMSystem: ratio(ev, v.at("jvmSystem")),
		Machine:   ratio(ev, v.at("machineTotal")),
	}
	v.cpu.now = c
	v.cpu.history.add(second, CPUPoint{c.Time, min(1, c.JVMUser+c.JVMSystem), c.Machine}, newest)
}

func (p *processors) snapshot() CPU {
	c := p.now
	c.History = p.history.list()
	return c
}

// samples count the methods that samples found running.
type samples struct{ java, native, cpuTime ranking }

func (v *Vitals) methods(k *ranking) Methods {
	now := v.clock.second()
	m := Methods{Samples: k.all.count.sum(now, minute)}
	for _, p := range k.top(now) {
		m.Top = append(m.Top, Method{p.name, p.count, share(p.count, m.Samples)})
	}
	return m
}

// unknown stands for classes and methods that are not recorded.
const unknown = "(unknown)"

// className puts the name of the class at a path into v.name: as in the JVM but with dots, such as
// "[Ljava.lang.String;".
func (v *Vitals) className(ev mmapjfr.Event, p *mmapjfr.FieldPath) []byte {
	v.name = appendClass(v.name[:0], ev.Get(p).Class())
	return v.name
}

func appendClass(dst []byte, c mmapjfr.Class) []byte {
	from := len(dst)
	dst = append(dst, c.InternalName()...)
	if len(dst) == from {
		return append(dst, unknown...)
	}
	name := dst[from:]
	for i := bytes.IndexByte(name, '/'); i >= 0; i = bytes.IndexByte(name, '/') {
		name[i] = '.'
	}
	return dst
}

// asInJava returns the name of a class as in Java.
func asInJava(name string) string { return string(javaname.AppendClass(nil, name)) }

// topMethod puts the name of the method at the top of the event's stack into v.name.
func (v *Vitals) topMethod(ev mmapjfr.Event) []byte {
	m := ev.StackTrace().Frame(0).Method()
	v.name = v.name[:0]
	switch name := m.Name(); {
	case name == "":
		v.name = append(v.name, unknown...)
	case m.Class().InternalName() == "": // native code in recordings of other profilers
		v.name = append(v.name, name...)
	default:
		v.name = append(append(appendClass(v.name, m.Class()), '.'), name...)
	}
	return v.name
}
