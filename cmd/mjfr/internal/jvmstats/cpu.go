package jvmstats

import (
	"bytes"

	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
)

var (
	pathJVMUser   = mmapjfr.Path("jvmUser")
	pathJVMSystem = mmapjfr.Path("jvmSystem")
	pathMachine   = mmapjfr.Path("machineTotal")
)

// processors is the load of the processors, now and before.
type processors struct {
	now     CPU
	history history[CPUPoint]
}

func (v *Vitals) cpuLoad(ev mmapjfr.Event, second int64) {
	c := CPU{
		Time:      jsonout.At(ev.End()),
		JVMUser:   ratio(ev, pathJVMUser),
		JVMSystem: ratio(ev, pathJVMSystem),
		Machine:   ratio(ev, pathMachine),
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
