package jvmstats

import (
	"bytes"

	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// unknown stands for classes and methods that were not recorded.
const unknown = "(unknown)"

// className puts the name of the class that a path leads to into the memory for names,
// as the virtual machine has it but with dots, such as "[Ljava.lang.String;".
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

// asInJava returns the name of a class as people write it.
func asInJava(name string) string { return string(javaname.AppendClass(nil, name)) }

// topMethod puts the name of the method at the top of the event's stack into the memory
// for names.
func (v *Vitals) topMethod(ev mmapjfr.Event) []byte {
	m := ev.StackTrace().Frame(0).Method()
	v.name = v.name[:0]
	switch name := m.Name(); {
	case name == "":
		v.name = append(v.name, unknown...)
	case m.Class().InternalName() == "": // native code, as profilers other than the JDK's have it
		v.name = append(v.name, name...)
	default:
		v.name = append(append(appendClass(v.name, m.Class()), '.'), name...)
	}
	return v.name
}
