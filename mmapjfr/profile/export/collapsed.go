package export

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/profiles"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

var suffixes = map[profile.FrameKind]string{
	profile.Interpreted: "_[0]", profile.JITCompiled: "_[j]", profile.Inlined: "_[i]",
	profile.C1Compiled: "_[1]", profile.Kernel: "_[k]",
}

// frameText makes one frame and one line of any name.
var frameText = strings.NewReplacer(";", ":", "\n", " ", "\r", " ")

// bufferSize is how many bytes are written at a time: lines can have thousands, and files billions.
const bufferSize = 256 << 10

// writeCollapsed writes a line for each stack, in the order of their names: its frames from the
// outermost on, and a number.
//
//	java/lang/Thread.run_[j];app/Main.work_[j];app/Main.hash_[i] 42
//
// A suffix says how a method was executed, as async-profiler has it. A line that compares two
// profiles has two numbers, as difffolded.pl and jfrconv write it. Stacks that weigh nothing are
// left out, and so are events without a stack.
func writeCollapsed(w io.Writer, p *profile.Profile, o *Options) error {
	c := p.Column(o.Column)
	tree := profile.TreeOptions{Names: o.Names, Columns: []profile.Column{c}, Classes: true}
	if o.Base != nil {
		kind := *c.Kind
		kind.Name = "base of " + kind.Name
		tree.Columns = append(tree.Columns, profile.Column{Kind: &kind, Value: c.Value})
		both := profile.New()
		both.Merge(p)
		profiles.MergeAs(both, o.Base, func(kind string) string { return "base of " + kind })
		p = both
	}
	t := p.Tree(tree)
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
