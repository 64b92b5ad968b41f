package inspect

import (
	"math"
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// fields explains the fields of a struct, one after the other.
func (a *annotator) fields(prefix string, typ mmapjfr.Type) {
	for _, f := range typ.Fields() {
		if !a.live() {
			return
		}
		a.field(prefix+f.Name(), f)
	}
}

// field explains the value of a field (FORMAT.md, section 5.2).
func (a *annotator) field(path string, f mmapjfr.Field) {
	if !f.IsArray() {
		a.value(path, f)
		return
	}
	n := a.count(path + ".count")
	a.depth++
	for i := range n {
		before := a.pos
		a.value(path+"["+strconv.Itoa(i)+"]", f)
		if !a.live() || a.pos == before {
			break // all elements are as empty as this one
		}
	}
	a.depth--
}

// value explains the value of a field that is no array, or an element of one.
func (a *annotator) value(path string, f mmapjfr.Field) {
	typ := f.Type()
	switch {
	case !a.live():
	case f.IsConstant():
		a.key(path, typ)
	case typ.Name() == jdktypes.String:
		a.text(path, typ)
	case engine.TypeIsPrimitive(typ):
		a.primitive(path, typ.Name(), senseOf(f))
	case engine.TypeIsSimple(typ) && len(typ.Fields()) == 1:
		a.field(path, typ.Fields()[0])
	default:
		a.depth++
		a.fields(path+".", typ)
		a.depth--
	}
}

// primitive explains a number or a boolean (FORMAT.md, section 5.3).
func (a *annotator) primitive(path, kind string, of sense) {
	b, form := a.left(), a.form
	var (
		v    int64
		n    int
		mask uint64 = math.MaxUint64 // the bits of a number without a sign
	)
	switch kind {
	case "float":
		v, n := wire.Float(b)
		a.fraction(n, path, kind, float64(v), 32, of)
		return
	case "double":
		v, n := wire.Double(b)
		a.fraction(n, path, kind, v, 64, of)
		return
	case "boolean", "byte":
		if len(b) > 0 {
			v, n, mask = int64(int8(b[0])), 1, math.MaxUint8
		}
	case "short":
		v, n = widened(form.Short(b))
		mask = math.MaxUint16
	case "char":
		v, n = widened(form.Char(b))
	case "int":
		v, n = widened(form.Int(b))
		mask = math.MaxUint32
	default:
		v, n = form.Long(b)
	}
	if n == 0 {
		a.fail(path + " does not end here")
		return
	}
	text := strconv.FormatInt(v, 10)
	switch {
	case kind == "boolean":
		text = strconv.FormatBool(v != 0)
	case of.unsigned:
		text = strconv.FormatUint(uint64(v)&mask, 10)
		v = int64(uint64(v) & mask)
	}
	a.line(n, path, kind, text, a.meaning(kind, v, of))
}

func widened[T int16 | uint16 | int32](v T, n int) (int64, int) { return int64(v), n }

func (a *annotator) fraction(n int, path, kind string, v float64, bits int, of sense) {
	if n == 0 {
		a.fail(path + " does not end here")
		return
	}
	said := ""
	switch {
	case v != v || math.IsInf(v, -1):
		said = "not known"
	case of.unit == mmapjfr.Percentage:
		said = strconv.FormatFloat(100*v, 'f', 2, 64) + "%"
	default:
		said = of.text()
	}
	a.line(n, path, kind, strconv.FormatFloat(v, 'g', -1, bits), said)
}

// meaning is what an integer stands for (FORMAT.md, section 5.4).
func (a *annotator) meaning(kind string, v int64, of sense) string {
	u := of.unit
	switch {
	case kind == "char":
		return strconv.QuoteRune(rune(v))
	case kind == "long" && v == math.MinInt64, kind == "int" && v == math.MinInt32:
		return "not known"
	case u.IsTimespan() && v == math.MaxInt64:
		return "without end"
	case u == mmapjfr.TimestampTicks:
		return a.time(v)
	case u == mmapjfr.TimestampMillis:
		return time.UnixMilli(v).UTC().Format(time.RFC3339Nano)
	case u == mmapjfr.TimespanTicks:
		return a.duration(v)
	case u == mmapjfr.Address:
		return "0x" + strconv.FormatUint(uint64(v), 16)
	}
	return of.text()
}

// sense is how the numbers of a field are to be understood.
type sense struct {
	unit           mmapjfr.Unit
	unsigned, rate bool
}

func senseOf(f mmapjfr.Field) sense { return sense{f.Unit(), f.IsUnsigned(), engine.FieldIsRate(f)} }

// text names what the numbers count.
func (s sense) text() string {
	text := unitTexts[s.unit]
	if s.rate {
		text += "/s"
	}
	return text
}

var unitTexts = map[mmapjfr.Unit]string{
	mmapjfr.TimespanSeconds: "s",
	mmapjfr.TimespanMillis:  "ms",
	mmapjfr.TimespanMicros:  "µs",
	mmapjfr.TimespanNanos:   "ns",
	mmapjfr.Bytes:           "bytes",
	mmapjfr.Bits:            "bits",
	mmapjfr.Hertz:           "Hz",
}

// time returns when the clock showed these ticks.
func (a *annotator) time(ticks int64) string {
	return engine.ChunkTicksToTime(a.chunk, ticks).Format(time.RFC3339Nano)
}

// duration returns how long these ticks last.
func (a *annotator) duration(ticks int64) string {
	return engine.ChunkTicksToDuration(a.chunk, ticks).String()
}

// encodings are what the first byte of a string says.
var encodings = map[wire.Encoding]string{
	wire.Null:     "null",
	wire.Empty:    "empty",
	wire.Constant: "constant",
	wire.UTF8:     "UTF-8",
	wire.Chars:    "UTF-16",
	wire.Latin1:   "Latin-1",
}

// text explains a string (FORMAT.md, section 3), and returns it. typ is that of
// strings, for those that are constants.
func (a *annotator) text(path string, typ mmapjfr.Type) string {
	b := a.left()
	t, n := wire.ReadText(b, a.form)
	if n == 0 {
		a.fail(path + " is not a string that ends here")
		return ""
	}
	encoding := strconv.Itoa(int(t.Encoding))
	switch t.Encoding {
	case wire.Null:
		a.line(1, path, "string", "null", "encoding "+encoding)
		return ""
	case wire.Empty:
		a.line(1, path, "string", `""`, "encoding "+encoding)
		return ""
	}
	a.line(1, path+".encoding", "byte", encoding, encodings[t.Encoding])
	if t.Encoding == wire.Constant {
		a.key(path, typ)
		return ""
	}
	count, size := a.form.Count(b[1:])
	if count == 0 {
		a.line(size, path, "string", `""`, "length 0")
		return ""
	}
	a.line(size, path+".length", "count", strconv.FormatUint(count, 10), "")
	s := string(t.Append(nil))
	a.line(len(t.Bytes), path, "string", strconv.Quote(s), "")
	return s
}

// key explains the key of a constant.
func (a *annotator) key(path string, typ mmapjfr.Type) {
	a.long(path, "key", func(key int64) string {
		said := "of " + engine.TypeRecordedName(typ)
		if v := engine.ChunkConstant(a.chunk, typ, key); !v.IsAbsent() || v.IsNull() || v.IsMissing() {
			said += ": " + Short(v)
		}
		return said
	})
}
