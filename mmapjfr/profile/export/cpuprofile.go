package export

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

type cpuDocument struct {
	Nodes      []cpuNode `json:"nodes"`
	StartTime  int64     `json:"startTime"`
	EndTime    int64     `json:"endTime"`
	Samples    []int32   `json:"samples"`
	TimeDeltas []int64   `json:"timeDeltas"`
}

type cpuNode struct {
	ID        int32     `json:"id"`
	CallFrame callFrame `json:"callFrame"`
	HitCount  int       `json:"hitCount"`
	Children  []int32   `json:"children,omitempty"`
}

type callFrame struct {
	FunctionName string `json:"functionName"`
	ScriptID     string `json:"scriptId"`
	URL          string `json:"url"`
	LineNumber   int    `json:"lineNumber"`
	ColumnNumber int    `json:"columnNumber"`
}

// writeCPUProfile writes the stacks of a profile as V8 does, those of one caller next to each other:
// the times of all threads are laid one after the other. Numbers that are no nanoseconds are written
// as microseconds.
func writeCPUProfile(w io.Writer, p *profile.Profile, o *Options) error {
	c := p.Column(o.Column)
	t := p.Tree(profile.TreeOptions{Names: o.Names, Columns: []profile.Column{c}})
	scale := int64(1)
	if c.Kind.Values[c.Value].Unit == profile.Nanoseconds {
		scale = 1000
	}
	d := cpuDocument{Nodes: make([]cpuNode, len(t.Nodes)+1)}
	if start, _ := p.Span(); !start.IsZero() {
		d.StartTime = start.UnixMicro()
	}
	at, delta := int64(0), int64(0) // of the tree, in its own unit
	for i := range t.Nodes {
		n := &t.Nodes[i]
		id := int32(i + 1)
		d.Nodes[i] = cpuNode{ID: id, CallFrame: newCallFrame(n.Name)}
		if i > 0 {
			d.Nodes[n.Parent].Children = append(d.Nodes[n.Parent].Children, id)
		}
		if self := n.Self[0]; self > 0 {
			d.Nodes[i].HitCount = 1
			d.Samples = append(d.Samples, id)
			d.TimeDeltas = append(d.TimeDeltas, delta)
			// A sample lasts until the next one. What a microsecond cuts off goes to the next ones.
			before := at
			at = saturate.Add(at, self)
			delta = at/scale - before/scale
		}
	}
	d.Nodes[0].CallFrame.FunctionName = "(root)"
	idle := int32(len(t.Nodes) + 1)
	d.Nodes[idle-1] = cpuNode{ID: idle, CallFrame: newCallFrame("(idle)")}
	d.Nodes[0].Children = append(d.Nodes[0].Children, idle)
	d.Samples, d.TimeDeltas = append(d.Samples, idle), append(d.TimeDeltas, delta)
	d.EndTime = saturate.Add(d.StartTime, at/scale)
	return json.NewEncoder(w).Encode(d)
}

// newCallFrame returns a frame. Its file is the class, so that viewers group methods.
func newCallFrame(name string) callFrame {
	f := callFrame{FunctionName: name, ScriptID: "0", LineNumber: -1, ColumnNumber: -1}
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		f.URL = name[:i]
	}
	return f
}
