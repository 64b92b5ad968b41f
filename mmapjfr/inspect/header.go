package inspect

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// noType is the class of strings where none of them can be a constant.
var noType mmapjfr.Type

// headerFields are what a chunk header consists of (FORMAT.md, section 1.1). Its
// numbers are big-endian whatever the chunk's flags say.
var headerFields = []struct {
	name    string
	size    int
	meaning func(a *annotator, v uint64) string
}{
	{"magic", 4, func(*annotator, uint64) string { return "FLR" }},
	{"major", 2, nil},
	{"minor", 2, nil},
	{"size", 8, (*annotator).target},
	{"checkpoint", 8, (*annotator).target},
	{"metadata", 8, (*annotator).target},
	{"start", 8, func(_ *annotator, v uint64) string { return time.Unix(0, int64(v)).UTC().Format(time.RFC3339Nano) }},
	{"duration", 8, func(_ *annotator, v uint64) string { return time.Duration(v).String() }},
	{"startTicks", 8, nil},
	{"ticksPerSecond", 8, nil},
	{"state", 1, func(_ *annotator, v uint64) string { return stateText(uint8(v)) }},
	{"zero", 2, nil},
	{"flags", 1, func(_ *annotator, v uint64) string { return flagsText(uint8(v)) }},
}

// target says where an offset in a header leads to in the file.
func (a *annotator) target(v uint64) string {
	if v == 0 {
		return "none"
	}
	return fmt.Sprintf("to %#x", a.chunk.Offset()+v)
}

// header explains a chunk header.
func (a *annotator) header(prefix string) {
	for _, f := range headerFields {
		b := a.left()
		if len(b) < f.size {
			a.fail("the header does not end here")
			return
		}
		var buf [8]byte
		copy(buf[8-f.size:], b[:f.size])
		v := binary.BigEndian.Uint64(buf[:])
		text, said := strconv.FormatUint(v, 10), ""
		if f.name == "start" || f.name == "duration" || f.name == "startTicks" || f.name == "ticksPerSecond" {
			text = strconv.FormatInt(int64(v), 10)
		}
		if f.meaning != nil {
			said = f.meaning(a, v)
		}
		a.line(f.size, prefix+f.name, "u"+strconv.Itoa(8*f.size), text, said)
	}
}

func stateText(state uint8) string {
	switch state {
	case wire.StateFinished:
		return "finished"
	case wire.StateUpdating:
		return "being rewritten"
	}
	return "still being written, or left by a virtual machine that was killed"
}

func flagsText(flags uint8) string {
	text := "integers in full"
	if flags&wire.FlagCompressed != 0 {
		text = "compressed integers"
	}
	if flags&wire.FlagFinal != 0 {
		text += ", the last chunk"
	}
	return text
}
