// Package profiletest has profiles and recordings that nobody would make, for the tests of what
// reads and writes profiles: stacks without frames and with 65,535, names that break formats,
// numbers that overflow, keys that lead nowhere, types whose fields are others than expected.
package profiletest

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// Names are names of classes, methods and threads that break what is careless with them.
var Names = []string{
	"", " ", "  ", ";", "a;b", "a 1", "1", "-1", "#a", "[unknown]", "\n", "a\nb 7\nc", "\r\n", "\r", "\t", "\x00", "\x1b[31m", "\x7f", "\u0085",
	"\u2028", "\u2029", "\u202e", "\ufeff", "\"", `\`, `\"`, `\u0000`, "'", "`", "<script>alert(1)</script>", "</script>", "<!--", "]]>", "&lt;", "{{data}}", "{{app}}", "${x}",
	"a/", "/", "a/b/", ".", "..", "a.b", "()", "(", "%s%d", "\xff", "a\xffb", "a\xfeb", "\xed\xa0\xbd", "\xed\xb8\x80", "\xc0\x80", "\ufffd", "a\ufffdb", "😀", "\U0010ffff", "_[j]", "a_[0]_[k]",
	"constructor", "__proto__", "toString", "=1+1", "@a", strings.Repeat("x", 1<<16), strings.Repeat("日", 1<<14) + ";",
}

// MaxDepth is the greatest number of frames of a stack that virtual machines record.
const MaxDepth = 65_535

// wall is a kind of two values, as others have it.
var (
	wall  = profile.Kind{Name: "wall", Title: "Wall-clock time", Values: []profile.ValueType{{Name: "samples", Unit: profile.Count}, {Name: "wall", Unit: profile.Nanoseconds}}, Sampled: true}
	alloc = profile.Kind{Name: "alloc", Title: "Allocated memory", Values: []profile.ValueType{{Name: "objects", Unit: profile.Count}, {Name: "bytes", Unit: profile.Bytes}}}
)

// builder makes a profile of a kind.
type builder struct {
	*profile.Profile
	kind string
}

func newBuilder(k profile.Kind) builder {
	b := builder{profile.New(), k.Name}
	b.AddKind(k)
	b.AddSpan(time.Unix(1_700_000_000, 0), time.Unix(1_700_000_010, 0))
	return b
}

// stack returns a stack of frames of Java.
func (b builder) stack(methods ...string) (s profile.StackID) {
	for _, m := range methods {
		s = b.Push(s, b.AddFrame(profile.Frame{Method: profile.Method{Class: "a/B", Name: m, Descriptor: "()V"}, Line: 1, Kind: profile.JITCompiled}))
	}
	return s
}

// thread returns the labels of a thread.
func (b builder) thread(name string) profile.LabelsID {
	return b.AddLabels(profile.Labels{Thread: name, ThreadID: 1})
}

// profiles are the profiles by name.
var profiles = []struct {
	name string
	kind profile.Kind
	fill func(b builder)
}{
	{"empty", wall, func(builder) {}},
	{"nothing weighs", wall, func(b builder) { b.Add(b.kind, b.stack("a"), b.thread("t"), 0, 0) }},
	{"no stack", wall, func(b builder) { b.Add(b.kind, 0, b.AddLabels(profile.Labels{}), 1, 5) }},
	{"names", alloc, names},
	{"lines", wall, func(b builder) {
		for _, line := range []int32{0, 1, 65_535, math.MaxInt32} {
			b.Add(b.kind, b.Push(0, b.AddFrame(profile.Frame{Method: profile.Method{Class: "A", Name: "a", Descriptor: "()V"}, Line: line, Kind: profile.Interpreted})), b.thread("t"), 1, 1)
		}
	}},
	{"labels", alloc, func(b builder) {
		for _, n := range []int64{math.MinInt64, -1, 0, 1, math.MaxInt64} {
			b.Add(b.kind, b.stack("a"), b.AddLabels(profile.Labels{Thread: "t", ThreadID: n, SpanID: n, TraceHigh: n, TraceLow: -n}), 1, 1)
		}
	}},
	{"sums overflow", wall, func(b builder) {
		for _, method := range []string{"a", "b", "c"} {
			for _, thread := range []string{"t", "u"} {
				b.Add(b.kind, b.stack("main", method), b.thread(thread), math.MaxInt64, math.MaxInt64-1)
				b.Add(b.kind, b.stack("main", method), b.thread(thread), 1, math.MaxInt64)
			}
		}
	}},
	{"negative", wall, func(b builder) {
		for i, n := range []int64{-1, math.MinInt64, math.MinInt64, 7, math.MaxInt64} {
			b.Add(b.kind, b.stack("main", strconv.Itoa(i)), b.thread("t"), n, n)
		}
	}},
	{"time before time", wall, func(b builder) {
		b.AddSpan(time.Unix(-1<<40, 0), time.Unix(0, math.MaxInt64))
		b.Add(b.kind, b.stack("a"), b.thread("t"), 1, 1)
	}},
	{"recursion", wall, func(b builder) { b.deep(MaxDepth, func(int) string { return "a" }) }},
	{"ring", wall, func(b builder) { b.deep(1000, func(i int) string { return []string{"a", "b", "c"}[i%3] }) }},
	{"deep", wall, func(b builder) { b.deep(longtest.Cases(4000, MaxDepth), strconv.Itoa) }},
	{"unknown kind", profile.Kind{Name: "</script>\"\n;\xff", Title: "\x00<b>", Values: []profile.ValueType{{Name: "\xff\n", Unit: "\"furlongs\""}}}, func(b builder) {
		b.AddNote("</script>%d%s\xff\n")
		b.Add(b.kind, b.stack("a"), b.thread("t"), 1)
	}},
}

// names adds stacks and labels of all names, in all places.
func names(b builder) {
	kinds := []profile.FrameKind{profile.Unknown, profile.Interpreted, profile.JITCompiled, profile.Inlined, profile.C1Compiled, profile.Native, profile.Cpp, profile.Kernel, profile.Text}
	at := func(i int) string { return Names[i%len(Names)] }
	for i, name := range Names {
		for _, m := range []profile.Method{{Name: name}, {Class: name}, {Class: name, Name: at(i + 1)}, {Class: at(i + 2), Name: name, Descriptor: "()V"}, {Class: "a/B", Name: "c", Descriptor: name}} {
			if len(name) > 1000 && m.Name == "" {
				continue
			}
			f := b.AddFrame(profile.Frame{Method: m, Line: int32(i), Kind: kinds[i%len(kinds)]})
			s := b.Push(b.Push(0, f), b.AddText("end"))
			b.Add(b.kind, s, b.AddLabels(profile.Labels{Thread: name, State: at(i + 3), Class: at(i + 4)}), 1, int64(i))
			b.Add(b.kind, b.Push(0, f), b.AddLabels(profile.Labels{Thread: at(i + 5), ThreadID: int64(i), Class: name}), 1, 1)
		}
	}
}

// deep adds a stack of a depth, whose frame in the middle was met running, too.
func (b builder) deep(depth int, name func(i int) string) {
	s := profile.StackID(0)
	for i := range depth {
		s = b.Push(s, b.AddFrame(profile.Frame{Method: profile.Method{Class: "a/B", Name: name(i), Descriptor: "()V"}, Kind: profile.JITCompiled}))
		if i == depth/2 {
			b.Add(b.kind, s, b.thread("t"), 1, 1)
		}
	}
	b.Add(b.kind, s, b.thread("t"), 1, 1)
}

// Profiles runs a test for each of the profiles, and for all of them merged.
func Profiles(t *testing.T, test func(t *testing.T, p *profile.Profile)) {
	t.Helper()
	all := profile.New()
	for _, p := range profiles {
		b := newBuilder(p.kind)
		p.fill(b)
		t.Run(p.name, func(t *testing.T) { test(t, b.Profile) })
		if longtest.Enabled() || p.name != "recursion" {
			all.Merge(b.Profile)
		}
	}
	t.Run("all", func(t *testing.T) { test(t, all) })
}
