package profile

import (
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/engine/door"
	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/internal/weigh"
)

// Profile is what samples weigh, by stack and label. Use [New] or [Read] to make one.
type Profile struct {
	kinds   interner[string] // by name
	kindOf  []Kind           // by number
	methods interner[Method]
	frames  interner[frame]
	stacks  stackTree
	labels  interner[Labels]
	rows    interner[rowKey]
	values  [][maxValues]int64 // what samples weigh, by row
	notes   map[string]int64
	start   time.Time
	end     time.Time
	times   time.Duration // that samples are apart by; 0 if all are added up. A merged profile has the greatest
}

func init() { // package profiles lends these
	door.Open(map[string]any{
		"Innermost": (*Profile).innermost, "MergeAs": (*Profile).mergeAs, "ObjectName": Names.object, "Sort": (*Profile).sort,
		"StackAdder": stackAdder, "SystemName": Names.systemName,
		"Stacks":   func(p *Profile) int { return len(p.stacks.list) }, // the empty one included; callers have lesser numbers
		"HasTimes": func(p *Profile) bool { return p.times > 0 },
	})
}

type (
	// FrameID is the number of a frame in a profile.
	FrameID uint32
	// StackID is the number of a stack in a profile; 0 is the empty stack.
	StackID uint32
	// LabelsID is the number of the labels of samples in a profile.
	LabelsID uint32
)

// Method is a method of Java code, or a function of native code.
type Method struct {
	// Class is the name of the class with slashes, as the virtual machine has it, or of the
	// library of a function. It may be empty.
	Class string
	Name  string
	// Descriptor has the types of parameters and result as the virtual machine writes them. It
	// may be empty.
	Descriptor string
}

// Frame is a place in a method, and how the method was executed.
type Frame struct {
	Method Method
	Line   int32 // 0 if it is not known; less than 0 is an index of the bytecode with a minus
	Kind   FrameKind
}

// String returns the name of the frame as zero [Names] write it.
func (f Frame) String() string { return Names{}.Frame(f) }

// frame is a Frame with the number of its method.
type frame struct {
	method methodID
	line   int32
	kind   FrameKind
}

type methodID uint32

// FrameKind is how a method was executed.
type FrameKind uint8

// The kinds of frames. Text is the name of a frame that is no code: why something happened, or
// what was left out.
const (
	Unknown FrameKind = iota
	Interpreted
	JITCompiled
	Inlined
	C1Compiled
	Native
	Cpp
	Kernel
	Text
)

// frameKinds are the kinds by the name that recordings have for them.
var frameKinds = map[string]FrameKind{
	"Interpreted": Interpreted, "JIT compiled": JITCompiled, "Inlined": Inlined, "C1 compiled": C1Compiled,
	"Native": Native, "C++": Cpp, "Kernel": Kernel,
}

// String returns the kind as recordings name it; "" for Unknown and Text.
func (k FrameKind) String() string {
	for name, kind := range frameKinds {
		if kind == k {
			return name
		}
	}
	return ""
}

// Labels are what samples have in common besides their stack.
type Labels struct {
	// Thread is the name of the thread, and ThreadID its number in Java, or in the operating
	// system for threads that Java does not know.
	Thread   string
	ThreadID int64
	// State is the state of the thread; for old objects the root that holds them, for
	// allocations [OutsideTLAB] or "".
	State string
	// Class is the class of objects, locks or exceptions, as people write it in Java; with
	// [Options.Paths] it can be a file or an address.
	Class string
	// SpanID, and the two halves of TraceID, are those of the request that the thread served.
	SpanID, TraceHigh, TraceLow int64
}

// OutsideTLAB is the state of objects that were too large for the thread's allocation buffer.
const OutsideTLAB = weigh.OutsideTLAB

// rowKey is what the samples of a row have in common.
type rowKey struct {
	kind   uint32
	stack  StackID
	labels LabelsID
	at     int64
}

// Sample is what the samples of a kind with the same stack and labels weigh together: those of one
// length of time if the profile has times.
type Sample struct {
	Kind   *Kind
	Stack  StackID
	Labels LabelsID
	// Time is when the length of time began, in nanoseconds since 1970; 0 in a profile without times.
	Time int64
	// Values are those of the kind, see [Kind]. They must not be changed.
	Values []int64
}

// New returns an empty profile.
func New() *Profile { return &Profile{stacks: newStackTree(), notes: make(map[string]int64)} }

// AddKind adds a kind. A kind of the same name stays as it is.
func (p *Profile) AddKind(k Kind) {
	if n := p.kinds.id(k.Name); int(n) == len(p.kindOf) {
		p.kindOf = append(p.kindOf, k)
	}
}

// Kinds returns the kinds that the profile has samples of, in the order of [Kinds], then
// others by name.
//
// Samples of running threads come before those of processor time where there are more than ten times as
// many: the latter were hardly recorded.
func (p *Profile) Kinds() []Kind {
	list := slices.Clone(p.kindOf)
	slices.SortFunc(list, compareKinds)
	if len(list) > 1 && list[0].Name == weigh.CPUKind && list[1].Name == weigh.RunningKind && p.sum(&list[0], 0) < p.sum(&list[1], 0)/10 {
		list[0], list[1] = list[1], list[0]
	}
	return list
}

// sum returns the sum of a value of a kind.
func (p *Profile) sum(k *Kind, value int) (sum int64) {
	if n, ok := p.kinds.find(k.Name); ok && value < maxValues {
		for i, key := range p.rows.list {
			if key.kind == n {
				sum = saturate.Add(sum, p.values[i][value])
			}
		}
	}
	return sum
}

// Main returns the index of the value of a kind that people look at first: [Kind.Main], or the number of
// events where nothing else was recorded, as older JVMs record no sizes of objects.
func (p *Profile) Main(k *Kind) int {
	if main := k.Main(); p.sum(k, main) != 0 || p.sum(k, 0) == 0 {
		return main
	}
	return 0
}

// Span returns when the recordings of the profile began and ended; zero times if it has none.
func (p *Profile) Span() (start, end time.Time) { return p.start, p.end }

// AddSpan makes the profile one of a time, too.
func (p *Profile) AddSpan(start, end time.Time) {
	if p.start.IsZero() || !start.IsZero() && start.Before(p.start) {
		p.start = start
	}
	if end.After(p.end) {
		p.end = end
	}
}

// Notes returns sentences that people should know about the profile, such as which events were
// left out because others measure the same, or that sums are too great, in alphabetical order. It adds
// up all samples.
func (p *Profile) Notes() (list []string) {
	for text, n := range p.notes {
		list = append(list, weigh.Counted(text, n))
	}
	list = append(list, p.wrongSums()...)
	slices.Sort(list)
	return slices.Compact(list)
}

// Parts of notes about samples that are missing, and about numbers that are in doubt.
const (
	noteMissing  = " missing, as "
	noteNoStack  = " could not be recorded"
	noteNoPeriod = "nothing says what time a "
	noteTooGreat = "sums are greater than "
	noteNegative = "some numbers are negative"
	noteEstimate = " is an estimate"
)

// Warnings returns the notes that samples are missing, or that numbers are in doubt. The other ones
// explain numbers that are right.
func (p *Profile) Warnings() []string {
	return slices.DeleteFunc(p.Notes(), func(note string) bool {
		return !slices.ContainsFunc([]string{noteMissing, noteNoStack, noteNoPeriod, noteTooGreat, noteNegative, noteEstimate}, func(part string) bool {
			return strings.Contains(note, part)
		})
	})
}

// notWeighed says what is missing of kinds of which there are events alone.
var notWeighed = map[Unit]string{Bytes: "no sizes were recorded", Nanoseconds: "no times were recorded", Count: "no amounts were recorded"}

// wrongSums returns notes about kinds whose numbers are not those of profilers.
func (p *Profile) wrongSums() (list []string) {
	sums, negative := make([][maxValues]int64, len(p.kindOf)), make([]bool, len(p.kindOf))
	for i, key := range p.rows.list {
		for j, v := range p.values[i] {
			sums[key.kind][j] = saturate.Add(sums[key.kind][j], v)
			negative[key.kind] = negative[key.kind] || v < 0
		}
	}
	for i, k := range p.kindOf {
		if p.Main(&k) != k.Main() {
			list = append(list, k.Name+": "+notWeighed[k.Values[k.Main()].Unit]+", so that "+k.Values[0].Name+" are counted")
		}
		if slices.Contains(sums[i][:], math.MaxInt64) {
			list = append(list, k.Name+": "+noteTooGreat+"9,223,372,036,854,775,807, and end there")
		}
		if negative[i] {
			list = append(list, k.Name+": "+noteNegative+", as in a difference of two profiles; flame graphs and collapsed stacks leave them out")
		}
	}
	return list
}

// AddNote adds a note; twice the same is one.
func (p *Profile) AddNote(text string) { p.addNoteOf(0, text) }

// addNoteOf adds a note of a number, which stands in place of the first %d of the text. Numbers of the
// same text are added up.
func (p *Profile) addNoteOf(n int64, text string) { p.notes[text] = saturate.Add(p.notes[text], n) }

// Frame returns the frame with a number.
func (p *Profile) Frame(id FrameID) Frame {
	f := p.frames.list[id]
	return Frame{p.methods.list[f.method], f.line, f.kind}
}

// Frames returns how many frames there are. They have the numbers below.
func (p *Profile) Frames() int { return len(p.frames.list) }

// innermost returns the innermost frame of a stack, and the stack that called it. It must not be
// called for the empty stack.
func (p *Profile) innermost(s StackID) (frame FrameID, caller StackID) {
	n := p.stacks.list[s]
	return n.frame, n.parent
}

// Stack iterates over the frames of a stack and their numbers, the innermost first.
func (p *Profile) Stack(s StackID) iter.Seq2[FrameID, Frame] {
	return func(yield func(FrameID, Frame) bool) {
		for ; s != 0; s = p.stacks.list[s].parent {
			if id := p.stacks.list[s].frame; !yield(id, p.Frame(id)) {
				return
			}
		}
	}
}

// Labels returns the labels with a number.
func (p *Profile) Labels(id LabelsID) Labels { return p.labels.list[id] }

func (p *Profile) addMethod(m Method) methodID { return methodID(p.methods.id(m)) }

func (p *Profile) addFrame(f frame) FrameID { return FrameID(p.frames.id(f)) }

// AddFrame returns the number of a frame.
func (p *Profile) AddFrame(f Frame) FrameID {
	return p.addFrame(frame{p.addMethod(f.Method), f.Line, f.Kind})
}

// AddText returns the number of a frame that is a text.
func (p *Profile) AddText(text string) FrameID {
	return p.AddFrame(Frame{Method: Method{Name: text}, Kind: Text})
}

// Push returns the number of the stack that a stack becomes by calling a frame.
func (p *Profile) Push(caller StackID, f FrameID) StackID {
	return StackID(p.stacks.id(node{caller, f}))
}

// AddLabels returns the number of labels.
func (p *Profile) AddLabels(l Labels) LabelsID { return LabelsID(p.labels.id(l)) }

// Add adds a sample of a kind that AddKind has added. Values are those of the kind. Sums end at the
// greatest number there is.
func (p *Profile) Add(kind string, s StackID, l LabelsID, values ...int64) {
	p.AddAt(0, kind, s, l, values...)
}

// AddAt adds a sample as Add does, with a time as of [Sample].
func (p *Profile) AddAt(at int64, kind string, s StackID, l LabelsID, values ...int64) {
	p.add(rowKey{p.kinds.id(kind), s, l, at}, values)
}

func (p *Profile) add(key rowKey, values []int64) {
	n := p.rows.id(key)
	if int(n) == len(p.values) {
		p.values = append(p.values, [maxValues]int64{})
	}
	row := &p.values[n]
	for i, v := range values {
		row[i] = saturate.Add(row[i], v)
	}
}

// Samples iterates over all samples, in an order without a meaning.
func (p *Profile) Samples() iter.Seq[Sample] {
	return func(yield func(Sample) bool) {
		for i, key := range p.rows.list {
			k := &p.kindOf[key.kind]
			if !yield(Sample{k, key.stack, key.labels, key.at, p.values[i][:len(k.Values)]}) {
				return
			}
		}
	}
}

// Merge adds all of another profile, which stays as it is, but for stacks and labels without samples.
func (p *Profile) Merge(o *Profile) { p.mergeAs(o, func(kind string) string { return kind }) }

// mergeAs is Merge with other names of kinds, so that both profiles stay apart.
func (p *Profile) mergeAs(o *Profile, name func(kind string) string) {
	p.mergeFacts(o)
	kinds := make([]uint32, len(o.kindOf))
	for i, k := range o.kindOf {
		k.Name = name(k.Name)
		p.AddKind(k)
		kinds[i] = p.kinds.id(k.Name)
	}
	used := o.used()
	labels := make([]LabelsID, len(o.labels.list))
	for i, l := range o.labels.list {
		if used.labels[i] {
			labels[i] = p.AddLabels(l)
		}
	}
	frames := make([]FrameID, len(o.frames.list))
	for i, f := range o.frames.list {
		if used.frames[i] {
			f.method = p.addMethod(o.methods.list[f.method])
			frames[i] = p.addFrame(f)
		}
	}
	stacks := make([]StackID, len(o.stacks.list))
	for i, n := range o.stacks.list[1:] {
		if used.stacks[i+1] {
			stacks[i+1] = p.Push(stacks[n.parent], frames[n.frame])
		}
	}
	for i, key := range o.rows.list {
		k := o.kindOf[key.kind]
		p.add(rowKey{kinds[key.kind], stacks[key.stack], labels[key.labels], key.at}, o.values[i][:len(k.Values)])
	}
}

// uses says which stacks, frames and labels samples have.
type uses struct{ stacks, frames, labels []bool }

func (p *Profile) used() uses {
	u := uses{make([]bool, len(p.stacks.list)), make([]bool, len(p.frames.list)), make([]bool, len(p.labels.list))}
	for _, key := range p.rows.list {
		u.stacks[key.stack], u.labels[key.labels] = true, true
	}
	u.stacks[0] = true
	for i := len(u.stacks) - 1; i > 0; i-- { // callers have lesser numbers
		if n := p.stacks.list[i]; u.stacks[i] {
			u.stacks[n.parent], u.frames[n.frame] = true, true
		}
	}
	return u
}

// prune takes out stacks, frames and labels without samples: those of samples that do not count.
func (p *Profile) prune() {
	u := p.used()
	if slices.Contains(u.stacks, false) || slices.Contains(u.frames, false) || slices.Contains(u.labels, false) {
		q := New()
		q.Merge(p)
		*p = *q
	}
}

// mergeFacts adds all of another profile that has no numbers.
func (p *Profile) mergeFacts(o *Profile) {
	if !o.start.IsZero() || !o.end.IsZero() {
		p.AddSpan(o.start, o.end)
	}
	p.times = max(p.times, o.times)
	for text, n := range o.notes {
		p.addNoteOf(n, text)
	}
}
