package flamegraph

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
	"time"
	"unicode/utf16"

	"github.com/klauspost/compress/flate"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// How large a page, its data and the names in it may be: far more than those of a million nodes.
const (
	maxPage  = 256 << 20
	maxData  = 256 << 20
	maxNames = 128 << 20 // in UTF-16 units
)

// Detect reports whether a file with this beginning is a page of [Write] or [WriteHeatmap].
func Detect(head []byte) bool {
	return bytes.Contains(head, []byte(`<meta name="generator" content="mjfr">`))
}

// Read returns the profile of a page of [Write], or of [WriteHeatmap] without times; of a page that
// compares two profiles the newer one. Names of frames are as they were written. Errors match
// [profile.ErrFormat], and have the offset in the data once it is unpacked, or are those of the reader.
func Read(r io.Reader) (*profile.Profile, error) {
	damaged := func(offset int, reason string) error {
		return &profile.FormatError{Offset: int64(offset), Reason: reason}
	}
	page, err := io.ReadAll(io.LimitReader(r, maxPage+1))
	if err != nil {
		return nil, err
	}
	_, text, ok := bytes.Cut(page, []byte(`<script type="text/plain" id="data">`))
	text, _, closed := bytes.Cut(text, []byte("</script>"))
	if !ok || !closed || len(page) > maxPage {
		return nil, damaged(0, "the page has no data of a flame graph, or has lost its end; copy it again")
	}
	data, ok := unpack(bytesOfText(text))
	if !ok {
		return nil, damaged(0, "the data of the page cannot be unpacked; copy it again")
	}
	p := profile.New()
	d := dataReader{data: data, p: p}
	if d.read(); d.failed {
		return nil, damaged(len(data)-len(d.data), "the data of the page is damaged, or of another version")
	}
	return p, nil
}

// unpack returns what writePacked has packed. It is false if that is damaged, or too much.
func unpack(packed []byte) (data []byte, ok bool) {
	data, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxData+1))
	return data, err == nil && len(data) <= maxData
}

// bytesOfText returns the bytes that textWriter wrote.
func bytesOfText(text []byte) (data []byte) {
	bits, n := uint(0), 0
	for _, c := range string(text) {
		bits |= uint(c&127) << n
		for n += 7; n >= 8; n -= 8 {
			data = append(data, byte(bits))
			bits >>= 8
		}
	}
	return data
}

// dataReader reads what encoder writes. Once it has failed it returns zeros.
type dataReader struct {
	data   []byte
	p      *profile.Profile
	failed bool

	threads []thread
	stacks  []profile.StackID // by node
	classes []profile.Labels  // by node: the class, and that it is outside of a buffer
}

func (d *dataReader) check(ok bool) bool {
	d.failed = d.failed || !ok
	return !d.failed
}

func (d *dataReader) uint() int {
	n, size := binary.Uvarint(d.data)
	if !d.check(size > 0 && n < 1<<62) {
		return 0
	}
	d.data = d.data[size:]
	return int(n)
}

func (d *dataReader) int() int64 {
	n, size := binary.Varint(d.data)
	if !d.check(size > 0) {
		return 0
	}
	d.data = d.data[size:]
	return n
}

// text returns the next bytes.
func (d *dataReader) text() []byte {
	n := d.uint()
	if !d.check(n <= len(d.data)) {
		return nil
	}
	text := d.data[:n]
	d.data = d.data[n:]
	return text
}

// uints returns numbers, each of which takes a byte or more.
func (d *dataReader) uints(n int) []int {
	if !d.check(n <= len(d.data)) {
		return nil
	}
	list := make([]int, n)
	for i := range list {
		list[i] = d.uint()
	}
	return list
}

// sums returns numbers below a limit that are written as differences.
func (d *dataReader) sums(n, limit int) []int {
	list := d.uints(n)
	for i := range list {
		if i > 0 {
			list[i] += list[i-1]
		}
		if !d.check(list[i] >= 0 && list[i] < limit) {
			return nil
		}
	}
	return list
}

// names returns sorted texts.
func (d *dataReader) names() []string {
	n := d.uint()
	common, rest := d.uints(n), d.uints(n)
	units, left := utf16.Encode([]rune(string(d.text()))), maxNames
	if d.failed {
		return nil
	}
	names, name := make([]string, n), []uint16(nil)
	for i := range names {
		left -= common[i] + rest[i]
		if !d.check(common[i] <= len(name) && rest[i] <= len(units) && left >= 0) {
			return nil
		}
		name = append(name[:common[i]:common[i]], units[:rest[i]]...)
		units = units[rest[i]:]
		names[i] = string(utf16.Decode(name))
	}
	return names
}

// read reads all but the profile to compare with.
func (d *dataReader) read() {
	var h header
	if !d.check(json.Unmarshal(d.text(), &h) == nil && h.Version == formatVersion) {
		return
	}
	for _, note := range h.Notes {
		d.p.AddNote(note)
	}
	if h.Start != 0 {
		d.p.AddSpan(time.UnixMilli(h.Start).UTC(), time.UnixMilli(h.End).UTC())
	}
	id := int64(0)
	for _, name := range d.names() {
		id += d.int()
		d.threads = append(d.threads, thread{name, id})
	}
	d.nodes(d.names())
	for _, k := range h.Kinds {
		if d.failed {
			return
		}
		d.kind(k, h.Cell > 0)
	}
}

// nodes adds the stacks of all nodes.
func (d *dataReader) nodes(names []string) {
	n := d.uint()
	frameNames, frameKinds := d.sums(n, len(names)), d.uints(n)
	n = d.uint()
	ups, frames := d.uints(n), d.uints(n)
	if !d.check(n < profile.MaxStacks) {
		return
	}
	d.stacks, d.classes = make([]profile.StackID, n+1), make([]profile.Labels, n+1)
	numbers := make(map[int]profile.FrameID)
	path := []int{0}
	for i, frame := range frames {
		if !d.check(ups[i] < len(path) && frame < len(frameNames) && len(path)-ups[i] <= profile.MaxDepth) {
			return
		}
		path = path[:len(path)-ups[i]]
		caller := path[len(path)-1]
		path = append(path, i+1)
		name, kind := names[frameNames[frame]], frameKinds[frame]
		switch {
		case kind == int(classFrame) || kind == int(outsideFrame):
			d.stacks[i+1], d.classes[i+1] = d.stacks[caller], profile.Labels{Class: name}
			if kind == int(outsideFrame) {
				d.classes[i+1].State = profile.OutsideTLAB
			}
			continue
		case !d.check(kind <= int(profile.Text)):
			return
		}
		f, ok := numbers[frame]
		if !ok {
			f = d.p.AddFrame(d.p.NamedFrame(name, profile.FrameKind(kind)))
			numbers[frame] = f
		}
		d.stacks[i+1] = d.p.Push(d.stacks[caller], f)
	}
}

// kind adds the samples of a kind.
func (d *dataReader) kind(k headerKind, cells bool) {
	kind := profile.Kind{Name: k.Name, Title: k.Title}
	for _, v := range k.Values {
		kind.Values = append(kind.Values, profile.ValueType{Name: v.Name, Unit: v.Unit})
	}
	const most = 3
	if !d.check(len(kind.Values) > 0 && len(kind.Values) <= most) {
		return
	}
	for _, known := range profile.Kinds() {
		if known.Name == kind.Name && slices.Equal(known.Values, kind.Values) {
			kind.Sampled = known.Sampled
		}
	}
	if !d.check(!slices.ContainsFunc(d.p.Kinds(), func(k profile.Kind) bool { return k.Name == kind.Name })) {
		return
	}
	d.p.AddKind(kind)
	n := d.uint()
	threads, sizes := d.sums(n, len(d.threads)), d.uints(n)
	var groups []int // the thread of each row
	for i, n := range sizes {
		if !d.check(n <= len(d.data)-len(groups)) {
			return
		}
		groups = append(groups, slices.Repeat(threads[i:i+1], n)...)
	}
	if cells {
		d.uints(len(groups))
	}
	nodes := d.uints(len(groups))
	for i := range nodes {
		if i > 0 && groups[i] == groups[i-1] && !cells {
			nodes[i] += nodes[i-1]
		}
		if !d.check(nodes[i] >= 0 && nodes[i] < len(d.stacks)) {
			return
		}
	}
	columns := make([][]int64, len(kind.Values))
	for i := range columns {
		if i > 0 {
			columns[i] = d.values(len(groups), columns[i-1], k.Values[i-1].Scale)
		} else {
			columns[i] = d.values(len(groups), nil, 1)
		}
		for j := range columns[i] {
			columns[i][j] *= k.Values[i].Scale
		}
	}
	values := make([]int64, len(columns))
	for i, node := range nodes {
		if d.failed {
			return
		}
		for j := range values {
			values[j] = columns[j][i]
		}
		l := d.classes[node]
		l.Thread, l.ThreadID = d.threads[groups[i]].name, d.threads[groups[i]].id
		d.p.Add(kind.Name, d.stacks[node], d.p.AddLabels(l), values...)
	}
}

// values returns a value of each row. They may be those of the value before, by its scale.
func (d *dataReader) values(n int, before []int64, scale int64) []int64 {
	const signed = 8
	size := d.uint()
	if size == 0 {
		if !d.check(before != nil && scale > 0) {
			return nil
		}
		same := slices.Clone(before)
		for i := range same {
			same[i] /= scale
		}
		return same
	}
	if !d.check(n <= len(d.data)) {
		return nil
	}
	list := make([]int64, n)
	for i := range list {
		if size == signed {
			list[i] = d.int()
		} else {
			list[i] = int64(d.uint())
		}
	}
	return list
}
