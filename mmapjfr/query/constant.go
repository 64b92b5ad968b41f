package query

import (
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// constantReader reads keys of constants. They are decoded when values are asked for.
type constantReader struct {
	anyReader
	typ   mmapjfr.Type
	known map[int64]int64 // keys, or nullRaw for those of constants that are missing
	// byValue is set if values have to be read one by one: texts inside of constants can have keys of
	// the pool of strings.
	byValue bool
}

func (r *constantReader) value(raw int64) Value {
	if r.byValue {
		return r.anyReader.value(raw)
	}
	return r.valueOf(unwrapped(engine.ChunkConstant(r.chunk, r.typ, raw)), r.is)
}

// unwrapped returns the value of the one field of a struct that only wraps it.
func unwrapped(v mmapjfr.Value) mmapjfr.Value {
	for range mmapjfr.MaxWrappers {
		if v.Kind() != mmapjfr.KindStruct || engine.TypeUnwrapped(v.Type()) == v.Type() {
			break
		}
		for _, inner := range v.Fields() {
			v = inner
		}
	}
	return v
}

func (r *constantReader) read(b *mmapjfr.Batch, rows []int, dst []int64) {
	column := engine.BatchInts(b, r.path)
	if r.byValue = column == nil && (engine.TypeIsPrimitive(r.typ) || engine.TypeUnwrapped(r.typ) != r.typ); r.byValue {
		r.anyReader.read(b, rows, dst)
		return
	}
	if column == nil {
		for i, row := range rows {
			dst[i] = engine.ValueKey(engine.BatchEvent(b, row).Get(r.path))
		}
	}
	var key, raw int64
	for i, row := range rows {
		if column != nil {
			dst[i] = column[row]
		}
		if i > 0 && dst[i] == key {
			dst[i] = raw
			continue
		}
		key = dst[i]
		var ok bool
		if raw, ok = r.known[key]; !ok {
			if raw = key; unwrapped(engine.ChunkConstant(r.chunk, r.typ, key)).Kind() == mmapjfr.KindNone {
				raw = nullRaw
			}
			r.known[key] = raw
		}
		dst[i] = raw
	}
}

// frameReader reads the methods of frames of stack traces.
type frameReader struct {
	anyReader
	choice  frameChoice
	rest    *mmapjfr.FieldPath
	known   map[int64]int64 // raw values by the keys of stack traces
	methods map[int64]int64 // and by the keys of methods
}

func (r *frameReader) read(b *mmapjfr.Batch, rows []int, dst []int64) {
	keys := engine.BatchInts(b, r.path)
	for i, row := range rows {
		if keys == nil {
			dst[i] = r.frame(engine.BatchValue(b, r.path, row).StackTrace())
			continue
		}
		raw, ok := r.known[keys[row]]
		if !ok {
			raw = r.frame(engine.BatchValue(b, r.path, row).StackTrace())
			r.known[keys[row]] = raw
		}
		dst[i] = raw
	}
}

// frame returns the raw value of the method of the frame that is wanted.
func (r *frameReader) frame(s mmapjfr.StackTrace) int64 {
	if r.choice == topFrame {
		if s.Len() > 0 {
			return r.ofFrame(s.Frame(0))
		}
		return nullRaw
	}
	for f := range s.Frames() {
		if r.wants(f) {
			return r.ofFrame(f)
		}
	}
	return nullRaw
}

// ofJDK matches the names of classes of the JDK.
var ofJDK = lazy.Regexp(`^(java|javax|jdk|sun|com\.sun|org\.graalvm)\.`)

// ofFrame returns the raw value of the method of a frame, or of its field that is wanted.
func (r *frameReader) ofFrame(f mmapjfr.Frame) int64 {
	if r.rest == nil {
		return r.rawMethod(f.Method())
	}
	return r.values.raw(r.valueOf(engine.FrameValue(f).Get(r.rest), r.is))
}

// rawMethod returns the raw value of a method.
func (r *frameReader) rawMethod(m mmapjfr.Method) int64 {
	raw, ok := r.methods[engine.MethodKey(m)]
	if !ok || engine.MethodKey(m) == 0 {
		raw = r.values.raw(r.method(m))
		r.methods[engine.MethodKey(m)] = raw
	}
	return raw
}

func (r *frameReader) wants(f mmapjfr.Frame) bool {
	switch r.choice {
	case topNotInitFrame:
		return f.Method().Name() != "<init>"
	case topApplicationFrame:
		class := f.Method().Class()
		if loader := class.Loader(); !loader.IsZero() || r.plan.o.JDK {
			return !loader.IsZero() && loader.Name() != "bootstrap"
		}
		// Async-profiler records no loaders, but native functions.
		native := f.Kind() == "Native" || f.Kind() == "C++" || f.Kind() == "Kernel"
		return !native && class.Name() != "" && !ofJDK().MatchString(class.Name())
	}
	return true
}
