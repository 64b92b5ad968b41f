// Package collapsed writes and reads profiles as collapsed stacks: a line for each stack, its frames from
// the outermost on, and a number.
//
//	java/lang/Thread.run_[j];app/Main.work_[j];app/Main.hash_[i] 42
//
// Flame graph scripts, speedscope and others read them. A suffix says how a method was executed,
// as async-profiler has it: _[0] interpreted, _[j] compiled, _[i] inlined, _[1] compiled by C1,
// _[k] in the kernel.
//
// A line that compares two profiles has two numbers, as difffolded.pl and jfrconv write it.
package collapsed

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// Options say how stacks are written.
type Options struct {
	profile.TreeOptions
	// Column is the number of each line.
	Column profile.Column
	// Base is a profile to compare with; nil for none. Each line has its number, and then that of
	// the profile: 0 for stacks that only one of them has.
	Base *profile.Profile
	// Plain leaves out the suffixes of frames.
	Plain bool
}

var suffixes = map[profile.FrameKind]string{
	profile.Interpreted: "_[0]", profile.JITCompiled: "_[j]", profile.Inlined: "_[i]",
	profile.C1Compiled: "_[1]", profile.Kernel: "_[k]",
}

// frameText makes one frame and one line of any name.
var frameText = strings.NewReplacer(";", ":", "\n", " ", "\r", " ")

// bufferSize is how many bytes are written at a time: lines can have thousands, and files billions.
const bufferSize = 256 << 10

// Write writes the stacks of a profile, in the order of their names. Stacks that weigh nothing are
// left out, and so are events without a stack.
func Write(w io.Writer, p *profile.Profile, o Options) error {
	o.Column = p.Column(o.Column)
	o.Columns = []profile.Column{o.Column}
	if o.Base != nil {
		kind := *o.Column.Kind
		kind.Name = "base of " + kind.Name
		o.Columns = append(o.Columns, profile.Column{Kind: &kind, Value: o.Column.Value})
		both := profile.New()
		both.Merge(p)
		both.MergeAs(o.Base, func(kind string) string { return "base of " + kind })
		p = both
	}
	t := p.Tree(o.TreeOptions)
	out := bufio.NewWriterSize(w, bufferSize)
	paths := make([]int, len(t.Nodes)) // the lengths of the lines of nodes
	var line []byte
	for i, n := range t.Nodes[1:] {
		start := paths[n.Parent]
		line = line[:start]
		if start > 0 {
			line = append(line, ';')
		}
		name := n.Name
		if strings.IndexByte(name, ';') >= 0 || strings.IndexByte(name, '\n') >= 0 || strings.IndexByte(name, '\r') >= 0 {
			name = frameText.Replace(name)
		}
		line = append(line, name...)
		if !o.Plain {
			line = append(line, suffixes[n.Kind]...)
		}
		paths[i+1] = len(line)
		if slices.Max(n.Self) > 0 {
			_, _ = out.Write(line)
			for _, weight := range slices.Backward(n.Self) {
				_ = out.WriteByte(' ')
				_, _ = out.WriteString(strconv.FormatInt(max(weight, 0), 10))
			}
			_ = out.WriteByte('\n')
		}
	}
	return out.Flush()
}
