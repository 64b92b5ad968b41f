// Package pprof writes profiles as go tool pprof, Grafana Pyroscope and Parca read them, all
// kinds of a profile in one file, and reads such files.
package pprof

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// Options say how a profile is written.
type Options struct {
	// Names say how functions and classes of objects are named. The zero Names of functions are with
	// slashes.
	Names profile.Names
	// Comment is what go tool pprof -comments shows.
	Comment string
	// Grafana names values and labels as Grafana's parser does, for a profile of one of
	// [profile.GrafanaKinds].
	Grafana bool
}

// The numbers of fields, as in profile.proto of github.com/google/pprof.
const (
	profileSampleType, profileSample, profileMapping, profileLocation, profileFunction, profileString = 1, 2, 3, 4, 5, 6
	profileTime, profileDuration, profilePeriodType, profileComment, profileDefaultType               = 9, 10, 11, 13, 14

	valueType, valueUnit                           = 1, 2
	sampleLocation, sampleValue, sampleLabel       = 1, 2, 3
	labelKey, labelText, labelNumber, labelUnit    = 1, 2, 3, 4
	mappingID, mappingFile                         = 1, 5
	mappingHasFunctions, mappingHasInline          = 7, 10
	mappingHasFiles, mappingHasLines               = 8, 9
	locationID, locationMapping                    = 1, 2
	locationAddress, locationLine                  = 3, 4
	lineFunction, lineNumber                       = 1, 2
	functionID, functionName, functionSystem, file = 1, 2, 3, 4
)

// ValueName returns the name of a value among those of all kinds, such as "cpu" or "alloc_bytes".
func ValueName(c profile.Column) string {
	if name := c.Kind.Values[c.Value].Name; name != c.Kind.Name {
		return c.Kind.Name + "_" + name
	}
	return c.Kind.Name
}

// Write writes a profile, compressed with gzip. The first kind is what pprof shows unless asked. A
// file of one kind has a period type, by which servers tell profiles apart.
func Write(w io.Writer, p *profile.Profile, o Options) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	// Compressing takes as long as encoding: another goroutine does it.
	const ahead = 256 << 10
	in, pipe := io.Pipe()
	defer pipe.Close() // in any case
	compressed := make(chan error, 1)
	go func() {
		_, err := io.CopyBuffer(z, in, make([]byte, ahead))
		in.CloseWithError(err)
		compressed <- err
	}()
	out := bufio.NewWriterSize(pipe, ahead)
	e := encoder{w: out, p: p, o: &o, columns: profile.ColumnsOf(p.Kinds()), texts: map[string]int64{"": 0}, list: []string{""}}
	e.head()
	e.locations()
	e.samples()
	for _, text := range e.list {
		e.flush(protowire.AppendString(protowire.AppendTag(e.buf[:0], profileString, protowire.BytesType), strings.ToValidUTF8(text, "\uFFFD")))
	}
	_ = pipe.CloseWithError(cmp.Or(e.err, out.Flush())) // returns no error
	return cmp.Or(<-compressed, z.Close())
}

// encoder writes the messages of a file one after the other.
type encoder struct {
	w       io.Writer
	err     error
	p       *profile.Profile
	o       *Options
	columns []profile.Column
	texts   map[string]int64
	list    []string
	buf     []byte // the last message
	inner   []byte
	// labelBytes has the labels that were written, and labelsAt where, by number.
	labelBytes []byte
	labelsAt   [][2]uint32
}

// flush writes a message, and keeps its memory for the next one.
func (e *encoder) flush(b []byte) {
	e.buf = b
	if e.err == nil {
		_, e.err = e.w.Write(b)
	}
}

// message writes a field of the profile.
func (e *encoder) message(number protowire.Number, content []byte) {
	e.flush(protowire.AppendBytes(protowire.AppendTag(e.buf[:0], number, protowire.BytesType), content))
	e.inner = content[:0]
}

// text returns the number of a string.
func (e *encoder) text(s string) int64 {
	n, ok := e.texts[s]
	if !ok {
		n = int64(len(e.list))
		e.texts[s] = n
		e.list = append(e.list, s)
	}
	return n
}

// number appends a field, unless it is 0.
func number(dst []byte, field protowire.Number, n int64) []byte {
	if n == 0 {
		return dst
	}
	return protowire.AppendVarint(protowire.AppendTag(dst, field, protowire.VarintType), uint64(n))
}

// head writes what is about the whole profile.
func (e *encoder) head() {
	for _, c := range e.columns {
		b := number(e.inner[:0], valueType, e.text(e.o.valueName(c)))
		e.message(profileSampleType, number(b, valueUnit, e.text(string(c.Kind.Values[c.Value].Unit))))
	}
	b := e.buf[:0]
	if start, end := e.p.Span(); !start.IsZero() {
		b = number(b, profileTime, start.UnixNano())
		b = number(b, profileDuration, int64(end.Sub(start)))
	}
	if len(e.columns) > 0 {
		first := e.columns[0].Kind
		b = number(b, profileDefaultType, e.text(e.o.valueName(profile.Column{Kind: first, Value: e.p.Main(first)})))
		if period := e.o.period(first); len(e.columns) == len(first.Values) && period.Name != "" {
			typ := number(number(nil, valueType, e.text(period.Name)), valueUnit, e.text(string(period.Unit)))
			b = protowire.AppendBytes(protowire.AppendTag(b, profilePeriodType, protowire.BytesType), typ)
		}
	}
	for _, text := range append(e.p.Notes(), e.o.Comment) {
		if text != "" {
			b = number(b, profileComment, e.text(text))
		}
	}
	e.flush(b)
}

// locations writes mappings, functions and locations. A location is a frame of the profile, and has
// its number, from 1 on.
func (e *encoder) locations() {
	mappings := make(map[string]int64)
	functions := make(map[[3]string]int64)
	for i := range e.p.Frames() {
		f := e.p.Frame(profile.FrameID(i))
		m := e.p.Method(f.Method)
		library, lines := object(m, f.Kind), int64(1)
		if library != java {
			lines = 0
		}
		mapping, ok := mappings[library]
		if !ok {
			mapping = int64(len(mappings) + 1)
			mappings[library] = mapping
			b := number(number(e.inner[:0], mappingID, mapping), mappingFile, e.text(library))
			b = number(number(b, mappingHasFunctions, 1), mappingHasFiles, lines)
			e.message(profileMapping, number(number(b, mappingHasLines, lines), mappingHasInline, lines))
		}
		name, system := e.o.Names.Method(m, f.Kind), e.o.Names.SystemName(m)
		key := [3]string{name, system, m.SourceFile()}
		function, ok := functions[key]
		if !ok {
			function = int64(len(functions) + 1)
			functions[key] = function
			b := number(number(e.inner[:0], functionID, function), functionName, e.text(name))
			if system != name { // pprof would take it for a name of C++
				b = number(b, functionSystem, e.text(system))
			}
			e.message(profileFunction, number(b, file, e.text(key[2])))
		}
		line := number(number(nil, lineFunction, function), lineNumber, int64(max(f.Line, 0)))
		b := number(number(e.inner[:0], locationID, int64(i+1)), locationMapping, mapping)
		e.message(profileLocation, protowire.AppendBytes(protowire.AppendTag(b, locationLine, protowire.BytesType), line))
	}
}

const (
	java   = "java"
	kernel = "[kernel]"
)

// object returns the name of what holds a function: the library, the kernel, or java for methods.
func object(m profile.Method, kind profile.FrameKind) string {
	switch {
	case kind == profile.Kernel:
		return kernel
	case m.Class != "" && !m.IsJava(kind):
		return m.Class
	}
	return java
}

// order is where a sample comes in the file: by stack, then by labels.
type order struct {
	key   uint64
	index int
}

// samples writes the samples: those of all kinds with the same stack and labels in one message.
func (e *encoder) samples() {
	offset := make(map[string]int) // of the values of kinds
	for i, c := range e.columns {
		if c.Value == 0 {
			offset[c.Kind.Name] = i
		}
	}
	list := slices.Collect(e.p.Samples())
	orders := make([]order, len(list))
	for i, s := range list {
		orders[i] = order{uint64(s.Stack)<<32 | uint64(s.Labels), i}
	}
	slices.SortFunc(orders, func(a, b order) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.index, b.index)) })
	values := make([]int64, len(e.columns))
	path := packedPath{p: e.p}
	var packed []byte
	for i, o := range orders {
		s := list[o.index]
		first := offset[s.Kind.Name]
		for j, v := range s.Values {
			values[first+j] = saturate.Add(values[first+j], v)
		}
		if i+1 < len(orders) && orders[i+1].key == o.key {
			continue
		}
		b := protowire.AppendBytes(protowire.AppendTag(e.inner[:0], sampleLocation, protowire.BytesType), path.locations(s.Stack))
		packed = packed[:0]
		for _, v := range values {
			packed = protowire.AppendVarint(packed, uint64(v))
		}
		b = protowire.AppendBytes(protowire.AppendTag(b, sampleValue, protowire.BytesType), packed)
		e.message(profileSample, append(b, e.labelsOf(s.Labels)...))
		clear(values)
	}
}

// labelsOf returns the labels of samples as they are written.
func (e *encoder) labelsOf(id profile.LabelsID) []byte {
	for int(id) >= len(e.labelsAt) {
		e.labelsAt = append(e.labelsAt, [2]uint32{})
	}
	at := &e.labelsAt[id]
	if at[1] == 0 {
		from := len(e.labelBytes)
		e.labelBytes = e.labels(e.labelBytes, e.p.Labels(id))
		*at = [2]uint32{uint32(from), uint32(len(e.labelBytes))}
	}
	return e.labelBytes[at[0]:at[1]]
}

// label is a label of a sample: a text, or a number.
type label struct {
	key, text string
	number    int64
}

// allLabels returns the labels of a sample. None of them is empty: pprof would lose it.
func allLabels(l profile.Labels) (list []label) {
	for _, x := range []label{{"thread", l.Thread, 0}, {"thread_id", "", l.ThreadID}, {"state", l.State, 0}, {"class", l.Class, 0}} {
		if x.text != "" || x.number != 0 {
			list = append(list, x)
		}
	}
	if l.SpanID != 0 {
		list = append(list, label{"span_id", fmt.Sprintf("%016x", uint64(l.SpanID)), 0})
	}
	return append(list, traceLabel(l)...)
}

func traceLabel(l profile.Labels) []label {
	if l.TraceHigh == 0 && l.TraceLow == 0 {
		return nil
	}
	return []label{{"trace_id", fmt.Sprintf("%016x%016x", uint64(l.TraceHigh), uint64(l.TraceLow)), 0}}
}

// labels appends the labels of a sample.
func (e *encoder) labels(dst []byte, l profile.Labels) []byte {
	l.Class = e.o.Names.Object(l.Class)
	list := allLabels(l)
	if e.o.Grafana {
		list = grafanaLabels(l)
	}
	for _, x := range list {
		b := number(number(nil, labelKey, e.text(x.key)), labelText, e.text(x.text))
		dst = protowire.AppendBytes(protowire.AppendTag(dst, sampleLabel, protowire.BytesType), number(b, labelNumber, x.number))
	}
	return dst
}
