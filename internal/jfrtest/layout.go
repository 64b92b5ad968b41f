package jfrtest

// Span is a piece of a chunk or recording.
type Span struct{ Offset, Size int64 }

// End returns the offset after the span.
func (s Span) End() int64 { return s.Offset + s.Size }

// Of returns the bytes of the span.
func (s Span) Of(data []byte) []byte { return data[s.Offset:s.End()] }

// Layout says where things are in a built chunk. The offsets count from the
// beginning of the bytes that were returned with it.
type Layout struct {
	// Chunk is all of the chunk.
	Chunk Span
	// Events are those of Emit and its like, in their order.
	Events []EventSpan
	// Checkpoints are all checkpoints in file order.
	Checkpoints []CheckpointSpan
	// Metadata are all metadata events in file order.
	Metadata []Span

	checkpoints map[*Checkpoint]int
}

// EventSpan is the place of an event with its size field.
type EventSpan struct {
	Span
	// Type is the event's type id.
	Type int64
	// Body is the offset after the type id.
	Body int64
	// Fields are the places of the fields; none for events from raw bytes.
	Fields []Span
}

// CheckpointSpan is the place of a checkpoint with its size field.
type CheckpointSpan struct {
	Span
	// Delta is the place of the way to the next older checkpoint.
	Delta Span
	// Pools are the places of the pools.
	Pools []PoolSpan
}

// PoolSpan is the place of a pool with its class id and count.
type PoolSpan struct {
	Span
	// Constants are the places of the constants.
	Constants []ConstantSpan
}

// ConstantSpan is the place of a constant with its key.
type ConstantSpan struct {
	Span
	// Value is the place of the value without the key.
	Value Span
}

// Checkpoint returns the place of a checkpoint; the zero value if it is not in the chunk.
func (l *Layout) Checkpoint(c *Checkpoint) CheckpointSpan {
	i, ok := l.checkpoints[c]
	if !ok {
		return CheckpointSpan{}
	}
	return l.Checkpoints[i]
}

// Concat builds chunks and puts them one after the other. The offsets of the
// layouts count from the beginning of all.
func Concat(chunks ...*Builder) ([]byte, []*Layout) {
	var all []byte
	var layouts []*Layout
	for _, b := range chunks {
		data, l := b.Build()
		l.shift(int64(len(all)))
		all = append(all, data...)
		layouts = append(layouts, l)
	}
	return all, layouts
}

func (l *Layout) add(it item, what any, at Span) {
	switch it := it.(type) {
	case *Checkpoint:
		span := what.(CheckpointSpan)
		span.Span = at
		l.checkpoints[it] = len(l.Checkpoints)
		l.Checkpoints = append(l.Checkpoints, span)
	case *Metadata:
		l.Metadata = append(l.Metadata, at)
	case *eventItem:
		span := what.(EventSpan)
		span.Span = at
		l.Events = append(l.Events, span)
	}
}

func (l *Layout) shift(by int64) {
	l.Chunk.Offset += by
	for i := range l.Events {
		l.Events[i].shift(by)
	}
	for i := range l.Checkpoints {
		l.Checkpoints[i].shift(by)
	}
	for i := range l.Metadata {
		l.Metadata[i].Offset += by
	}
}

func (e *EventSpan) shift(by int64) {
	e.Offset += by
	e.Body += by
	for i := range e.Fields {
		e.Fields[i].Offset += by
	}
}

func (c *CheckpointSpan) shift(by int64) {
	c.Offset += by
	c.Delta.Offset += by
	for i := range c.Pools {
		p := &c.Pools[i]
		p.Offset += by
		for j := range p.Constants {
			p.Constants[j].Offset += by
			p.Constants[j].Value.Offset += by
		}
	}
}
