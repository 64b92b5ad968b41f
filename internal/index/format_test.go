package index_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// These tests keep FORMAT.md true: its examples against the files they are from,
// its headings against the comments that cite them.
//
// An example is a fenced block:
//
//	```hex testdata/NAME.jfr@0xOFFSET
//	46 4c 52 00      magic
//	03 06 49 6e 74
//	65 72 70         name: string = "Interp"; a remark
//	```
//
// Bytes and meaning are at least three spaces apart. Bytes without a meaning go
// with those of the next line. A meaning that contains " = " makes a claim:
//
//	[label: ]KIND = VALUE[; remark]
//
// says that the bytes decode, all of them, to the value; [formatClaims] has the
// kinds.
// A remark that begins with "to 0xOFFSET" claims that the value leads there from
// the first byte of the block. One that begins with "null" or "missing" after a
// key claims that there is no such constant; without it, there has to be one.
//
// A block ```clock testdata/NAME.jfr has lines "timestamp TICKS = NANOS" and
// "timespan TICKS = NANOS", for the clock of the file's first chunk.

// formatExample is a fenced block of FORMAT.md.
type formatExample struct {
	kind, file string
	section    string
	offset     int
	line       int
	lines      []string
}

var (
	fenceRE   = regexp.MustCompile("^```(hex|clock) testdata/([\\w-]+\\.jfr)(?:@(0x[0-9a-f]+))?$")
	headingRE = regexp.MustCompile(`^#{2,3} (\d(?:\.\d)?) \S`)
	rowRE     = regexp.MustCompile(`^((?:[0-9a-f]{2})(?: [0-9a-f]{2})*)(?: {3,}(\S.*))?$`)
)

// readFormat returns the examples of FORMAT.md and the numbers of its headings.
func readFormat(t *testing.T) (examples []formatExample, sections []string) {
	text, err := os.ReadFile("../../index/FORMAT.md")
	require.NoError(t, err)
	var fence *formatExample
	other := false // inside a block that is no example
	for i, line := range strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n") {
		switch {
		case fence != nil && line == "```":
			examples, fence = append(examples, *fence), nil
		case fence != nil:
			fence.lines = append(fence.lines, line)
		case other:
			other = line != "```"
		case strings.HasPrefix(line, "```"):
			m := fenceRE.FindStringSubmatch(line)
			if m == nil {
				require.Equalf(t, "```", line, "FORMAT.md:%d: no example, and no plain block", i+1)
				other = true
				continue
			}
			require.NotEmptyf(t, sections, "FORMAT.md:%d: an example before the first section", i+1)
			fence = &formatExample{kind: m[1], file: m[2], section: sections[len(sections)-1], line: i + 1}
			if fence.kind == "hex" {
				offset, err := strconv.ParseInt(m[3], 0, 64)
				require.NoErrorf(t, err, "FORMAT.md:%d", i+1)
				fence.offset = int(offset)
			}
		default:
			if m := headingRE.FindStringSubmatch(line); m != nil {
				sections = append(sections, m[1])
			}
		}
	}
	require.Nil(t, fence, "FORMAT.md ends inside an example")
	require.False(t, other, "FORMAT.md ends inside a block")
	return examples, sections
}

// formatFile is a file of testdata that examples are from.
type formatFile struct {
	data  []byte
	index *index.Index
}

func openFormatFile(t *testing.T, file string) *formatFile {
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", file))
	require.NoError(t, err)
	x, err := index.New(data)
	require.NoError(t, err)
	return &formatFile{data, x}
}

// chunk returns the chunk that the offset lies in or, if it lies after the end
// that a header vouches for, after.
func (r *formatFile) chunk(offset int) *index.Chunk {
	chunks := r.index.Chunks()
	c := chunks[0]
	for _, next := range chunks[1:] {
		if next.Offset() <= uint64(offset) {
			c = next
		}
	}
	return c
}

// metadataText returns a string of the string table of the chunk's newest metadata event.
func metadataText(c *index.Chunk, i int32) string {
	cur := wire.NewCursor(c.Data(), int(c.Header().Metadata), wire.Compressed)
	cur.Int() // size
	for range 4 {
		cur.Long() // type, start, duration, id
	}
	if n := cur.Count(); uint32(i) >= uint32(n) {
		return "none: there are " + strconv.Itoa(n)
	}
	for range i {
		cur.Text()
	}
	return strconv.Quote(string(cur.Text().Append(nil)))
}

// typeOf returns the type with that number, or of that name.
func typeOf(c *index.Chunk, id schema.TypeID, name string) *schema.Type {
	types, err := c.Types()
	if err != nil {
		return nil
	}
	if name != "" {
		return types.Named(name)
	}
	return types.ByID(id)
}

func formatDecimal[T int16 | uint16 | int32 | int64](v T, n int) (string, int) {
	return strconv.FormatInt(int64(v), 10), n
}

// formatClaims holds the kinds of values that an example can claim: each decodes the
// bytes and says how many it took.
var formatClaims = map[string]func(c *index.Chunk, b []byte) (string, int){
	"u16":   func(_ *index.Chunk, b []byte) (string, int) { return formatBigEndian(b, 2) },
	"u64":   func(_ *index.Chunk, b []byte) (string, int) { return formatBigEndian(b, 8) },
	"byte":  func(_ *index.Chunk, b []byte) (string, int) { return strconv.Itoa(int(int8(b[0]))), 1 },
	"bool":  func(_ *index.Chunk, b []byte) (string, int) { return strconv.FormatBool(b[0] != 0), 1 },
	"short": func(_ *index.Chunk, b []byte) (string, int) { return formatDecimal(wire.Compressed.Short(b)) },
	"char":  func(_ *index.Chunk, b []byte) (string, int) { return formatDecimal(wire.Compressed.Char(b)) },
	"int":   func(_ *index.Chunk, b []byte) (string, int) { return formatDecimal(wire.Compressed.Int(b)) },
	"long":  func(_ *index.Chunk, b []byte) (string, int) { return formatDecimal(wire.Compressed.Long(b)) },
	"float": func(_ *index.Chunk, b []byte) (string, int) {
		v, n := wire.Float(b)
		return strconv.FormatFloat(float64(v), 'g', -1, 32), n
	},
	"double": func(_ *index.Chunk, b []byte) (string, int) {
		v, n := wire.Double(b)
		return strconv.FormatFloat(v, 'g', -1, 64), n
	},
	"string": func(_ *index.Chunk, b []byte) (string, int) {
		v, n := wire.ReadText(b, wire.Compressed)
		if v.Encoding == wire.Null {
			return "null", n
		}
		return strconv.Quote(string(v.Append(nil))), n
	},
	"type": func(c *index.Chunk, b []byte) (string, int) {
		id, n := wire.Compressed.Long(b)
		typ := typeOf(c, schema.TypeID(id), "")
		if typ == nil {
			return "unknown", n
		}
		return fmt.Sprintf("%d %s", id, typ.Name), n
	},
	"text": func(c *index.Chunk, b []byte) (string, int) {
		i, n := wire.Compressed.Int(b)
		return metadataText(c, i), n
	},
	"key": func(_ *index.Chunk, b []byte) (string, int) { return formatDecimal(wire.Compressed.Long(b)) },
}

func formatBigEndian(b []byte, n int) (string, int) {
	if len(b) < n {
		return "", 0
	}
	wide := make([]byte, 8)
	copy(wide[8-n:], b[:n])
	return strconv.FormatUint(binary.BigEndian.Uint64(wide), 10), n
}

// checkClaim checks what the meaning says that the bytes decode to.
func (e *formatExample) checkClaim(t *testing.T, c *index.Chunk, b []byte, meaning, at string) {
	label, rest, ok := strings.Cut(meaning, " = ")
	if !ok {
		return
	}
	kind := label[strings.LastIndexByte(label, ' ')+1:]
	decode := formatClaims[kind]
	require.NotNilf(t, decode, "%s: no kind of value is called %q", at, kind)
	want, remark, _ := strings.Cut(rest, "; ")
	if q, err := strconv.QuotedPrefix(rest); err == nil {
		s, err := strconv.Unquote(q)
		require.NoErrorf(t, err, "%s", at)
		want, remark = strconv.Quote(s), strings.TrimPrefix(rest[len(q):], "; ")
	}
	got, n := decode(c, b)
	assert.Equalf(t, len(b), n, "%s: bytes of the %s", at, kind)

	if kind == "key" {
		key, name, _ := strings.Cut(want, " of ")
		assert.Equalf(t, key, got, "%s: key", at)
		checkFormatKey(t, c, key, name, remark, at)
		return
	}
	if strings.HasPrefix(want, "0x") {
		v, err := strconv.ParseUint(want, 0, 64)
		require.NoErrorf(t, err, "%s", at)
		want = strconv.FormatUint(v, 10)
	}
	assert.Equalf(t, want, got, "%s: %s", at, kind)

	if to, ok := strings.CutPrefix(remark, "to 0x"); ok {
		to, _, _ = strings.Cut(to, ",")
		v, err := strconv.Atoi(got)
		require.NoErrorf(t, err, "%s", at)
		assert.Equalf(t, to, strconv.FormatInt(int64(e.offset+v), 16), "%s: place the number leads to", at)
	}
}

// checkFormatKey checks that the type has a constant with the key, or has none if the
// remark says so.
func checkFormatKey(t *testing.T, c *index.Chunk, key, name, remark, at string) {
	typ := typeOf(c, 0, name)
	require.NotNilf(t, typ, "%s: type %q", at, name)
	k, err := strconv.ParseInt(key, 10, 64)
	require.NoErrorf(t, err, "%s", at)
	constants, err := c.Constants()
	require.NoErrorf(t, err, "%s", at)
	require.NoErrorf(t, constants.Err(), "%s", at)
	_, found := constants.Lookup(typ, k)
	null, missing := strings.HasPrefix(remark, "null"), strings.HasPrefix(remark, "missing")
	assert.Equalf(t, !null && !missing, found, "%s: there is a constant %d of %s", at, k, name)
	assert.Falsef(t, null && k != 0, "%s: only key 0 is null", at)
	assert.Falsef(t, missing && k == 0, "%s: key 0 is null, not missing", at)
}

func (e *formatExample) checkHex(t *testing.T, r *formatFile) {
	c := r.chunk(e.offset)
	offset, claimed := e.offset, 0
	var b []byte
	for i, line := range e.lines {
		at := fmt.Sprintf("FORMAT.md:%d", e.line+1+i)
		m := rowRE.FindStringSubmatch(line)
		require.NotNilf(t, m, "%s: not bytes and meaning: %q", at, line)
		row, err := hex.DecodeString(strings.ReplaceAll(m[1], " ", ""))
		require.NoErrorf(t, err, "%s", at)
		require.LessOrEqualf(t, offset+len(row), len(r.data), "%s: after the end of the file", at)
		require.Truef(t, bytes.Equal(r.data[offset:offset+len(row)], row),
			"%s: testdata/%s has % x at %#x", at, e.file, r.data[offset:offset+len(row)], offset)
		offset += len(row)
		b = append(b, row...)
		if m[2] == "" {
			continue
		}
		if strings.Contains(m[2], " = ") {
			claimed++
		}
		e.checkClaim(t, c, b, m[2], at)
		b = nil
	}
	assert.Emptyf(t, b, "FORMAT.md:%d: the last bytes have no meaning", e.line)
	assert.Positivef(t, claimed, "FORMAT.md:%d: no line claims anything", e.line)
}

var clockRE = regexp.MustCompile(`^(timestamp|timespan) (-?\d+) = (-?\d+)$`)

// checkClock computes as section 1.2 says.
func (e *formatExample) checkClock(t *testing.T, r *formatFile) {
	h := r.chunk(0).Header()
	rate := float64(h.TicksPerSecond) / 1e9
	for i, line := range e.lines {
		at := fmt.Sprintf("FORMAT.md:%d", e.line+1+i)
		m := clockRE.FindStringSubmatch(line)
		require.NotNilf(t, m, "%s: %q", at, line)
		ticks, err := strconv.ParseInt(m[2], 10, 64)
		require.NoErrorf(t, err, "%s", at)
		got := int64(math.Trunc(float64(ticks) / rate))
		if m[1] == "timestamp" {
			got = h.StartNanos + int64(math.Trunc(float64(ticks-h.StartTicks)/rate))
		}
		assert.Equalf(t, m[3], strconv.FormatInt(got, 10), "%s", at)
	}
}

func TestFormatExamplesAreInTheirFiles(t *testing.T) {
	examples, _ := readFormat(t)
	recordings := make(map[string]*formatFile)
	for _, e := range examples {
		r := recordings[e.file]
		if r == nil {
			r = openFormatFile(t, e.file)
			recordings[e.file] = r
		}
		t.Run(fmt.Sprintf("%s/%s@%#x", e.section, e.file, e.offset), func(t *testing.T) {
			if e.kind == "clock" {
				e.checkClock(t, r)
			} else {
				e.checkHex(t, r)
			}
		})
	}
}
