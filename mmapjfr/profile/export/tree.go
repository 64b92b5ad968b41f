package export

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// leastShare is the share of all that a frame must have to be drawn.
const leastShare = 0.005

// writeTree draws a tree for terminals: of the frames that one has called, those that weigh most
// first. A line counts the frames that are too small to be drawn.
//
//	100.0%  360ms
//	├─ 61.1%  220ms  java/lang/Thread.run
//	│  └─ 30.6%  110ms  gen/Loaders$Loaded.run
//	└─ 27.8%  100ms  gen/Stacks.hash
func writeTree(w io.Writer, p *profile.Profile, o *Options) error {
	c := p.Column(o.Column)
	t := p.Tree(profile.TreeOptions{Names: o.Names, Columns: []profile.Column{c}})
	d := drawing{t: t, name: o.Name, number: o.Number, out: bufio.NewWriter(w), children: make([][]int32, len(t.Nodes))}
	if d.number == nil {
		d.number = func(n int64) string { return strconv.FormatInt(n, 10) }
		if c.Kind.Values[c.Value].Unit == profile.Nanoseconds {
			d.number = func(n int64) string { return time.Duration(n).String() }
		}
	}
	for i := 1; i < len(t.Nodes); i++ {
		parent := t.Nodes[i].Parent
		d.children[parent] = append(d.children[parent], int32(i))
	}
	d.line(0, "", "")
	d.draw()
	return d.out.Flush()
}

type drawing struct {
	t        *profile.Tree
	name     func(string) string // nil writes names as they are
	number   func(int64) string
	out      *bufio.Writer
	children [][]int32
}

// line writes a node.
func (d *drawing) line(node int32, lead, branch string) {
	n := &d.t.Nodes[node]
	name := n.Name
	if d.name != nil {
		name = d.name(name)
	}
	_, _ = d.out.WriteString(strings.TrimRight(lead+branch+d.share(n.Total[0])+"  "+d.number(n.Total[0])+"  "+name, " ") + "\n")
}

func (d *drawing) share(n int64) string {
	share := 0.0
	if all := d.t.Nodes[0].Total[0]; all > 0 {
		share = 100 * float64(n) / float64(all)
	}
	return strconv.FormatFloat(share, 'f', 1, 64) + "%"
}

// mostDepth is how many frames of a stack are drawn. Each takes a longer line than its caller.
const mostDepth = 1024

// draw writes what the root has called, without recursion: stacks may be deep.
func (d *drawing) draw() {
	type branch struct {
		node  int32
		depth int
		lead  string
		last  bool
	}
	var todo []branch
	push := func(node int32, depth int, lead string) {
		shown := d.shown(node)
		if depth == mostDepth && len(shown) > 0 {
			_, _ = d.out.WriteString(lead + "└─ (more than " + strconv.Itoa(mostDepth) + " deep)\n")
			return
		}
		if small := len(d.children[node]) - len(shown); small > 0 && len(shown) > 0 {
			todo = append(todo, branch{-int32(small), depth + 1, lead, true})
		}
		for i, c := range slices.Backward(shown) {
			todo = append(todo, branch{c, depth + 1, lead, i == len(d.children[node])-1})
		}
	}
	for push(0, 0, ""); len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		mark, lead := "├─ ", b.lead+"│  "
		if b.last {
			mark, lead = "└─ ", b.lead+"   "
		}
		if b.node < 0 {
			_, _ = d.out.WriteString(b.lead + mark + "(" + strconv.Itoa(int(-b.node)) + " smaller)\n")
			continue
		}
		d.line(b.node, b.lead, mark)
		push(b.node, b.depth, lead)
	}
}

// shown returns the callees of a node that are drawn.
func (d *drawing) shown(node int32) (list []int32) {
	least := leastShare * float64(d.t.Nodes[0].Total[0])
	for _, c := range d.children[node] {
		if n := d.t.Nodes[c].Total[0]; n > 0 && float64(n) >= least {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(d.t.Nodes[b].Total[0], d.t.Nodes[a].Total[0]) })
	return list
}
