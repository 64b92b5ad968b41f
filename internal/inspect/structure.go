package inspect

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// noType is the type of strings where none of them can be a constant.
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

// maxElements bounds how deep elements may nest; package index reads no more.
const maxElements = 64

// metadataHead explains a metadata event up to its strings (FORMAT.md, section
// 4.1), and returns how many there are.
func (a *annotator) metadataHead() int {
	a.head(func(int64) string { return "metadata" })
	a.long("start", "long", a.time)
	a.long("duration", "long", a.duration)
	a.long("id", "long", nil)
	return a.count("strings")
}

// metadata explains a metadata event.
func (a *annotator) metadata() {
	n := a.metadataHead()
	var texts []string
	a.depth++
	for i := range n {
		if !a.live() {
			break
		}
		texts = append(texts, a.text(fmt.Sprintf("strings[%d]", i), noType))
	}
	a.depth--
	a.element(texts, 0)
	a.rest("after the last element")
}

// element explains an element with all inside it.
func (a *annotator) element(texts []string, depth int) {
	if depth > maxElements {
		a.fail(fmt.Sprintf("elements nest deeper than %d", maxElements))
	}
	if !a.live() {
		return
	}
	text := func(i int64) string {
		if i < 0 || i >= int64(len(texts)) {
			a.fail(fmt.Sprintf("string %d is missing", i))
			return ""
		}
		return strconv.Quote(texts[i])
	}
	name := ""
	a.integer("element", func(i int64) string { name = text(i); return name })
	n := a.count("attributes")
	for range n {
		if !a.live() {
			return
		}
		a.integer("attribute", text)
		a.integer("value", text)
	}
	n = a.count("children")
	a.depth++
	for range n {
		if !a.live() {
			break
		}
		a.element(texts, depth+1)
	}
	a.depth--
}

// checkpointHead explains a checkpoint up to its first pool (FORMAT.md, section
// 6.1), and returns how many pools there are.
func (a *annotator) checkpointHead() int {
	begin := a.chunk.Offset() + uint64(a.pos)
	a.head(func(int64) string { return "checkpoint" })
	a.long("start", "long", a.time)
	a.long("duration", "long", a.duration)
	a.long("delta", "long", func(delta int64) string {
		if delta == 0 {
			return "the last of the chain"
		}
		return fmt.Sprintf("to %#x, the next of the chain", begin+uint64(delta))
	})
	a.number("mask", "byte", func(b []byte) (int64, int) {
		if len(b) == 0 {
			return 0, 0
		}
		return int64(b[0]), 1
	}, maskText)
	return a.count("pools")
}

// masks name the bits of a checkpoint's mask (FORMAT.md, section 6.1), from the lowest on.
var masks = []string{"flush", "header", "statics", "thread"}

func maskText(mask int64) string {
	var names []string
	for bit, name := range masks {
		if mask>>bit&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// checkpoint explains a checkpoint with all its constants.
func (a *annotator) checkpoint() {
	n := a.checkpointHead()
	types := a.types()
	for i := range n {
		if !a.live() {
			break
		}
		a.pool(fmt.Sprintf("pools[%d]", i), types)
	}
	a.rest("after the last pool")
}

// pool explains a pool (FORMAT.md, section 6.2).
func (a *annotator) pool(path string, types map[int64]mmapjfr.Type) {
	a.depth++
	defer func() { a.depth-- }()
	var typ mmapjfr.Type
	a.long(path+".type", "type", func(id int64) string {
		typ = types[id]
		if typ.IsZero() {
			return "not described"
		}
		return engine.TypeRecordedName(typ)
	})
	n := a.count(path + ".constants")
	if typ.IsZero() || engine.TypeLayoutErr(typ) != nil {
		a.fail("constants of a type that is not described cannot be read, nor what follows them")
		return
	}
	a.depth++
	defer func() { a.depth-- }()
	for i := range n {
		if !a.live() {
			return
		}
		a.constant(fmt.Sprintf("%s[%d]", path, i), typ)
	}
}

// constant explains the key of a constant and its value.
func (a *annotator) constant(path string, typ mmapjfr.Type) {
	a.long(path+".key", "long", nil)
	switch {
	case !a.live():
	case typ.Name() == jdktypes.String:
		a.text(path, typ)
	case engine.TypeIsPrimitive(typ):
		a.primitive(path, typ.Name(), sense{})
	case typ.Name() == jdktypes.ChunkHeader && a.headerCopy(path):
	default:
		a.fields(path+".", typ)
	}
}

// headerCopy explains a copy of a chunk's header. It is false, and has explained
// nothing, if it is something else.
func (a *annotator) headerCopy(path string) bool {
	n, size := a.form.Count(a.left())
	if n != wire.HeaderLen {
		return false
	}
	if _, ok := wire.ReadHeader(a.left()[size:]); !ok {
		return false
	}
	a.count(path + ".count")
	a.header(path + ".")
	return true
}

// types returns all types of the chunk by their numbers, those that only older metadata
// describes among them.
func (a *annotator) types() map[int64]mmapjfr.Type {
	types, err := engine.ChunkAllTypes(a.chunk)
	if err != nil {
		return nil
	}
	byID := make(map[int64]mmapjfr.Type, len(types))
	for _, t := range types {
		byID[t.ID()] = t
	}
	return byID
}
