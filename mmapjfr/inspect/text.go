package inspect

import (
	"strconv"

	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// encodings are what the first byte of a string says.
var encodings = map[wire.Encoding]string{
	wire.Null:     "null",
	wire.Empty:    "empty",
	wire.Constant: "constant",
	wire.UTF8:     "UTF-8",
	wire.Chars:    "UTF-16",
	wire.Latin1:   "Latin-1",
}

// text explains a string (FORMAT.md, section 3), and returns it. class is that of
// strings, for those that are constants.
func (a *annotator) text(path string, class mmapjfr.Type) string {
	b := a.left()
	t, n := wire.ReadText(b, a.form())
	if n == 0 {
		a.fail(path + " is no string that ends here")
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
		a.key(path, class)
		return ""
	}
	count, size := a.form().Count(b[1:])
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
func (a *annotator) key(path string, class mmapjfr.Type) {
	a.long(path, "key", func(key int64) string {
		said := "of " + class.Name()
		if v := a.chunk.Constant(class, key); !v.IsAbsent() || v.IsNull() || v.IsMissing() {
			said += ": " + Short(v)
		}
		return said
	})
}
