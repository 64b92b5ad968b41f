package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/internal/profiles"
	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/proto"
)

// The numbers of fields, as in profile.proto of github.com/google/pprof.
const (
	profileSampleType, profileSample, profileMapping, profileLocation, profileFunction, profileString = 1, 2, 3, 4, 5, 6
	profileTime, profileDuration, profilePeriodType, profileComment, profileDefaultType               = 9, 10, 11, 13, 14

	valueType, valueUnit                        = 1, 2
	sampleLocation, sampleValue, sampleLabel    = 1, 2, 3
	labelKey, labelText, labelNumber, labelUnit = 1, 2, 3, 4
	mappingID, mappingFile                      = 1, 5
	mappingHasFunctions, mappingHasInline       = 7, 10
	mappingHasFiles, mappingHasLines            = 8, 9
	locationID, locationMapping                 = 1, 2
	locationAddress, locationLine               = 3, 4
	lineFunction, lineNumber                    = 1, 2
	functionID, functionName                    = 1, 2
	functionSystem, functionFile                = 3, 4
)

// writePprof writes a profile, compressed with gzip. The first kind is what pprof shows unless asked. A
// file of one kind has a period type, by which servers tell profiles apart.
func writePprof(w io.Writer, p *profile.Profile, o *Options) error {
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
	e := pprofWriter{w: out, p: p, o: o, columns: p.Columns(), texts: proto.NewTable("")}
	e.head()
	e.locations()
	e.samples()
	for _, text := range e.texts.List {
		e.flush(proto.Text(e.buf[:0], profileString, text))
	}
	_ = pipe.CloseWithError(cmp.Or(e.err, out.Flush())) // returns no error
	return cmp.Or(<-compressed, z.Close())
}

// pprofWriter writes the messages of a file one after the other.
type pprofWriter struct {
	w       io.Writer
	err     error
	p       *profile.Profile
	o       *Options
	columns []profile.Column
	texts   *proto.Table[string]
	buf     []byte // the last message
	inner   []byte
	// labelBytes has the labels that were written, and labelsAt where, by number.
	labelBytes []byte
	labelsAt   [][2]uint32
}

// flush writes a message, and keeps its memory for the next one.
func (e *pprofWriter) flush(b []byte) {
	e.buf = b
	if e.err == nil {
		_, e.err = e.w.Write(b)
	}
}

// message writes a field of the profile.
func (e *pprofWriter) message(field proto.Field, content []byte) {
	e.flush(proto.Message(e.buf[:0], field, content))
	e.inner = content[:0]
}

// head writes what is about the whole profile.
func (e *pprofWriter) head() {
	for _, c := range e.columns {
		b := proto.Int(e.inner[:0], valueType, e.texts.ID(e.o.valueName(c)))
		e.message(profileSampleType, proto.Int(b, valueUnit, e.texts.ID(string(c.Kind.Values[c.Value].Unit))))
	}
	b := e.buf[:0]
	if start, end := e.p.Span(); !start.IsZero() {
		b = proto.Int(b, profileTime, start.UnixNano())
		b = proto.Int(b, profileDuration, int64(end.Sub(start)))
	}
	if len(e.columns) > 0 {
		first := e.columns[0].Kind
		b = proto.Int(b, profileDefaultType, e.texts.ID(e.o.valueName(profile.Column{Kind: first, Value: e.p.Main(first)})))
		if period := e.o.period(first); len(e.columns) == len(first.Values) && period.Name != "" {
			typ := proto.Int(proto.Int(nil, valueType, e.texts.ID(period.Name)), valueUnit, e.texts.ID(string(period.Unit)))
			b = proto.Message(b, profilePeriodType, typ)
		}
	}
	for _, text := range e.p.Notes() {
		b = proto.Int(b, profileComment, e.texts.ID(text))
	}
	e.flush(b)
}

// locations writes mappings, functions and locations. A location is a frame of the profile, and has
// its number, from 1 on.
func (e *pprofWriter) locations() {
	mappings, functions := proto.NewTable(""), proto.NewTable([3]string{}) // numbers begin with 1
	for i := range e.p.Frames() {
		f := e.p.Frame(profile.FrameID(i))
		library, lines := object(f.Method, f.Kind), int64(1)
		if library != java {
			lines = 0
		}
		mapping, isNew := mappings.Add(library)
		if isNew {
			b := proto.Int(proto.Int(e.inner[:0], mappingID, mapping), mappingFile, e.texts.ID(library))
			b = proto.Int(proto.Int(b, mappingHasFunctions, 1), mappingHasFiles, lines)
			e.message(profileMapping, proto.Int(proto.Int(b, mappingHasLines, lines), mappingHasInline, lines))
		}
		name := e.o.Names.Frame(profile.Frame{Method: f.Method, Kind: f.Kind}) // without the line
		system := profiles.SystemName(e.o.Names, f.Method)
		key := [3]string{name, system, javaname.SourceFile(f.Method.Class, f.Method.Descriptor)}
		function, isNew := functions.Add(key)
		if isNew {
			b := proto.Int(proto.Int(e.inner[:0], functionID, function), functionName, e.texts.ID(name))
			if system != name { // pprof would take it for a name of C++
				b = proto.Int(b, functionSystem, e.texts.ID(system))
			}
			e.message(profileFunction, proto.Int(b, functionFile, e.texts.ID(key[2])))
		}
		line := proto.Int(proto.Int(nil, lineFunction, function), lineNumber, int64(max(f.Line, 0)))
		b := proto.Int(proto.Int(e.inner[:0], locationID, int64(i+1)), locationMapping, mapping)
		e.message(profileLocation, proto.Message(b, locationLine, line))
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
	case m.Class != "" && m.Descriptor == "" && (kind > profile.Native || kind == profile.Native && !javaname.IsClass(m.Class)):
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
func (e *pprofWriter) samples() {
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
		b := proto.Message(e.inner[:0], sampleLocation, path.locations(s.Stack))
		packed = packed[:0]
		for _, v := range values {
			packed = protowire.AppendVarint(packed, uint64(v))
		}
		b = proto.Message(b, sampleValue, packed)
		e.message(profileSample, append(b, e.labelsOf(s.Labels)...))
		clear(values)
	}
}

// labelsOf returns the labels of samples as they are written.
func (e *pprofWriter) labelsOf(id profile.LabelsID) []byte {
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
func (e *pprofWriter) labels(dst []byte, l profile.Labels) []byte {
	l.Class = profiles.ObjectName(e.o.Names, l.Class)
	list := allLabels(l)
	if e.o.Grafana {
		list = grafanaLabels(l)
	}
	for _, x := range list {
		b := proto.Int(proto.Int(nil, labelKey, e.texts.ID(x.key)), labelText, e.texts.ID(x.text))
		dst = proto.Message(dst, sampleLabel, proto.Int(b, labelNumber, x.number))
	}
	return dst
}
