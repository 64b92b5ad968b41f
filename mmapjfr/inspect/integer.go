package inspect

import (
	"strconv"

	"github.com/mmapjfr/jfr/internal/wire"
)

func (a *annotator) form() wire.IntEncoding {
	if a.raw {
		return wire.FixedWidth
	}
	return wire.Compressed
}

// long explains a long and returns it.
func (a *annotator) long(path, typ string, meaning func(int64) string) int64 {
	return a.number(path, typ, a.form().Long, meaning)
}

// integer explains an int and returns it.
func (a *annotator) integer(path string, meaning func(int64) string) int64 {
	return a.number(path, "int", func(b []byte) (int64, int) {
		v, n := a.form().Int(b)
		return int64(v), n
	}, meaning)
}

func (a *annotator) number(path, typ string, read func([]byte) (int64, int), meaning func(int64) string) int64 {
	if !a.live() {
		return 0
	}
	v, n := read(a.left())
	if n == 0 {
		a.fail(path + " does not end here")
		return 0
	}
	said := ""
	if meaning != nil {
		said = meaning(v)
	}
	a.line(n, path, typ, strconv.FormatInt(v, 10), said)
	return v
}

// count explains a number of things that follow, each of which takes a byte or
// more. One that cannot be true is refused.
func (a *annotator) count(path string) int {
	if !a.live() {
		return 0
	}
	v, n := a.form().Count(a.left())
	if n == 0 {
		a.fail(path + " does not end here")
		return 0
	}
	room := uint64(len(a.left()) - n)
	if v > room {
		a.fail(path + " is " + strconv.FormatUint(v, 10) + ", with " + strconv.FormatUint(room, 10) + " bytes left")
		return 0
	}
	a.line(n, path, "count", strconv.FormatUint(v, 10), "")
	return int(v)
}

// octet explains a byte and returns it.
func (a *annotator) octet(path string, meaning func(byte) string) byte {
	if len(a.left()) == 0 {
		a.fail(path + " is not here")
	}
	if !a.live() {
		return 0
	}
	v := a.left()[0]
	a.line(1, path, "byte", strconv.Itoa(int(v)), meaning(v))
	return v
}
