package mmapjfr_test

import (
	"testing"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// FuzzOpenBytes asks everything of arbitrary bytes. Nothing may panic, and no
// walk may take more steps than the bytes can account for.
func FuzzOpenBytes(f *testing.F) {
	for _, raw := range []bool{false, true} {
		for _, build := range []func() *jfrtest.Builder{small, tiny, ringChunk, forgetful, newSample} {
			b := build()
			if raw {
				b.Uncompressed()
			}
			f.Add(b.Bytes())
		}
	}
	two, _ := jfrtest.Concat(tiny(), tiny().Uncompressed())
	f.Add(two)
	for name, make := range damage {
		if name != "event of 4 GiB" {
			f.Add(make().data)
		}
	}
	f.Fuzz(driveBytes)
}

// FuzzFaulty asks everything of recordings that are wrong in a few places.
func FuzzFaulty(f *testing.F) {
	for _, in := range fuzzInputs() {
		f.Add(in.which, in.program, in.edits)
	}
	f.Fuzz(func(t *testing.T, which uint8, program, edits []byte) {
		driveBytes(t, fuzzed(which, program, edits))
	})
}

func driveBytes(t *testing.T, data []byte) {
	rec, err := mmapjfr.OpenBytes(data)
	if err != nil {
		_ = err.Error()
		return
	}
	d := &driver{t: t, rec: rec, left: 10_000}
	d.recording(len(data))
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
	d.recording(0)
}

// tiny builds a chunk with few classes, so that most bytes matter.
func tiny() *jfrtest.Builder {
	b := jfrtest.NewEmptyChunk()
	for _, name := range []string{"int", "long", jfrtest.StringClass} {
		b.Class(name)
	}
	b.Class("P", jfrtest.Of("x", "int"), jfrtest.Of("s", jfrtest.StringClass))
	b.Class("W", jfrtest.Const("p", "P")).Simple()
	ty := b.Event("E", jfrtest.Of("a", "int").Array(), jfrtest.Of("p", "P"), jfrtest.Const("w", "W"), jfrtest.Of("ps", "P").Array())
	b.Emit(ty, start, []int{1, 2}, jfrtest.Inline{1, "x"}, 1, []any{jfrtest.Inline{2, nil}})
	b.Emit(ty, start, nil, jfrtest.Inline{1, jfrtest.Pooled(1)}, 2, nil)
	b.Constant("P", 1, 7, "seven")
	b.Constant("W", 1, 1)
	b.Constant(jfrtest.StringClass, 1, jfrtest.Latin1("ß"))
	return b
}

// small builds a chunk with the classes that views know.
func small() *jfrtest.Builder {
	b := jfrtest.NewChunk()
	ty := b.Event("E", jfrtest.EventThread(), jfrtest.StackTrace())
	b.Emit(ty, start, 1, 1)
	b.Constant("java.lang.Thread", 1, "os", 1, "java", 1, 0, false)
	b.Constant("jdk.types.StackTrace", 1, false, []any{jfrtest.Inline{1, 1, 1, 0}})
	b.Constant("jdk.types.Method", 1, 1, 1, 1, 0, false)
	b.Constant("java.lang.Class", 1, 1, 1, 0, 0, false)
	b.Constant("jdk.types.ClassLoader", 1, 1, 1)
	b.Constant("jdk.types.Symbol", 1, "a/b")
	return b
}

// driver calls all there is to call. left bounds how far it looks into values,
// which can share parts, and lead in rings.
type driver struct {
	t    testing.TB
	rec  *mmapjfr.Recording
	left int
	// unsteady tells that the bytes may change at any time.
	unsteady bool
}

var drivePaths = []*mmapjfr.FieldPath{
	mmapjfr.Path("startTime"), mmapjfr.Path("p.s"), mmapjfr.Path("w.p.s"), mmapjfr.Path("ps[0].s"), mmapjfr.Path("a[1]"),
	mmapjfr.Path("eventThread.group.parent.name"), mmapjfr.Path("stackTrace.frames[0].method.type.classLoader.name"),
	mmapjfr.Path("box.to.y"), mmapjfr.Path("strings[4]"), mmapjfr.Path("text"), mmapjfr.Path("wrapped.a.b"), mmapjfr.Path("list[0]"),
}

func (d *driver) recording(size int) {
	rec := d.rec
	_, _, _, _, _ = rec.Start(), rec.End(), rec.Duration(), engine.RecordingLocation(rec), rec.Size()
	types, err := rec.Types()
	if err != nil {
		_ = err.Error()
	}
	for _, typ := range types {
		d.typ(typ)
	}
	var last mmapjfr.Event
	events, errs := 0, 0
	for ev, err := range rec.Events() {
		if err != nil {
			_ = err.Error()
			// An error stands for a byte at least, or for the end of something.
			if errs++; errs > size+2*len(rec.Chunks())+2 {
				d.t.Fatalf("%d errors in %d bytes, the last one %v", errs, size, err)
			}
			continue
		}
		if events++; events > size {
			d.t.Fatalf("%d events in %d bytes", events, size)
		}
		d.event(ev)
		d.event(ev.Detached())
		if !last.IsZero() {
			_ = last.Value().Text()
		}
		last = ev
		again, err := rec.EventAtOffset(ev.Offset())
		switch {
		case d.unsteady:
		case err != nil:
			d.t.Fatalf("event at %#x is gone: %v", ev.Offset(), err)
		case again.Ordinal() != ev.Ordinal() || again.Type().ID() != ev.Type().ID() || told(again) != told(ev):
			d.t.Fatalf("event at %#x is another", ev.Offset())
		}
	}
	if !last.IsZero() {
		d.event(last)
	}
	for offset := 0; offset < size; offset += 1 + size/64 {
		_, _ = rec.EventAtOffset(uint64(offset))
	}
	for _, sel := range []*mmapjfr.Selection{
		rec.Select(mmapjfr.Types("*")), rec.Select(mmapjfr.Categories("*a*", "JVM")), rec.Select(mmapjfr.Types("E"), mmapjfr.Types("jdk.*")),
	} {
		n := 0
		for range sel.Events() {
			if n++; n > 3*size+10 {
				d.t.Fatalf("a selection without end")
			}
		}
	}
	for _, c := range rec.Chunks() {
		_, _, _ = c.Start(), c.End(), c.Finished()
		_, _, _ = engine.ChunkRegion(c)
		_ = c.ConstantsErr()
		types, _ := c.Types()
		for _, typ := range types {
			n := 0
			for _, v := range engine.ChunkConstants(c, typ) {
				if n++; n > size {
					d.t.Fatalf("%d constants in %d bytes", n, size)
				}
				d.value(v, 0)
			}
		}
	}
	d.bind()
}

func (d *driver) bind() {
	b, err := mmapjfr.Bind[struct {
		Start  int64              `jfr:"startTime,ticks"`
		A      []int32            `jfr:"a,optional"`
		S      string             `jfr:"w.p.s,optional"`
		Thread mmapjfr.Thread     `jfr:"eventThread,optional"`
		Stack  mmapjfr.StackTrace `jfr:"stackTrace,optional"`
		V      mmapjfr.Value      `jfr:"p,optional"`
	}](d.rec, "E")
	if err != nil {
		_ = err.Error()
		return
	}
	for row, err := range b.Events() {
		if err == nil {
			_, _, _ = row.Thread.Name(), row.Stack.Len(), row.V.Text()
		}
	}
}

func (d *driver) typ(t mmapjfr.Type) {
	_, _, _, _ = t.Name(), t.SimpleName(), t.ID(), t.Super()
	_, _, _, _ = t.IsEvent(), engine.TypeIsSimple(t), engine.TypeIsPrimitive(t), t.IsExperimental()
	_, _, _ = t.Label(), t.Description(), t.Category()
	for _, f := range t.Fields() {
		_, _, _, _ = f.Name(), f.IsArray(), f.IsConstant(), f.IsUnsigned()
		_, _, _, _ = f.Label(), f.Description(), f.Unit(), engine.FieldIsRate(f)
		d.shallow(f.Type())
		_, _ = t.Field(f.Name())
		d.annotations(f.Annotations())
	}
	for _, s := range t.Settings() {
		_, _ = s.Name(), s.Default()
		d.shallow(s.Type())
		d.annotations(s.Annotations())
	}
	d.annotations(t.Annotations())
}

// shallow asks a type about itself; it may be one that nothing describes.
func (d *driver) shallow(t mmapjfr.Type) {
	_, _, _, _ = t.Name(), t.SimpleName(), t.IsZero(), t.IsEvent()
	_, _, _, _, _ = t.ID(), t.Super(), engine.TypeIsSimple(t), engine.TypeIsPrimitive(t), t.IsExperimental()
	_, _, _ = t.Label(), t.Description(), t.Category()
	_, _, _ = t.Fields(), t.Annotations(), t.Settings()
	_, _ = t.Field("x")
}

func (d *driver) annotations(list []mmapjfr.Annotation) {
	for _, a := range list {
		_ = a.Name()
		d.shallow(a.Type())
		for _, v := range a.Values() {
			_, _, _ = v.Name, v.Texts, v.Array
		}
	}
}

func (d *driver) event(ev mmapjfr.Event) {
	_, _, _, _, _ = ev.Offset(), ev.Size(), ev.Ordinal(), engine.EventBytes(ev), ev.String()
	_, _, _, _, _ = engine.EventStartTicks(ev), ev.StartNanos(), engine.EventEndNanos(ev), ev.Start(), ev.End()
	_ = ev.Duration()
	_, _ = ev.Type().Name(), ev.Chunk().Number()
	d.thread(ev.Thread())
	d.stack(ev.StackTrace())
	for _, p := range drivePaths {
		_, _, _, _, _ = ev.Int(p), ev.Uint(p), ev.Bool(p), ev.Float(p), ev.Str(p)
		_, _, _ = ev.Time(p), ev.Timespan(p), ev.Has(p)
		d.value(ev.Get(p), 4)
	}
	for _, v := range ev.Fields() {
		d.value(v, 0)
	}
	d.value(ev.Value(), 3)
}

func (d *driver) value(v mmapjfr.Value, depth int) {
	if d.left--; d.left < 0 || depth > 6 {
		return
	}
	_, _, _, _ = v.Kind(), v.IsNull(), v.IsMissing(), v.IsAbsent()
	_, _, _, _, _ = v.Int(), v.Uint(), v.Bool(), v.Float(), engine.ValueIsUnset(v)
	_, _, _, _, _ = v.Time(), v.Duration(), v.Str(), v.Len(), engine.ValueKey(v)
	_, _ = v.AppendStr(nil), engine.ValueAppendUTF16(v, nil)
	if depth == 0 {
		_ = v.Text()
	}
	d.shallow(v.Type())
	if f, ok := v.Field(); ok {
		_ = f.Name()
	}
	d.thread(v.Thread())
	d.class(v.Class())
	_, _ = v.ClassLoader().Name(), v.Method().Name()
	if depth < 3 {
		d.stack(v.StackTrace())
	}
	_ = v.Index(1).Int()
	for _, p := range drivePaths {
		_ = v.Get(p).Int()
	}
	for e := range v.Elements() {
		if d.left < 0 {
			return
		}
		d.value(e, depth+1)
	}
	for _, e := range v.Fields() {
		d.value(e, depth+1)
	}
}

func (d *driver) thread(t mmapjfr.Thread) {
	_, _, _, _ = t.Name(), t.JavaName(), t.OSName(), t.Key()
	_, _, _ = t.JavaThreadID(), t.OSThreadID(), t.IsVirtual()
	_, _ = t.Group().Name(), t.Group().Parent().Name()
	_ = engine.ThreadValue(t).Kind()
}

func (d *driver) class(c mmapjfr.Class) {
	_, _, _, _ = c.Name(), engine.ClassInternalName(c), c.Package(), engine.ClassKey(c)
	_, _ = engine.ClassModifiers(c), c.IsHidden()
	_, _ = c.Loader().Name(), c.Loader().Type().Name()
}

func (d *driver) stack(s mmapjfr.StackTrace) {
	_, _, _ = s.Len(), s.IsTruncated(), s.Key()
	_ = s.Frame(0).Line()
	for f := range s.Frames() {
		if d.left--; d.left < 0 {
			return
		}
		_, _, _ = f.Line(), f.BytecodeIndex(), f.Kind()
		m := f.Method()
		_, _, _, _ = m.Name(), engine.MethodDescriptor(m), engine.MethodModifiers(m), m.IsHidden()
		d.class(m.Class())
	}
}
