package page

import (
	"bytes"
	"compress/flate"
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
	threads []thread
	names   []string
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
	cell         int
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
	data, err := io.ReadAll(flate.NewReader(bytes.NewReader(bytesOf(t, page, id))))
	require.NoError(t, err)
	return data
}

// bytesOf returns the bytes of an element before they are unpacked.
func bytesOf(t *testing.T, page, id string) (data []byte) {
	t.Helper()
	bits, n := 0, 0
	for _, c := range element(t, page, id) {
		require.Less(t, c, rune(256))
		bits |= int(c&127) << n
		for n += 7; n >= 8; n -= 8 {
			data = append(data, byte(bits))
			bits >>= 8
		}
	}
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
	require.Equal(t, 2, f.Version)
	for _, name := range d.names() {
		f.threads = append(f.threads, thread{name: name})
	}
	id := int64(0)
	for i := range f.threads {
		id += d.int()
		f.threads[i].id = id
	}
	f.names = d.names()
	n := d.uint()
	frameNames, frameKinds := d.sums(n), d.uints(n)
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
			set = append(set, d.kind(k, f.Cell > 0))
		}
		f.rows = append(f.rows, set)
	}
	require.Empty(t, d.data)
	return f
}

// names returns sorted texts.
func (d *decoder) names() (names []string) {
	n := d.uint()
	common, rest := d.uints(n), d.uints(n)
	units, name := utf16.Encode([]rune(d.text(d.uint()))), []uint16(nil)
	for i := range n {
		name = append(name[:common[i]:common[i]], units[:rest[i]]...)
		units = units[rest[i]:]
		names = append(names, string(utf16.Decode(name)))
	}
	require.Empty(d.t, units)
	return names
}

// sums returns numbers that are written as differences.
func (d *decoder) sums(n int) []int {
	list := d.uints(n)
	for i := 1; i < n; i++ {
		list[i] += list[i-1]
	}
	return list
}

// kind returns the rows of a kind.
func (d *decoder) kind(k headerKind, cells bool) (rows []decodedRow) {
	n := d.uint()
	threads := d.sums(n)
	for i, n := range d.uints(n) {
		for range n {
			rows = append(rows, decodedRow{thread: threads[i], values: make([]int64, len(k.Values))})
		}
	}
	if cells {
		for i := range rows {
			rows[i].cell = d.uint()
			if i > 0 && rows[i].thread == rows[i-1].thread {
				rows[i].cell += rows[i-1].cell
			}
		}
	}
	for i := range rows {
		rows[i].node = d.uint()
		if i > 0 && rows[i].thread == rows[i-1].thread && !cells {
			rows[i].node += rows[i-1].node
		}
	}
	for v := range k.Values {
		size := d.uint()
		require.Contains(d.t, []int{0, 1, 2, 4, 8}, size)
		for i := range rows {
			switch size {
			case 0:
				rows[i].values[v] = rows[i].values[v-1] / k.Values[v-1].Scale
			case 8:
				rows[i].values[v] = d.int()
			default:
				n := d.uint()
				require.Less(d.t, int64(n), int64(1)<<(8*size))
				rows[i].values[v] = int64(n)
			}
			rows[i].values[v] *= k.Values[v].Scale
		}
	}
	return rows
}
