package flamegraph

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// decoded is the data of a page.
type decoded struct {
	header
	names []string
	// nodes are name, kind and parent; node 0 is the root.
	nodes []decodedNode
	// rows are by set and kind.
	rows [][][]decodedRow
}

type decodedNode struct {
	name   string
	kind   profile.FrameKind
	parent int
}

type decodedRow struct {
	thread, node int
	values       []int64
}

// element returns the text of an element of a page, and fails if there is more than one.
func element(t *testing.T, page, id string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<script type="text/plain" id="`+id+`">`)
	require.True(t, ok, id)
	text, rest, ok := strings.Cut(rest, "</script>")
	require.True(t, ok, id)
	require.NotContains(t, rest, `id="`+id+`"`)
	return text
}

// unpacked returns the bytes of an element.
func unpacked(t *testing.T, page, id string) []byte {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(element(t, page, id))
	require.NoError(t, err)
	data, err = io.ReadAll(flate.NewReader(bytes.NewReader(data)))
	require.NoError(t, err)
	return data
}

// decoder reads data as FORMAT.md describes it, and knows nothing of the encoder.
type decoder struct {
	t    *testing.T
	data []byte
}

func (d *decoder) uint() int {
	n, size := binary.Uvarint(d.data)
	require.Positive(d.t, size)
	d.data = d.data[size:]
	return int(n)
}

func (d *decoder) int() int64 {
	n, size := binary.Varint(d.data)
	require.Positive(d.t, size)
	d.data = d.data[size:]
	return n
}

func (d *decoder) uints(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = d.uint()
	}
	return list
}

func (d *decoder) text(n int) string {
	text := string(d.data[:n])
	d.data = d.data[n:]
	return text
}

// decode returns the data of a page, all of which must be used.
func decode(t *testing.T, page string) (f decoded) {
	t.Helper()
	d := &decoder{t, unpacked(t, page, "data")}
	require.NoError(t, json.Unmarshal([]byte(d.text(d.uint())), &f.header))
	require.Equal(t, 1, f.Version)
	n := d.uint()
	common, rest := d.uints(n), d.uints(n)
	units, name := utf16.Encode([]rune(d.text(d.uint()))), []uint16(nil)
	for i := range n {
		name = append(name[:common[i]:common[i]], units[:rest[i]]...)
		units = units[rest[i]:]
		f.names = append(f.names, string(utf16.Decode(name)))
	}
	require.Empty(t, units)
	n = d.uint()
	frameNames, frameKinds := d.uints(n), d.uints(n)
	n = d.uint()
	ups, frames := d.uints(n), d.uints(n)
	f.nodes = []decodedNode{{parent: -1}}
	path := []int{0}
	for i, frame := range frames {
		path = path[:len(path)-ups[i]]
		f.nodes = append(f.nodes, decodedNode{f.names[frameNames[frame]], profile.FrameKind(frameKinds[frame]), path[len(path)-1]})
		path = append(path, i+1)
	}
	for range f.Sets {
		var set [][]decodedRow
		for _, k := range f.Kinds {
			set = append(set, d.kind(k))
		}
		f.rows = append(f.rows, set)
	}
	require.Empty(t, d.data)
	return f
}

// kind returns the rows of a kind.
func (d *decoder) kind(k headerKind) (rows []decodedRow) {
	for range d.uint() {
		thread, node := d.uint(), 0
		group := make([]decodedRow, d.uint())
		for i := range group {
			node += d.uint()
			group[i] = decodedRow{thread, node, make([]int64, len(k.Values))}
		}
		for v := range k.Values {
			for i := range group {
				group[i].values[v] = d.int() * k.Values[v].Scale
			}
		}
		rows = append(rows, group...)
	}
	return rows
}
