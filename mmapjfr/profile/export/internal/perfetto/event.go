package perfetto

import (
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/proto"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/timeline"
)

// title returns the name of a virtual thread.
func title(t *timeline.Thread) string { return t.Title() + " #" + strconv.FormatInt(t.ID, 10) }

// chunk writes the events of a chunk.
func (t *tracer) chunk(list []timeline.Entry) error {
	for i := range list {
		e := &list[i]
		ev, err := t.t.Event(e)
		if err != nil {
			return err
		}
		if e.Type.Role == timeline.Counter {
			t.count(e, ev)
		} else {
			t.mark(e, ev)
		}
	}
	return t.err
}

// mark writes an event: its begin, if it lasted, and else all of it.
func (t *tracer) mark(e *timeline.Entry, ev mmapjfr.Event) {
	flow := t.flow(e, ev)
	kind, uuid := uint64(eventInstant), t.track(e.Thread).uuid
	if e.Type.Lasts {
		l := t.lane(e.Thread, e)
		l.last = e.Start
		l.ends = append(l.ends, e.End)
		kind, uuid = eventBegin, l.uuid
	}
	known := t.known(e.Type)
	b := append(proto.Number(proto.Number(t.content[:0], eventType, kind), eventTrack, uuid), known.head...)
	if e.Stack != 0 {
		b = proto.Number(b, eventStack, t.events.stack(e.Stack))
	}
	if flow != 0 {
		b = proto.Fixed(b, eventLastFlow, flow)
	}
	e.Type.Values(ev, func(field int, d timeline.Datum) {
		t.annotation = t.annotate(append(t.annotation[:0], known.names[field]...), &e.Type.Fields[field], d)
		b = proto.Message(b, eventAnnotation, t.annotation)
	})
	t.content = b
	t.events.write(e.Start, packetTrackEvent, b)
}

// knownType is what all marks of a type have in common, as parts of messages.
type knownType struct {
	head  []byte   // name, categories and an annotation with the name of the type
	names [][]byte // of annotations, by field
}

// known returns what marks of a type have in common, and interns that.
func (t *tracer) known(typ *timeline.Type) *knownType {
	k, ok := t.types[typ]
	if ok {
		return k
	}
	k = &knownType{head: proto.Number(nil, eventName, t.events.text(internedNames, typ.Title()))}
	for _, name := range typ.Category() {
		k.head = proto.Number(k.head, eventCategory, t.events.text(internedCategories, name))
	}
	name := func(s string) []byte { return proto.Number(nil, annotationName, t.events.text(internedAnnotations, s)) }
	k.head = proto.Message(k.head, eventAnnotation, t.textValue(name("eventType"), typ.Name()))
	for i := range typ.Fields {
		f := &typ.Fields[i]
		if f.Kind == timeline.Span {
			k.names = append(k.names, name(f.Name+" (ns)"))
		} else {
			k.names = append(k.names, name(f.Name))
		}
	}
	t.types[typ] = k
	return k
}

// flowCategory is the category of what another thread did. The recording has no events of that.
const flowCategory = "flow"

// flow writes what the other thread of an event did, and returns the number that leads from there to
// the event; 0 if there is no other thread.
func (t *tracer) flow(e *timeline.Entry, ev mmapjfr.Event) uint64 {
	peer, did, ok := t.t.Peer(e, ev)
	if !ok {
		return 0
	}
	t.flows++
	b := proto.Number(proto.Number(nil, eventType, eventInstant), eventTrack, t.track(peer).uuid)
	b = proto.Number(b, eventName, t.events.text(internedNames, did))
	b = proto.Number(b, eventCategory, t.events.text(internedCategories, flowCategory))
	t.events.write(e.Start, packetTrackEvent, proto.Fixed(b, eventFlow, t.flows))
	return t.flows
}

// annotate appends the value of a debug annotation.
func (t *tracer) annotate(b []byte, f *timeline.Field, d timeline.Datum) []byte {
	switch f.Kind {
	case timeline.Bool:
		return proto.Number(b, annotationBool, protowire.EncodeBool(d.Bool))
	case timeline.Integer, timeline.Span:
		return proto.Number(b, annotationInt, uint64(d.Int))
	case timeline.Float:
		return proto.Double(b, annotationDouble, d.Float)
	case timeline.Time:
		return proto.Text(b, annotationText, time.Unix(0, d.Int).UTC().Format(time.RFC3339Nano))
	case timeline.List:
		for _, s := range d.List {
			b = proto.Message(b, annotationArray, proto.Text(nil, annotationText, s))
		}
		return b
	}
	return t.textValue(b, d.Text)
}

// textValue appends a text, as a number if it is interned.
func (t *tracer) textValue(b []byte, s string) []byte {
	_, known := t.events.texts[internedText{internedTexts, s}]
	if known || t.events.numbers[internedTexts] < maxInterned && len(s) < 256 {
		return proto.Number(b, annotationInterned, t.events.text(internedTexts, s))
	}
	return proto.Text(b, annotationText, s)
}

// count writes the numbers of a counter.
func (t *tracer) count(e *timeline.Entry, ev mmapjfr.Event) {
	t.t.Counts(e, ev, func(series int, n float64) {
		if series == len(t.counters) {
			t.counters = append(t.counters, t.counter(&t.t.Series[series]))
		}
		if t.t.Series[series].Field.Unit == mmapjfr.Percentage {
			n *= 100
		}
		t.content = proto.Double(proto.Number(proto.Number(t.content[:0], eventType, eventCounter), eventTrack, t.counters[series]), eventDouble, n)
		t.events.write(e.Start, packetTrackEvent, t.content)
	})
}

// counter writes the description of the track of a series, and returns its number.
func (t *tracer) counter(s *timeline.Series) uint64 {
	parent, name := uint64(processTrack), s.Name
	if s.Thread != 0 {
		parent = t.track(s.Thread).uuid
	}
	unit, f := []byte(nil), s.Field
	switch {
	case f.Unit == mmapjfr.Percentage:
		unit = proto.Text(nil, counterUnitName, "%")
	case f.Unit == mmapjfr.Bytes && f.Rate:
		unit = proto.Text(nil, counterUnitName, "bytes/s")
	case f.Unit == mmapjfr.Bits && f.Rate:
		unit = proto.Text(nil, counterUnitName, "bits/s")
	case f.Unit == mmapjfr.Bits:
		unit = proto.Text(nil, counterUnitName, "bits")
	case f.Unit == mmapjfr.Hertz:
		unit = proto.Text(nil, counterUnitName, "Hz")
	case f.Unit == mmapjfr.Bytes:
		unit = proto.Number(nil, counterUnit, unitBytes)
	case f.Kind == timeline.Span:
		unit = proto.Number(nil, counterUnit, unitTime)
	default:
		unit = proto.Number(nil, counterUnit, unitCount)
	}
	uuid := t.uuid()
	t.describe(uuid, parent, name, trackCounter, unit)
	return uuid
}
