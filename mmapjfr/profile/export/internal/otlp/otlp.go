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

	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/internal/profiles"
	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/proto"
)

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

// Options say how a profile is written.
type Options struct {
	// Names say how functions and classes of objects are named.
	Names profile.Names
	// Service is the name of the service that was recorded: the resource attribute service.name.
	Service string
}

// Write writes a profile. OpenTelemetry has one value in a profile: there is one for each value of
// each kind, and all share their tables. Equal stacks and labels are one sample, which has a value for
// each time if the profile has times.
func Write(w io.Writer, p *profile.Profile, o Options) error {
	e := encoder{
		p: p, o: &o, texts: proto.NewTable(""), attributes: proto.NewTable(attribute{}),
		links: proto.NewTable(link{}), stacks: proto.NewTable(profile.StackID(0)),
	}
	resource := proto.Message(nil, resourceResource, e.resource())
	resource = proto.Message(resource, resourceScopes, e.scope())
	out := bufio.NewWriter(w)
	_, _ = out.Write(proto.Message(nil, dataResources, resource))
	_, _ = out.Write(proto.Message(nil, dataDictionary, e.dictionary()))
	return out.Flush()
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
	p          *profile.Profile
	o          *Options
	texts      *proto.Table[string]
	attributes *proto.Table[attribute]
	links      *proto.Table[link]
	stacks     *proto.Table[profile.StackID]
}

// text returns the number of a string, whose bytes need not be valid.
func (e *encoder) text(s string) int64 {
	return e.texts.ID(strings.ToValidUTF8(s, "\uFFFD"))
}

func (e *encoder) resource() []byte {
	name := e.o.Service
	if name == "" {
		name = "unknown_service:java"
	}
	b := proto.Text(nil, keyValueKey, "service.name")
	return proto.Message(nil, resourceAttribute, proto.Message(b, keyValueValue, proto.Text(nil, anyString, name)))
}

// scope returns the profiles: one for each value.
func (e *encoder) scope() []byte {
	b := proto.Message(nil, scopeScope, proto.Text(nil, scopeName, "github.com/mmapjfr/jfr"))
	for _, c := range e.p.Columns() {
		b = proto.Message(b, scopeProfiles, e.profile(c))
	}
	return b
}

func (e *encoder) profile(c profile.Column) []byte {
	v := c.Kind.Values[c.Value]
	typ := proto.Int(proto.Int(nil, typeName, e.text(v.Name)), typeUnit, e.text(string(v.Unit)))
	b := proto.Message(nil, profileType, typ)
	events, weight, main := int64(0), int64(0), e.p.Main(c.Kind)
	for s := range e.p.Samples() {
		if s.Kind.Name == c.Kind.Name {
			events, weight = saturate.Add(events, s.Values[0]), saturate.Add(weight, s.Values[main])
		}
	}
	for _, s := range e.samples(c) {
		b = proto.Message(b, profileSample, e.sample(s))
	}
	if start, end := e.p.Span(); !start.IsZero() {
		b = proto.Fixed(b, profileTime, uint64(start.UnixNano()))
		b = proto.Int(b, profileDuration, int64(end.Sub(start)))
	}
	period := c.Kind.Values[main]
	b = proto.Message(b, profilePeriodType, proto.Int(proto.Int(nil, typeName, e.text(c.Kind.Name)), typeUnit, e.text(string(period.Unit))))
	if c.Kind.Sampled && events > 0 {
		b = proto.Int(b, profilePeriod, weight/events) // Pyroscope multiplies numbers of samples by it
	} else {
		b = proto.Int(b, profilePeriod, 1)
	}
	return proto.Text(b, profileFormat, "jfr")
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
		key.labels.Class = profiles.ObjectName(e.o.Names, key.labels.Class)
		n, ok := ids[key]
		if !ok {
			n = len(list)
			ids[key] = n
			list = append(list, sample{sampleKey: key})
		}
		value := s.Values[c.Value]
		switch {
		case profiles.HasTimes(e.p):
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
	b := proto.Int(nil, sampleStack, e.stacks.ID(s.stack))
	var list []int64
	add := func(key, text string, n int64) {
		if text != "" || n != 0 {
			list = append(list, e.attributes.ID(attribute{key, text, n}))
		}
	}
	add("thread.name", l.Thread, 0)
	add("thread.id", "", l.ThreadID)
	add("jfr.thread.state", l.State, 0)
	add("jfr.class", l.Class, 0)
	b = proto.Packed(b, sampleAttributes, list...)
	b = proto.Int(b, sampleLink, e.links.ID(link{l.TraceHigh, l.TraceLow, l.SpanID}))
	b = proto.Packed(b, sampleValues, s.values...)
	if len(s.times) == 0 {
		return b
	}
	var times []byte
	for _, at := range s.times {
		times = protowire.AppendFixed64(times, at)
	}
	return proto.Message(b, sampleTimes, times)
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
	b := proto.Message(nil, tableMapping, nil)
	b = proto.Message(b, tableLocation, nil)
	functions := proto.NewTable[profile.Method]() // after entry 0, which is empty
	var kinds []profile.FrameKind
	for i := range e.p.Frames() {
		f := e.p.Frame(profile.FrameID(i))
		function, isNew := functions.Add(f.Method)
		if isNew {
			kinds = append(kinds, f.Kind)
		}
		location := proto.Message(nil, locationLine, proto.Int(proto.Int(nil, lineFunction, function+1), lineNumber, int64(max(f.Line, 0))))
		var attributes []int64
		if typ := frameType(f.Method, f.Kind); typ != "" {
			attributes = append(attributes, e.attributes.ID(attribute{"profile.frame.type", typ, 0}))
		}
		if kind := f.Kind.String(); kind != "" {
			attributes = append(attributes, e.attributes.ID(attribute{"jfr.frame.type", kind, 0}))
		}
		b = proto.Message(b, tableLocation, proto.Packed(location, locationAttributes, attributes...))
	}
	b = proto.Message(b, tableFunction, nil)
	for i, m := range functions.List {
		b = proto.Message(b, tableFunction, e.function(m, kinds[i]))
	}
	for _, s := range e.stacks.List {
		var locations []int64
		for f := range e.p.Stack(s) {
			locations = append(locations, int64(f)+1)
		}
		b = proto.Message(b, tableStack, proto.Packed(nil, stackLocations, locations...))
	}
	for _, l := range e.links.List {
		b = proto.Message(b, tableLink, l.message())
	}
	for _, a := range e.attributes.List {
		b = proto.Message(b, tableAttribute, e.attribute(a))
	}
	for _, s := range e.texts.List {
		b = proto.Text(b, tableText, s)
	}
	return b
}

func (e *encoder) function(m profile.Method, kind profile.FrameKind) []byte {
	b := proto.Int(nil, functionName, e.text(e.o.Names.Frame(profile.Frame{Method: m, Kind: kind})))
	if m.Descriptor != "" {
		b = proto.Int(b, functionSystem, e.text(profiles.SystemName(e.o.Names, m)))
		b = proto.Int(b, functionFile, e.text(javaname.SourceFile(m.Class, m.Descriptor)))
	}
	return b
}

// message returns a link. That of no request is empty: viewers refuse one of zeros.
func (l link) message() []byte {
	if l == (link{}) {
		return nil
	}
	trace := slices.Concat(binary.BigEndian.AppendUint64(nil, uint64(l.high)), binary.BigEndian.AppendUint64(nil, uint64(l.low)))
	return proto.Message(proto.Message(nil, linkTrace, trace), linkSpan, binary.BigEndian.AppendUint64(nil, uint64(l.span)))
}

func (e *encoder) attribute(a attribute) []byte {
	if a.key == "" {
		return nil
	}
	const anyInt = 3
	value := proto.Text(nil, anyString, a.text)
	if a.text == "" {
		value = proto.Number(nil, anyInt, uint64(a.number))
	}
	return proto.Message(proto.Int(nil, attributeKey, e.text(a.key)), attributeValue, value)
}
