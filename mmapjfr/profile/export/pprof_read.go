package export

import (
	"bufio"
	"cmp"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/mmapjfr/jfr/internal/profiles"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

const defaultPprofBytes = 512 << 20

// Stacks have no more frames together than manyFrames and maxInlined for each byte of the file. A
// byte stands for several frames where functions are inlined.
const manyFrames, maxInlined = 4 << 20, 4

// readPprof returns the profile of a file of pprof, compressed by gzip or not, of whatever program. A
// file of [Write] gives the kinds, samples and labels back. Sample types of others become kinds:
// alloc_objects and alloc_space are the kind alloc. Of labels only those that a profile has are kept;
// a note names the others. How methods were executed is in no file of pprof.
//
// A file takes no more than some times its unpacked size in memory. Errors match [profile.ErrFormat]
// and have the offset in the unpacked file, or are those of the reader.
func readPprof(r io.Reader, o *ReadOptions) (*profile.Profile, error) {
	in := bufio.NewReader(r)
	if head, _ := in.Peek(2); string(head) == "\x1f\x8b" { // reading returns the error
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReader(z)
	}
	f, err := readFile(in, min(cmp.Or(o.MaxBytes, defaultPprofBytes), math.MaxUint32))
	if err != nil {
		return nil, err
	}
	d := pprofReader{f: f, p: profile.New(), left: manyFrames + maxInlined*f.size, unknown: make(map[string]bool)}
	for _, step := range []func() error{d.types, d.mappings, d.functions, d.locations, d.samples, d.about} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return d.p, nil
}

// pprofReader makes a profile of the fields of a file.
type pprofReader struct {
	f *fields
	p *profile.Profile

	kinds     []columns
	values    int // of each sample
	libraries map[uint64]string
	funcs     map[uint64]function
	frames    map[uint64][]profile.FrameID // of locations, the innermost first
	unknown   map[string]bool              // labels
	left      int64                        // how many frames stacks may still have
}

type function struct{ name, system string }

// damaged returns the error about a message.
func (d *pprofReader) damaged(field, i int, reason string) error {
	return &FormatError{Offset: int64(d.f.tables[field].at[i]), Reason: reason}
}

// text returns a string. It is false if that number is too great.
func (d *pprofReader) text(n uint64) (string, bool) {
	t := &d.f.tables[profileString]
	if n >= uint64(t.len()) {
		return "", n == 0
	}
	return string(t.get(int(n))), true
}

// types reads the types of values.
func (d *pprofReader) types() error {
	if t := &d.f.tables[profileString]; t.len() > 0 && len(t.get(0)) > 0 {
		return d.damaged(profileString, 0, "the first string is not empty")
	}
	t := &d.f.tables[profileSampleType]
	var list []profile.ValueType
	for i := range t.len() {
		var n [valueUnit + 1]uint64
		ok := numbersOf(t.get(i), n[:])
		name, okName := d.text(n[valueType])
		unit, okUnit := d.text(n[valueUnit])
		if !ok || !okName || !okUnit {
			return d.damaged(profileSampleType, i, "the sample type is damaged")
		}
		list = append(list, profile.ValueType{Name: name, Unit: profile.Unit(unit)})
	}
	d.kinds, d.values = kindsOf(list), len(list)
	for _, k := range d.kinds {
		d.p.AddKind(k.kind)
	}
	return nil
}

func (d *pprofReader) mappings() error {
	t := &d.f.tables[profileMapping]
	d.libraries = make(map[uint64]string, t.len())
	for i := range t.len() {
		var n [mappingFile + 1]uint64
		ok := numbersOf(t.get(i), n[:])
		name, okName := d.text(n[mappingFile])
		if _, twice := d.libraries[n[mappingID]]; !ok || !okName || n[mappingID] == 0 || twice {
			return d.damaged(profileMapping, i, "the mapping is damaged")
		}
		d.libraries[n[mappingID]] = name
	}
	return nil
}

func (d *pprofReader) functions() error {
	t := &d.f.tables[profileFunction]
	d.funcs = make(map[uint64]function, t.len())
	for i := range t.len() {
		var n [functionSystem + 1]uint64
		ok := numbersOf(t.get(i), n[:])
		name, okName := d.text(n[functionName])
		system, okSystem := d.text(n[functionSystem])
		if _, twice := d.funcs[n[functionID]]; !ok || !okName || !okSystem || n[functionID] == 0 || twice {
			return d.damaged(profileFunction, i, "the function is damaged")
		}
		d.funcs[n[functionID]] = function{name, system}
	}
	return nil
}

// locations reads the frames of each location.
func (d *pprofReader) locations() error {
	t := &d.f.tables[profileLocation]
	d.frames = make(map[uint64][]profile.FrameID, t.len())
	for i := range t.len() {
		var (
			n     [locationLine]uint64
			lines [][]byte
		)
		ok := eachField(t.get(i), func(number protowire.Number, v uint64, b []byte, isBytes bool) bool {
			switch {
			case number == locationLine:
				lines = append(lines, b)
				return isBytes && len(lines) <= maxDepth
			case number < locationLine:
				n[number] = v
				return !isBytes
			}
			return true
		})
		library, known := d.libraries[n[locationMapping]]
		if _, twice := d.frames[n[locationID]]; !ok || n[locationID] == 0 || twice || !known && n[locationMapping] != 0 {
			return d.damaged(profileLocation, i, "the location is damaged, or its mapping is missing")
		}
		frames := make([]profile.FrameID, 0, len(lines))
		for _, line := range lines {
			var n [lineNumber + 1]uint64
			ok := numbersOf(line, n[:])
			f, known := d.funcs[n[lineFunction]]
			if !ok || !known && n[lineFunction] != 0 {
				return d.damaged(profileLocation, i, "a line of the location is damaged, or its function is missing")
			}
			frames = append(frames, d.frame(f, library, n[lineNumber]))
		}
		if len(lines) == 0 { // of a program without symbols
			name := "0x" + strconv.FormatUint(n[locationAddress], 16)
			frames = append(frames, d.p.AddFrame(profile.Frame{Method: profile.Method{Class: library, Name: name}, Kind: profile.Native}))
		}
		d.frames[n[locationID]] = frames
	}
	return nil
}

// frame adds a frame.
func (d *pprofReader) frame(f function, library string, line uint64) profile.FrameID {
	m, isJava := javaMethod(f.system)
	frame := profile.Frame{}
	switch {
	case isJava:
	case strings.HasPrefix(library, kernel[:len(kernel)-1]): // such as [kernel.kallsyms]
		m, frame.Kind = profile.Method{Name: f.name}, profile.Kernel
	case library != "" && library != java:
		m, frame.Kind = profile.Method{Class: library, Name: f.name}, profile.Native
	default:
		name := f.name
		if named, _ := parseFrame(f.system); named.Class != "" { // of a profile without descriptors
			name = f.system
		}
		frame = namedFrame(name, profile.Unknown)
		m = frame.Method
	}
	frame.Method, frame.Line = m, int32(min(line, math.MaxInt32))
	return d.p.AddFrame(frame)
}

// javaMethod returns the method of a name such as a/B.m()V. It is false for others.
func javaMethod(system string) (m profile.Method, ok bool) {
	open := strings.IndexByte(system, '(')
	dot := strings.LastIndexByte(system[:max(open, 0)], '.')
	if dot <= 0 || dot+1 == open || !strings.Contains(system[open:len(system)-1], ")") {
		return m, false
	}
	return profile.Method{Class: system[:dot], Name: system[dot+1 : open], Descriptor: system[open:]}, true
}

// samples adds the samples.
func (d *pprofReader) samples() error {
	t := &d.f.tables[profileSample]
	var (
		locations []uint64
		values    []int64
	)
	for i := range t.len() {
		locations, values = locations[:0], values[:0]
		labels, wrong := profile.Labels{}, ""
		addLocation := func(n uint64) bool { // one more than can be is enough to refuse the sample
			locations = append(locations, n)
			return len(locations) <= maxDepth
		}
		addValue := func(n uint64) bool {
			values = append(values, int64(n))
			return len(values) <= most[profileSampleType]
		}
		ok := eachField(t.get(i), func(number protowire.Number, n uint64, b []byte, isBytes bool) bool {
			ok := true
			switch {
			case number == sampleLocation && isBytes:
				ok = eachVarint(b, addLocation)
			case number == sampleLocation:
				ok = addLocation(n)
			case number == sampleValue && isBytes:
				ok = eachVarint(b, addValue)
			case number == sampleValue:
				ok = addValue(n)
			case number == sampleLabel:
				ok = isBytes && d.label(b, &labels)
			}
			return ok
		})
		if len(locations) > maxDepth {
			return d.damaged(profileSample, i, tooDeep)
		}
		if !ok {
			return d.damaged(profileSample, i, "the sample is damaged")
		}
		if len(values) != d.values {
			return d.damaged(profileSample, i, "the number of its values is "+strconv.Itoa(len(values))+", and that of sample types "+strconv.Itoa(d.values))
		}
		stack := profile.StackID(0)
		if stack, wrong = d.stack(locations); wrong != "" {
			return d.damaged(profileSample, i, wrong)
		}
		d.add(stack, d.p.AddLabels(labels), values)
	}
	return nil
}

// add adds the values of a sample.
func (d *pprofReader) add(stack profile.StackID, labels profile.LabelsID, values []int64) {
	for _, k := range d.kinds {
		own := values[k.first : k.first+len(k.kind.Values)]
		if slices.ContainsFunc(own, func(n int64) bool { return n != 0 }) {
			d.p.Add(k.kind.Name, stack, labels, own...)
		}
	}
}

// stack returns the stack of locations, the innermost first, or what is wrong with them.
func (d *pprofReader) stack(locations []uint64) (stack profile.StackID, wrong string) {
	depth := 0
	for _, id := range slices.Backward(locations) {
		frames, ok := d.frames[id]
		d.left -= int64(len(frames))
		depth += len(frames)
		switch {
		case depth > maxDepth:
			return 0, tooDeep
		case !ok:
			return 0, "its location " + strconv.FormatUint(id, 10) + " is missing"
		case d.left < 0:
			return 0, "stacks have more frames than a file of this size can"
		case profiles.Stacks(d.p) > maxStacks:
			return 0, tooManyStacks
		}
		for _, f := range slices.Backward(frames) {
			stack = d.p.Push(stack, f)
		}
	}
	return stack, ""
}

// label reads a label. Other programs have other names for some.
func (d *pprofReader) label(msg []byte, l *profile.Labels) bool {
	var n [labelUnit + 1]uint64
	if !numbersOf(msg, n[:]) {
		return false
	}
	key, ok := d.text(n[labelKey])
	text, okText := d.text(n[labelText])
	if !ok || !okText {
		return false
	}
	number := int64(n[labelNumber])
	switch strings.ReplaceAll(key, " ", "_") {
	case "thread", "thread_name":
		if l.Thread = text; l.ThreadID == 0 {
			if named, ok := parseThread(text); ok { // as jfrconv writes it
				l.Thread, l.ThreadID = named.Thread, named.ThreadID
			}
		}
	case "thread_id":
		l.ThreadID = number
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			l.ThreadID = id
		}
	case "state":
		l.State = text
	case "class":
		l.Class = text
	case "span_id", "profile_id":
		if id, err := strconv.ParseUint(text, 16, 64); err == nil {
			l.SpanID = int64(id)
		}
	case "trace_id":
		if len(text) == 32 {
			high, err := strconv.ParseUint(text[:16], 16, 64)
			low, err2 := strconv.ParseUint(text[16:], 16, 64)
			if err == nil && err2 == nil {
				l.TraceHigh, l.TraceLow = int64(high), int64(low)
			}
		}
	default:
		d.unknown[key] = true
	}
	return true
}

// about reads what is about the whole profile.
func (d *pprofReader) about() error {
	if start := d.f.numbers[profileTime]; start != 0 {
		from := time.Unix(0, start).UTC()
		d.p.AddSpan(from, from.Add(time.Duration(max(d.f.numbers[profileDuration], 0))))
	}
	for _, n := range d.f.comments {
		if text, ok := d.text(uint64(n)); ok && text != "" {
			d.p.AddNote(text)
		}
	}
	if len(d.unknown) > 0 {
		var names []string
		for name := range d.unknown {
			names = append(names, name)
		}
		slices.Sort(names)
		d.p.AddNote("labels of the file are left out: " + strings.Join(names[:min(len(names), 10)], ", "))
	}
	return nil
}
