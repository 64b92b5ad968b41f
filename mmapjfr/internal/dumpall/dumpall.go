// Package dumpall writes what every accessor of every view of a recording returns, as text, for
// tests. Two ways to read the same bytes must give the same text.
package dumpall

import (
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Dumper appends what it is asked about to a text. Values can share parts and contain
// themselves, so it limits their depth and number. It belongs to one goroutine, and can be used
// again after Reset.
type Dumper struct {
	buf  []byte
	left int
}

// most is the number of values in a text.
const most = 4000

// Reset makes the text empty.
func (t *Dumper) Reset() { t.buf, t.left = t.buf[:0], most }

// Bytes returns the text. It is valid until the next call of any method.
func (t *Dumper) Bytes() []byte { return t.buf }

// Recording dumps a recording with all that is in it.
func (t *Dumper) Recording(rec *mmapjfr.Recording) {
	t.word("recording")
	t.int(rec.Size())
	t.int(rec.Start().UnixNano())
	t.int(rec.End().UnixNano())
	t.int(int64(rec.Duration()))
	t.word(engine.RecordingLocation(rec).String())
	types, err := rec.Types()
	t.line(err)
	for _, typ := range types {
		t.Type(typ)
	}
	for ev, err := range rec.Events() {
		if err != nil {
			t.line(err)
			continue
		}
		t.Event(ev)
	}
	for _, c := range rec.Chunks() {
		t.Chunk(c)
	}
}

// Chunk dumps a chunk and its constants, but not its events.
func (t *Dumper) Chunk(c mmapjfr.Chunk) {
	t.word("chunk")
	t.int(int64(c.Number()))
	t.int(int64(c.Offset()))
	t.int(int64(c.Size()))
	t.int(c.Start().UnixNano())
	t.int(c.End().UnixNano())
	t.int(int64(c.Duration()))
	t.int(engine.ChunkTicksPerSecond(c))
	t.bool(c.Finished())
	t.bool(engine.ChunkFinal(c))
	locale, zone, err := engine.ChunkRegion(c)
	t.word(locale)
	if err == nil {
		t.word(zone.String())
	}
	t.line(err)
	t.line(c.ConstantsErr())
	types, err := c.Types()
	t.line(err)
	type constant struct {
		key int64
		v   mmapjfr.Value
	}
	var all []constant
	for _, typ := range types {
		all = all[:0]
		for key, v := range engine.ChunkConstants(c, typ) {
			all = append(all, constant{key, v})
		}
		slices.SortFunc(all, func(a, b constant) int {
			if a.key < b.key {
				return -1
			}
			return 1
		})
		for _, x := range all {
			t.word(typ.Name())
			t.int(x.key)
			t.Value(x.v, 2)
			t.line(nil)
		}
	}
}

// Type dumps a type and its fields.
func (t *Dumper) Type(typ mmapjfr.Type) {
	t.word(typ.Name())
	t.int(typ.ID())
	t.word(typ.Super())
	t.word(typ.Label())
	t.word(typ.Description())
	t.bool(typ.IsEvent())
	t.bool(engine.TypeIsSimple(typ))
	t.bool(engine.TypeIsPrimitive(typ))
	t.bool(typ.IsExperimental())
	for _, name := range typ.Category() {
		t.word(name)
	}
	for _, f := range typ.Fields() {
		t.word(f.Name())
		t.word(f.Type().Name())
		t.word(f.Label())
		t.word(f.Description())
		t.int(int64(f.Unit()))
		t.bool(f.IsArray())
		t.bool(f.IsConstant())
		t.bool(f.IsUnsigned())
		t.bool(engine.FieldIsRate(f))
		t.annotations(f.Annotations())
	}
	for _, s := range typ.Settings() {
		t.word(s.Name())
		t.word(s.Default())
		t.word(s.Type().Name())
		t.annotations(s.Annotations())
	}
	t.annotations(typ.Annotations())
	t.line(nil)
}

func (t *Dumper) annotations(list []mmapjfr.Annotation) {
	for _, a := range list {
		t.word(a.Name())
		for _, v := range a.Values() {
			t.word(v.Name)
			t.bool(v.Array)
			for _, text := range v.Texts {
				t.word(text)
			}
		}
	}
}

func (t *Dumper) word(s string) {
	t.buf = append(t.buf, ' ', '\'')
	t.buf = append(t.buf, s...)
}

func (t *Dumper) int(v int64) {
	t.buf = append(t.buf, ' ')
	t.buf = strconv.AppendInt(t.buf, v, 10)
}

func (t *Dumper) float(v float64) {
	t.buf = append(t.buf, ' ')
	t.buf = strconv.AppendFloat(t.buf, v, 'g', -1, 64)
}

func (t *Dumper) bool(v bool) {
	if v {
		t.buf = append(t.buf, " 1"...)
	} else {
		t.buf = append(t.buf, " 0"...)
	}
}

// line ends a line, with an error if there is one.
func (t *Dumper) line(err error) {
	if err != nil {
		t.word(err.Error())
	}
	t.buf = append(t.buf, '\n')
}

// Sum returns the FNV-1a sum of a text.
func Sum(text []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(text) // it never fails
	return h.Sum64()
}
