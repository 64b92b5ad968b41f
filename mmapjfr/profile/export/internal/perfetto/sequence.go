package perfetto

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/internal/profiles"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/proto"
)

// sequence is packets that share what is interned: each text, frame and stack is written once, in the
// packet that needs it first, and is a number in all packets.
type sequence struct {
	t        *tracer
	id       uint64
	defaults []byte // of all packets; nil after the first one
	interned []byte // in the next packet
	texts    map[internedText]uint64
	numbers  map[proto.Field]uint64 // how many texts there are of each field
	frames   []bool                 // by number
	stacks   []bool
}

type internedText struct {
	field proto.Field
	text  string
}

// maxInterned is how many values of fields are interned. Further ones are written where they are.
const maxInterned = 1 << 16

// newSequence makes a sequence. Samples are the defaults of its samples; nil without.
func (t *tracer) newSequence(samples []byte) *sequence {
	t.sequences++
	defaults := proto.Number(nil, defaultsClock, clockRealtime)
	if samples != nil {
		defaults = proto.Message(defaults, defaultsSample, samples)
	}
	return &sequence{t: t, id: t.sequences, defaults: defaults, texts: make(map[internedText]uint64), numbers: make(map[proto.Field]uint64)}
}

// noTime is the time of packets without one.
const noTime = -1

// write writes a packet with what has been interned for it.
func (s *sequence) write(at int64, field proto.Field, content []byte) {
	b := s.t.packet[:0]
	if at != noTime {
		b = proto.Number(b, packetTimestamp, uint64(at))
	}
	b = proto.Number(b, packetSequence, s.id)
	if s.defaults != nil {
		b = proto.Number(b, packetFlags, stateCleared|stateNeeded)
		b = proto.Message(b, packetDefaults, s.defaults)
		s.defaults = nil
	} else {
		b = proto.Number(b, packetFlags, stateNeeded)
	}
	if len(s.interned) > 0 {
		b = proto.Message(b, packetInterned, s.interned)
		s.interned = s.interned[:0]
	}
	b = proto.Message(b, field, content)
	s.t.packet = b
	var head [16]byte
	for _, part := range [][]byte{protowire.AppendVarint(protowire.AppendTag(head[:0], tracePacket, protowire.BytesType), uint64(len(b))), b} {
		if _, err := s.t.out.Write(part); err != nil && s.t.err == nil {
			s.t.err = err
		}
	}
}

// text returns the number of a text among those of a field of the interned data.
func (s *sequence) text(field proto.Field, name string) uint64 {
	key := internedText{field, name}
	n, ok := s.texts[key]
	if !ok {
		s.numbers[field]++
		n = s.numbers[field]
		s.texts[key] = n
		s.interned = proto.Message(s.interned, field, proto.Text(proto.Number(nil, iid, n), iidText, name))
	}
	return n
}

// stack returns the number of a stack that is not empty.
func (s *sequence) stack(id profile.StackID) uint64 {
	p := s.t.t.Profile
	if int(id) >= len(s.stacks) {
		s.stacks = append(s.stacks, make([]bool, profiles.Stacks(p)-len(s.stacks))...)
	}
	if s.stacks[id] {
		return uint64(id)
	}
	s.stacks[id] = true
	var frames []profile.FrameID
	for f := range p.Stack(id) {
		frames = append(frames, f)
	}
	b := proto.Number(nil, iid, uint64(id))
	for i := len(frames) - 1; i >= 0; i-- { // the outermost first
		b = proto.Number(b, callstackFrames, s.frame(frames[i]))
	}
	s.interned = proto.Message(s.interned, internedCallstacks, b)
	return uint64(id)
}

// frame returns the number of a frame.
func (s *sequence) frame(id profile.FrameID) uint64 {
	p := s.t.t.Profile
	if int(id) >= len(s.frames) {
		s.frames = append(s.frames, make([]bool, p.Frames()-len(s.frames))...)
	}
	n := uint64(id) + 1
	if s.frames[id] {
		return n
	}
	s.frames[id] = true
	f := p.Frame(id)
	b := proto.Number(proto.Number(nil, iid, n), frameFunction, s.text(internedFunctions, s.t.o.Names.Frame(f)))
	b = proto.Number(b, frameMapping, s.mapping())
	if file := javaname.SourceFile(f.Method.Class, f.Method.Descriptor); file != "" {
		b = proto.Number(b, frameSource, s.text(internedSources, file))
	}
	if f.Line > 0 {
		// Frames of one function differ by their address.
		b = proto.Number(proto.Number(b, framePC, uint64(f.Line)), frameLine, uint64(f.Line))
	}
	if kind := frameKinds[f.Kind]; kind != 0 {
		b = proto.Number(b, frameKind, kind)
	}
	s.interned = proto.Message(s.interned, internedFrames, b)
	return n
}

// frameKinds are the kinds of the format: native, kernel, interpreted and compiled.
var frameKinds = map[profile.FrameKind]uint64{
	profile.Native: 1, profile.Cpp: 1, profile.Kernel: 2, profile.Interpreted: 3,
	profile.JITCompiled: 4, profile.Inlined: 4, profile.C1Compiled: 4,
}

// mapping returns the number of the one mapping that all frames are in. Perfetto drops frames
// without.
func (s *sequence) mapping() uint64 {
	path := internedText{internedPaths, "java"}
	_, ok := s.texts[path]
	n := s.text(internedPaths, path.text)
	if !ok {
		s.interned = proto.Message(s.interned, internedMappings, proto.Number(proto.Number(nil, iid, n), mappingPath, n))
	}
	return n
}
