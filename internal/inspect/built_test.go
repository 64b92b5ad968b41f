package inspect_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/inspect"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// sample is a chunk with an event of nested structs, arrays and strings of all
// encodings, and with bytes after its last field.
func sample() *jfrtest.Builder {
	b := jfrtest.NewChunk()
	b.Class("test.Point", jfrtest.Of("x", "int"), jfrtest.Of("y", "short"))
	b.Class("test.Nothing")
	b.Class("test.Size", jfrtest.Of("bytes", "long").With(jfrtest.Note("jdk.jfr.DataAmount", "BYTES"))).Simple()
	b.Class("test.Shape", jfrtest.Of("name", jfrtest.StringClass), jfrtest.Of("points", "test.Point").Array())
	ev := b.Event("test.Event",
		jfrtest.Of("shape", "test.Shape"),
		jfrtest.Of("size", "test.Size"),
		jfrtest.Of("texts", jfrtest.StringClass).Array(),
		jfrtest.Const("names", "jdk.types.Symbol").Array(),
		jfrtest.Of("nothings", "test.Nothing").Array(),
		jfrtest.Of("share", "float").With(jfrtest.Mark("jdk.jfr.Percentage")),
		jfrtest.Of("at", "long").With(jfrtest.Mark("jdk.jfr.MemoryAddress")),
		jfrtest.Of("millis", "long").With(jfrtest.Note("jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH")),
		jfrtest.Of("wait", "int").With(jfrtest.Note("jdk.jfr.Timespan", "MILLISECONDS")),
		jfrtest.Of("big", "byte").With(jfrtest.Mark("jdk.jfr.Unsigned")))
	b.Constant("jdk.types.Symbol", 7, "run")
	b.Constant(jfrtest.StringClass, 5, "pooled")
	b.EmitWith(jfrtest.EventOptions{Trailing: []byte{1, 2, 3}}, ev, 1_000_500,
		jfrtest.Inline{"square", []any{jfrtest.Inline{1, -2}, jfrtest.Inline{3, 4}}},
		jfrtest.Inline{4096},
		[]any{jfrtest.Null{}, jfrtest.Empty(), jfrtest.UTF8("ü"), jfrtest.UTF16Units(0xd83d, 0xde00), jfrtest.Latin1("é"), jfrtest.Pooled(5), jfrtest.UTF8("")},
		[]any{7, 0, 9},
		jfrtest.Counted{Count: 3},
		0.25, 0xff00, 1000, 30, -1)
	return b
}

func built(t testing.TB, b *jfrtest.Builder) *mmapjfr.Recording {
	t.Helper()
	rec := opentest.Bytes(t, b.Bytes())
	return rec
}

func TestLinesOfAnEvent(t *testing.T) {
	want := `
size: int
type: type = ID; test.Event
startTime: long = 1000500; 2023-11-14T22:13:20.0000005Z
  shape.name.encoding: byte = 3; UTF-8
  shape.name.length: count = 6
  shape.name: string = "square"
  shape.points.count: count = 2
      shape.points[0].x: int = 1
      shape.points[0].y: short = -2
      shape.points[1].x: int = 3
      shape.points[1].y: short = 4
size: long = 4096; bytes
texts.count: count = 7
  texts[0]: string = null; encoding 0
  texts[1]: string = ""; encoding 1
  texts[2].encoding: byte = 3; UTF-8
  texts[2].length: count = 2
  texts[2]: string = "ü"
  texts[3].encoding: byte = 4; UTF-16
  texts[3].length: count = 2
  texts[3]: string = "😀"
  texts[4].encoding: byte = 5; Latin-1
  texts[4].length: count = 1
  texts[4]: string = "é"
  texts[5].encoding: byte = 2; constant
  texts[5]: key = 5; of java.lang.String: "pooled"
  texts[6].encoding: byte = 3; UTF-8
  texts[6]: string = ""; length 0
names.count: count = 3
  names[0]: key = 7; of jdk.types.Symbol: "run"
  names[1]: key = 0; of jdk.types.Symbol: null
  names[2]: key = 9; of jdk.types.Symbol: missing
nothings.count: count = 3
share: float = 0.25; 25.00%
at: long = 65280; 0xff00
millis: long = 1000; 1970-01-01T00:00:01Z
wait: int = 30; ms
big: byte = 255
rest: bytes; after the last field
`
	for name, b := range map[string]*jfrtest.Builder{"compressed": sample(), "big-endian": sample().Uncompressed()} {
		t.Run(name, func(t *testing.T) {
			rec := built(t, b)
			for ev, err := range rec.Events() {
				require.NoError(t, err)
				var got strings.Builder
				for l := range inspect.Event(ev) {
					text := l.String()
					if l.Path == "size" && l.Type == "int" {
						assert.Equal(t, fmt.Sprintf("size: int = %d; to %#x", ev.Size(), ev.Offset()+uint64(ev.Size())), text)
						text = "size: int"
					}
					text = strings.Replace(text, fmt.Sprint("type = ", ev.Type().ID()), "type = ID", 1)
					fmt.Fprintf(&got, "\n%*s%s", 2*l.Depth, "", text)
				}
				assert.Equal(t, want, got.String()+"\n")
				all, _ := together(t, ev.Offset(), inspect.Event(ev))
				assert.Equal(t, engine.EventBytes(ev), all)
			}
		})
	}
}

func TestConstantsOfPrimitiveTypes(t *testing.T) {
	b := sample()
	b.Constant("long", 3, 77)
	rec := built(t, b)
	found := false
	for offset := uint64(0); offset < uint64(rec.Size()); {
		p, err := inspect.Find(rec, offset)
		require.NoError(t, err)
		for l := range p.Lines() {
			found = found || p.Kind == inspect.CheckpointItem && l.Type == "long" && l.Value == "77"
		}
		offset += p.Size
	}
	assert.True(t, found)
}

func TestHeaderCopiesAreExplained(t *testing.T) {
	rec := open(t, "jdk25-kinds.jfr")
	p, err := inspect.Find(rec, 0x24618)
	require.NoError(t, err)
	_, at := together(t, p.Offset, p.Lines())
	assert.Equal(t, "header", at["mask"].Meaning)
	assert.Equal(t, "149016", at["pools[0][0].checkpoint"].Value)
	assert.Equal(t, "to 0x24618", at["pools[0][0].checkpoint"].Meaning)
}

func TestUndescribedClassesEndACheckpoint(t *testing.T) {
	b := sample()
	b.Checkpoint(0).PoolID(9999)
	rec := built(t, b)
	rests := 0
	for offset := uint64(0); offset < uint64(rec.Size()); {
		p, err := inspect.Find(rec, offset)
		require.NoError(t, err)
		all, at := together(t, offset, p.Lines())
		require.Len(t, all, int(p.Size))
		for path, l := range at {
			if strings.HasSuffix(path, ".type") && l.Value == "9999" {
				assert.Equal(t, "not described", l.Meaning)
				rests++
			}
		}
		offset += p.Size
	}
	assert.Equal(t, 1, rests)
}

func TestCountsThatCannotBeTrue(t *testing.T) {
	b := sample()
	data := b.Bytes()
	at := bytes.Index(data, []byte("\x03\x06square\x02")) + 8
	data[at] = 0x7f // points
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	p, err := inspect.Find(rec, uint64(at))
	require.NoError(t, err)
	require.ErrorIs(t, p.Err, mmapjfr.ErrCorrupt)
	_, lines := together(t, p.Offset, p.Lines())
	assert.Len(t, lines, 3)
	assert.Equal(t, "not understood", lines["rest"].Meaning)

	b = sample()
	b.Checkpoint(0).Add("test.Point", 1, 5, 6)
	rec = built(t, b)
	data = bytes.Clone(engine.RecordingIndex(rec).Data())
	x := engine.RecordingIndex(rec).Chunks()[0]
	k, err := x.Constants()
	require.NoError(t, err)
	point, ok := rec.Type("test.Point")
	require.True(t, ok)
	for _, pool := range k.Pools() {
		if int64(pool.Type) == point.ID() {
			data[pool.Offset-1] = 0x7f
			rec, err = mmapjfr.OpenBytes(data)
			require.NoError(t, err)
			p, err = inspect.Find(rec, pool.Offset)
			require.NoError(t, err)
			_, lines = together(t, p.Offset, p.Lines())
			assert.Equal(t, "pools[0].constants is 127, with 3 bytes left", lines["rest"].Meaning)
			return
		}
	}
	t.Fatal("there is no pool of points")
}

func TestEventOfAnUnknownType(t *testing.T) {
	b := sample()
	b.EmitRaw(jfrtest.EventOptions{}, 8888, []byte{1, 2, 3})
	rec := built(t, b)
	unknown := 0
	for offset := uint64(0); offset < uint64(rec.Size()); {
		p, err := inspect.Find(rec, offset)
		require.NoError(t, err)
		if p.Err != nil {
			unknown++
			require.ErrorIs(t, p.Err, mmapjfr.ErrUnknownType)
			assert.Equal(t, inspect.EventItem, p.Kind)
			_, at := together(t, offset, p.Lines())
			assert.Equal(t, "8888", at["type"].Value)
			assert.Equal(t, "not described", at["type"].Meaning)
			assert.Equal(t, []byte{1, 2, 3}, at["rest"].Bytes)
		}
		offset += p.Size
	}
	assert.Equal(t, 1, unknown)
}

// TestDamageHidesNoByte flips bits, and sees that all that can be found is explained
// to its last byte.
func TestDamageHidesNoByte(t *testing.T) {
	file, err := os.ReadFile("../../testdata/jdk25-kinds.jfr")
	require.NoError(t, err)
	for _, test := range []struct {
		name  string
		good  []byte
		times int
	}{
		{"built", sample().Bytes(), longtest.Cases(60, 200)},
		{"jdk25-kinds", file, longtest.Cases(5, 20)},
	} {
		t.Run(test.name, func(t *testing.T) {
			good := test.good
			random := rand.New(rand.NewPCG(1, 2))
			rests := 0
			for range test.times {
				data := bytes.Clone(good)
				for range 1 + random.IntN(3) {
					data[68+random.IntN(len(data)-68)] ^= 1 << random.IntN(8)
				}
				rec, err := mmapjfr.OpenBytes(data)
				require.NoError(t, err)
				for offset := uint64(0); offset < uint64(rec.Size()); {
					p, err := inspect.Find(rec, offset)
					if err != nil {
						break // damage ends the walk over the chunk
					}
					n := uint64(0)
					for l := range p.Lines() {
						if offset+n != l.Offset {
							require.Equal(t, offset+n, l.Offset)
						}
						n += uint64(len(l.Bytes))
						if l.Path == "rest" {
							rests++
						}
					}
					require.Equal(t, p.Size, n)
					offset += p.Size
				}
				require.NoError(t, rec.Close())
			}
			assert.Positive(t, rests, "no damage was met")
		})
	}
}

// TestManyEmptyElementsTakeNoTime has arrays that claim a million elements of no bytes
// each, in every element of another array. To go through them would take hours.
func TestManyEmptyElementsTakeNoTime(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.Nothing")
	b.Class("test.Some", jfrtest.Of("none", "test.Nothing").Array())
	ev := b.Event("test.Event", jfrtest.Of("all", "test.Some").Array())
	const n = 1 << 16
	body := []byte{0, 0x80, 0x80, n >> 14}
	for range n {
		body = append(body, 0x80, 0x80, 1<<20>>14)
	}
	body = append(body, make([]byte, 1<<20)...)
	b.EmitRaw(jfrtest.EventOptions{}, ev.ID, body)
	rec := built(t, b)
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		lines := 0
		for range inspect.Event(ev) {
			lines++
		}
		assert.Equal(t, n+5, lines)
	}
}

func TestWriteCutsWhatIsLong(t *testing.T) {
	b := jfrtest.NewChunk()
	ev := b.Event("test.Event", jfrtest.Of("text\x1b[31m", jfrtest.StringClass))
	b.Emit(ev, 1, strings.Repeat("a", 1000))
	rec := built(t, b)
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, inspect.Write(&out, inspect.Event(ev)))
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		assert.NotContains(t, out.String(), "\x1b")
		digits := 0
		for i, line := range lines {
			require.Equal(t, "0x", line[:2])
			if len(line) > 50 {
				line = line[:48]
			}
			digits += len(strings.ReplaceAll(line[12:], " ", "")) / 2
			assert.LessOrEqual(t, len(lines[i]), 300)
		}
		assert.Equal(t, ev.Size(), digits, "all bytes are written")
		assert.Contains(t, out.String(), "aaa…")
	}
}
