package jfrtest

// Event adds an event class and returns it. Its first field is startTime; the given ones follow.
func (b *Builder) Event(name string, fields ...Field) *Class {
	start := Of("startTime", "long")
	if b.Lookup(annTimestamp) != nil {
		start = start.With(Note(annLabel, "Start Time"), Note(annTimestamp, "TICKS"))
	}
	c := b.Class(name, append([]Field{start}, fields...)...)
	c.SuperType = EventSuperType
	return c
}

// Duration returns the field of an event's duration. It has to be the first
// after startTime: the JDK's reader takes it for granted.
func Duration() Field {
	return Of("duration", "long").With(Note(annLabel, "Duration"), Note(annTimespan, "TICKS"))
}

// EventThread returns the field of the thread that an event happened in.
func EventThread() Field {
	return Const("eventThread", "java.lang.Thread").With(Note(annLabel, "Event Thread"))
}

// StackTrace returns the field of the stack that an event happened in.
func StackTrace() Field {
	return Const("stackTrace", "jdk.types.StackTrace").With(Note(annLabel, "Stack Trace"))
}

// EventOptions are the unusual things about an event.
type EventOptions struct {
	// SizeWidth is the width of the size; 0 is the chunk's, -1 as short as possible.
	SizeWidth int
	// Size, where not nil, is written instead of the true size.
	Size *int64
	// TypeWidth is the width of the type id; 0 is as short as possible.
	TypeWidth int
	// Trailing are bytes after the last field that the size includes.
	Trailing []byte
}

// eventItem is an event.
type eventItem struct {
	opts   EventOptions
	class  *Class
	values []any
	// For events without a class.
	typ  int64
	body []byte
}

// Emit adds an event with the values of all its fields, startTime first, and
// returns its number in [Layout.Events].
func (b *Builder) Emit(class *Class, values ...any) int {
	return b.EmitWith(EventOptions{}, class, values...)
}

// EmitWith is [Builder.Emit] for unusual events.
func (b *Builder) EmitWith(opts EventOptions, class *Class, values ...any) int {
	return b.addEvent(&eventItem{opts: opts, class: class, values: values})
}

// EmitRaw adds an event of any type, with any bytes for its fields, and returns
// its number in [Layout.Events].
func (b *Builder) EmitRaw(opts EventOptions, typeID int64, body []byte) int {
	return b.addEvent(&eventItem{opts: opts, typ: typeID, body: body})
}

func (b *Builder) addEvent(it *eventItem) int {
	b.items = append(b.items, it)
	b.events++
	return b.events - 1
}

func (it *eventItem) encode(e *encoder, _ *placement) any {
	id := it.typ
	if it.class != nil {
		id = it.class.ID
	}
	body := e.sub()
	body.integer(uint64(id), 8, it.opts.TypeWidth)
	typeLen := len(body.buf)
	var fields []Span
	if it.class != nil {
		fields = body.structure(it.class, it.values)
	}
	body.buf = append(body.buf, it.body...)
	body.buf = append(body.buf, it.opts.Trailing...)
	e.record(body.buf, width(it.opts.SizeWidth, e.b.SizeWidth), it.opts.Size)
	span := EventSpan{Type: id, Body: int64(typeLen), Fields: fields}
	span.shift(int64(len(e.buf) - len(body.buf))) // the length of the size field is known only now
	return span
}
