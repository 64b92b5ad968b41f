// Package otlp writes profiles in the form of OpenTelemetry: a message ProfilesData of the
// version 1.11 of its protocol, which is still in development. The OpenTelemetry collector,
// Pyroscope and Parca read it.
package otlp

import (
	"bufio"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// Options say how a profile is written.
type Options struct {
	// Names say how functions and classes of objects are named.
	Names profile.Names
	// Service is the name of the service that was recorded: the resource attribute service.name.
	Service string
}

// The numbers of fields, as in profiles.proto of OpenTelemetry.
const (
	dataResources, dataDictionary                      = 1, 2
	resourceResource, resourceScopes                   = 1, 2
	resourceAttribute                                  = 1
	scopeScope, scopeProfiles, scopeName               = 1, 2, 1
	keyValueKey, keyValueValue, anyString              = 1, 2, 1
	tableLocation, tableFunction, tableLink, tableText = 2, 3, 4, 5
	tableMapping, tableAttribute, tableStack           = 1, 6, 7
	profileType, profileSample, profileTime            = 1, 2, 3
	profileDuration, profilePeriodType, profilePeriod  = 4, 5, 6
	profileFormat                                      = 9
	typeName, typeUnit                                 = 1, 2
	sampleStack, sampleAttributes, sampleLink          = 1, 2, 3
	sampleValues, sampleTimes                          = 4, 5
	stackLocations                                     = 1
	locationLine, locationAttributes                   = 3, 4
	lineFunction, lineNumber                           = 1, 2
	functionName, functionSystem, functionFile         = 1, 2, 3
	attributeKey, attributeValue                       = 1, 2
	linkTrace, linkSpan                                = 1, 2
)

// Write writes a profile. OpenTelemetry has one value in a profile: there is one for each value of
// each kind, and all share their tables. Equal stacks and labels are one sample, which has a value for
// each time if the profile has times.
func Write(w io.Writer, p *profile.Profile, o Options) error {
	e := encoder{p: p, o: &o, texts: table[string]{"": 0}, attributes: table[attribute]{{}: 0}, links: table[link]{{}: 0}, stacks: table[profile.StackID]{}}
	e.textList = []string{""}
	e.attributeList, e.linkList, e.stackList = []attribute{{}}, []link{{}}, []profile.StackID{0}
	e.stacks[0] = 0
	resource := field(nil, resourceResource, e.resource())
	resource = field(resource, resourceScopes, e.scope())
	out := bufio.NewWriter(w)
	_, _ = out.Write(field(nil, dataResources, resource))
	_, _ = out.Write(field(nil, dataDictionary, e.dictionary()))
	return out.Flush()
}

// table numbers values.
type table[K comparable] map[K]int64

// id returns the number of a value, and adds it to the list if it is new.
func id[K comparable](t table[K], list *[]K, k K) int64 {
	n, ok := t[k]
	if !ok {
		n = int64(len(*list))
		t[k] = n
		*list = append(*list, k)
	}
	return n
}

// attribute is a text, or a number if the text is "".
type attribute struct {
	key, text string
	number    int64
}

type link struct{ high, low, span int64 }

// encoder writes messages from the inside out. Entry 0 of each table is empty, as the protocol
// demands.
type encoder struct {
	p             *profile.Profile
	o             *Options
	texts         table[string]
	textList      []string
	attributes    table[attribute]
	attributeList []attribute
	links         table[link]
	linkList      []link
	stacks        table[profile.StackID]
	stackList     []profile.StackID
}

// text returns the number of a string, whose bytes need not be valid.
func (e *encoder) text(s string) int64 {
	return id(e.texts, &e.textList, strings.ToValidUTF8(s, "\uFFFD"))
}

// field appends a message.
func field(dst []byte, number protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, number, protowire.BytesType), message)
}

func textField(dst []byte, number protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(dst, number, protowire.BytesType), strings.ToValidUTF8(s, "\uFFFD"))
}

// varint appends a number, unless it is 0.
func varint(dst []byte, number protowire.Number, n int64) []byte {
	if n == 0 {
		return dst
	}
	return protowire.AppendVarint(protowire.AppendTag(dst, number, protowire.VarintType), uint64(n))
}

// packed appends a list of numbers.
func packed(dst []byte, number protowire.Number, list ...int64) []byte {
	var b []byte
	for _, n := range list {
		b = protowire.AppendVarint(b, uint64(n))
	}
	if len(b) == 0 {
		return dst
	}
	return field(dst, number, b)
}

func (e *encoder) resource() []byte {
	name := e.o.Service
	if name == "" {
		name = "unknown_service:java"
	}
	b := textField(nil, keyValueKey, "service.name")
	return field(nil, resourceAttribute, field(b, keyValueValue, textField(nil, anyString, name)))
}

// scope returns the profiles: one for each value.
func (e *encoder) scope() []byte {
	b := field(nil, scopeScope, textField(nil, scopeName, "github.com/mmapjfr/jfr"))
	kinds := e.p.Kinds()
	for _, c := range profile.ColumnsOf(kinds) {
		b = field(b, scopeProfiles, e.profile(c))
	}
	return b
}

func (e *encoder) profile(c profile.Column) []byte {
	v := c.Kind.Values[c.Value]
	typ := varint(varint(nil, typeName, e.text(v.Name)), typeUnit, e.text(string(v.Unit)))
	b := field(nil, profileType, typ)
	events, weight, main := int64(0), int64(0), e.p.Main(c.Kind)
	for s := range e.p.Samples() {
		if s.Kind.Name == c.Kind.Name {
			events, weight = saturate.Add(events, s.Values[0]), saturate.Add(weight, s.Values[main])
		}
	}
	for _, s := range e.samples(c) {
		b = field(b, profileSample, e.sample(s))
	}
	if start, end := e.p.Span(); !start.IsZero() {
		b = protowire.AppendFixed64(protowire.AppendTag(b, profileTime, protowire.Fixed64Type), uint64(start.UnixNano()))
		b = varint(b, profileDuration, int64(end.Sub(start)))
	}
	period := c.Kind.Values[main]
	b = field(b, profilePeriodType, varint(varint(nil, typeName, e.text(c.Kind.Name)), typeUnit, e.text(string(period.Unit))))
	if c.Kind.Sampled && events > 0 {
		b = varint(b, profilePeriod, weight/events) // Pyroscope multiplies numbers of samples by it
	} else {
		b = varint(b, profilePeriod, 1)
	}
	return textField(b, profileFormat, "jfr")
}

// sample is what a stack with labels weighs, at each time if there are any.
type sample struct {
	sampleKey
	values []int64
	times  []uint64
}

type sampleKey struct {
	stack  profile.StackID
	labels profile.Labels // with the names of the file
}

// samples returns the samples of a column.
func (e *encoder) samples(c profile.Column) (list []sample) {
	ids := make(map[sampleKey]int)
	start, end := e.p.Span()
	for s := range e.p.Samples() {
		if s.Kind.Name != c.Kind.Name || s.Values[c.Value] == 0 {
			continue
		}
		key := sampleKey{s.Stack, e.p.Labels(s.Labels)}
		key.labels.Class = e.o.Names.Object(key.labels.Class)
		n, ok := ids[key]
		if !ok {
			n = len(list)
			ids[key] = n
			list = append(list, sample{sampleKey: key})
		}
		value := s.Values[c.Value]
		switch {
		case e.p.Times() > 0:
			list[n].values = append(list[n].values, value)
			// The protocol demands times inside the profile.
			at := max(min(s.Time, end.UnixNano()-1), start.UnixNano())
			list[n].times = append(list[n].times, uint64(at))
		case ok: // labels that differ have one name
			list[n].values[0] = saturate.Add(list[n].values[0], value)
		default:
			list[n].values = []int64{value}
		}
	}
	return list
}

// sample returns a sample.
func (e *encoder) sample(s sample) []byte {
	l := &s.labels
	b := varint(nil, sampleStack, id(e.stacks, &e.stackList, s.stack))
	var list []int64
	add := func(key, text string, n int64) {
		if text != "" || n != 0 {
			list = append(list, id(e.attributes, &e.attributeList, attribute{key, text, n}))
		}
	}
	add("thread.name", l.Thread, 0)
	add("thread.id", "", l.ThreadID)
	add("jfr.thread.state", l.State, 0)
	add("jfr.class", l.Class, 0)
	b = packed(b, sampleAttributes, list...)
	b = varint(b, sampleLink, id(e.links, &e.linkList, link{l.TraceHigh, l.TraceLow, l.SpanID}))
	b = packed(b, sampleValues, s.values...)
	if len(s.times) == 0 {
		return b
	}
	var times []byte
	for _, at := range s.times {
		times = protowire.AppendFixed64(times, at)
	}
	return field(b, sampleTimes, times)
}

// frameType returns the name of OpenTelemetry for a kind of frames; "" for a text.
func frameType(m profile.Method, kind profile.FrameKind) string {
	switch {
	case kind == profile.Kernel:
		return "kernel"
	case m.Descriptor == "" && (kind == profile.Native || kind == profile.Cpp):
		return "native"
	case kind == profile.Text:
		return ""
	}
	return "jvm"
}

// dictionary returns the tables. Those that others refer to come after them, as these fill them.
func (e *encoder) dictionary() []byte {
	b := field(nil, tableMapping, nil)
	b = field(b, tableLocation, nil)
	functions, list := table[profile.MethodID]{}, []profile.MethodID{0} // entry 0 is empty
	kinds := []profile.FrameKind{0}
	for i := range e.p.Frames() {
		f := e.p.Frame(profile.FrameID(i))
		function, ok := functions[f.Method]
		if !ok {
			function = int64(len(list))
			functions[f.Method] = function
			list, kinds = append(list, f.Method), append(kinds, f.Kind)
		}
		location := field(nil, locationLine, varint(varint(nil, lineFunction, function), lineNumber, int64(max(f.Line, 0))))
		var attributes []int64
		if typ := frameType(e.p.Method(f.Method), f.Kind); typ != "" {
			attributes = append(attributes, id(e.attributes, &e.attributeList, attribute{"profile.frame.type", typ, 0}))
		}
		if kind := f.Kind.String(); kind != "" {
			attributes = append(attributes, id(e.attributes, &e.attributeList, attribute{"jfr.frame.type", kind, 0}))
		}
		b = field(b, tableLocation, packed(location, locationAttributes, attributes...))
	}
	b = field(b, tableFunction, nil)
	for i, m := range list[1:] {
		b = field(b, tableFunction, e.function(e.p.Method(m), kinds[i+1]))
	}
	for _, s := range e.stackList {
		var locations []int64
		for f := range e.p.Stack(s) {
			locations = append(locations, int64(f)+1)
		}
		b = field(b, tableStack, packed(nil, stackLocations, locations...))
	}
	for _, l := range e.linkList {
		b = field(b, tableLink, l.message())
	}
	for _, a := range e.attributeList {
		b = field(b, tableAttribute, e.attribute(a))
	}
	for _, s := range e.textList {
		b = textField(b, tableText, s)
	}
	return b
}

func (e *encoder) function(m profile.Method, kind profile.FrameKind) []byte {
	name := e.o.Names.Method(m, kind)
	b := varint(nil, functionName, e.text(name))
	if m.Descriptor != "" {
		b = varint(b, functionSystem, e.text(e.o.Names.SystemName(m)))
		b = varint(b, functionFile, e.text(m.SourceFile()))
	}
	return b
}

// message returns a link. That of no request is empty: viewers refuse one of zeros.
func (l link) message() []byte {
	if l == (link{}) {
		return nil
	}
	trace := slices.Concat(binary.BigEndian.AppendUint64(nil, uint64(l.high)), binary.BigEndian.AppendUint64(nil, uint64(l.low)))
	return field(field(nil, linkTrace, trace), linkSpan, binary.BigEndian.AppendUint64(nil, uint64(l.span)))
}

func (e *encoder) attribute(a attribute) []byte {
	if a.key == "" {
		return nil
	}
	const anyInt = 3
	value := textField(nil, anyString, a.text)
	if a.text == "" {
		value = protowire.AppendVarint(protowire.AppendTag(nil, anyInt, protowire.VarintType), uint64(a.number))
	}
	return field(varint(nil, attributeKey, e.text(a.key)), attributeValue, value)
}
