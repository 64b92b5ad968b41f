package dumpall

import (
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Paths are the paths that are read from every event, besides its fields.
var Paths = []*mmapjfr.FieldPath{
	mmapjfr.Path("startTime"), mmapjfr.Path("duration"), mmapjfr.Path("a"), mmapjfr.Path("b.a"), mmapjfr.Path("c[0]"), mmapjfr.Path("name"),
	mmapjfr.Path("eventThread.javaName"), mmapjfr.Path("stackTrace.frames[0].method.type.name"), mmapjfr.Path("frames[1].lineNumber"),
	mmapjfr.Path("p.s"), mmapjfr.Path("w.p.s"), mmapjfr.Path("ps[0].s"), mmapjfr.Path("x.y"), mmapjfr.Path("a.b.c"), mmapjfr.Path("type.classLoader.name"),
}

// Event dumps an event and all of its fields.
func (t *Dumper) Event(ev mmapjfr.Event) {
	t.int(int64(ev.Offset()))
	t.int(int64(ev.Ordinal()))
	t.Fields(ev)
}

// Fields dumps an event without its offset.
func (t *Dumper) Fields(ev mmapjfr.Event) {
	if t.left < 0 {
		return
	}
	t.word(ev.Type().Name())
	t.int(ev.Type().ID())
	t.int(int64(ev.Size()))
	t.int(engine.EventStartTicks(ev))
	t.int(engine.EventEndTicks(ev))
	t.int(ev.StartNanos())
	t.int(engine.EventEndNanos(ev))
	t.int(ev.Start().UnixNano())
	t.int(ev.End().UnixNano())
	t.int(int64(ev.Duration()))
	t.Thread(ev.Thread())
	t.Stack(ev.StackTrace())
	for _, p := range Paths {
		t.int(ev.Int(p))
		t.int(int64(ev.Uint(p)))
		t.bool(ev.Bool(p))
		t.float(ev.Float(p))
		t.word(ev.Str(p))
		t.int(ev.Time(p).UnixNano())
		t.int(int64(ev.Timespan(p)))
		t.bool(ev.Has(p))
	}
	for f, v := range ev.Fields() {
		t.word(f.Name())
		t.Value(v, 0)
	}
	t.word(ev.Value().Text())
	t.line(nil)
}

// Value dumps a value and the values inside it, up to three levels deep.
func (t *Dumper) Value(v mmapjfr.Value, depth int) {
	if t.left--; t.left < 0 || depth > 3 {
		return
	}
	t.int(int64(v.Kind()))
	t.bool(v.IsNull())
	t.bool(v.IsMissing())
	t.bool(v.IsAbsent())
	t.bool(engine.ValueIsUnset(v))
	t.int(v.Int())
	t.int(int64(v.Uint()))
	t.bool(v.Bool())
	t.float(v.Float())
	t.int(v.Time().UnixNano())
	t.int(int64(v.Duration()))
	t.word(v.Str())
	t.int(engine.ValueKey(v))
	t.int(int64(v.Len()))
	t.buf = v.AppendStr(t.buf)
	for _, u := range engine.ValueAppendUTF16(v, nil) {
		t.int(int64(u))
	}
	t.word(v.Type().Name())
	t.Thread(v.Thread())
	t.Class(v.Class())
	t.Method(v.Method())
	t.word(v.ClassLoader().Name())
	if depth < 2 {
		t.Stack(v.StackTrace())
	}
	i := 0
	for e := range v.Elements() {
		t.Value(e, depth+1)
		if i++; t.left < 0 {
			return
		}
	}
	t.int(v.Index(1).Int())
	for f, e := range v.Fields() {
		t.word(f.Name())
		t.Value(e, depth+1)
	}
}

// Thread dumps a thread.
func (t *Dumper) Thread(x mmapjfr.Thread) {
	if x.IsZero() {
		t.word("-")
		return
	}
	t.word(x.Name())
	t.word(x.JavaName())
	t.word(x.OSName())
	t.int(x.Key())
	t.int(x.JavaThreadID())
	t.int(x.OSThreadID())
	t.bool(x.IsVirtual())
	t.word(x.Group().Name())
	t.word(x.Group().Parent().Name())
}

// Class dumps a class.
func (t *Dumper) Class(x mmapjfr.Class) {
	if x.IsZero() {
		t.word("-")
		return
	}
	t.word(x.Name())
	t.word(engine.ClassInternalName(x))
	t.word(x.Package())
	t.int(engine.ClassKey(x))
	t.int(int64(engine.ClassModifiers(x)))
	t.bool(x.IsHidden())
	t.word(x.Loader().Name())
	t.int(engine.ClassLoaderKey(x.Loader()))
	t.word(x.Loader().Type().Name())
}

// Method dumps a method.
func (t *Dumper) Method(x mmapjfr.Method) {
	if x.IsZero() {
		t.word("-")
		return
	}
	t.word(x.Name())
	t.word(engine.MethodDescriptor(x))
	t.int(engine.MethodKey(x))
	t.int(int64(engine.MethodModifiers(x)))
	t.bool(x.IsHidden())
	t.Class(x.Class())
}

// Stack dumps a stack trace.
func (t *Dumper) Stack(x mmapjfr.StackTrace) {
	if x.IsZero() {
		t.word("-")
		return
	}
	t.int(int64(x.Len()))
	t.int(x.Key())
	t.bool(x.IsTruncated())
	t.int(int64(x.Frame(1).Line()))
	for f := range x.Frames() {
		if t.left--; t.left < 0 {
			return
		}
		t.int(int64(f.Line()))
		t.int(int64(f.BytecodeIndex()))
		t.word(f.Kind())
		t.Method(f.Method())
	}
}
