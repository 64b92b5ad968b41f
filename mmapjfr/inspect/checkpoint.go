package inspect

import (
	"fmt"
	"strings"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// checkpointHead explains a checkpoint up to its first pool (FORMAT.md, section
// 6.1), and returns how many pools there are.
func (a *annotator) checkpointHead() int {
	begin := a.chunk.Offset() + uint64(a.pos)
	a.head(func(int64) string { return "checkpoint" })
	a.long("start", "long", a.time)
	a.long("duration", "long", a.span)
	a.long("delta", "long", func(delta int64) string {
		if delta == 0 {
			return "the last of the chain"
		}
		return fmt.Sprintf("to %#x, the next of the chain", begin+uint64(delta))
	})
	a.octet("mask", maskText)
	return a.count("pools")
}

// masks are what the bits of a checkpoint's mask say.
var masks = []struct {
	bit  uint8
	name string
}{
	{index.CheckpointFlush, "flush"},
	{index.CheckpointHeader, "header"},
	{index.CheckpointStatics, "statics"},
	{index.CheckpointThread, "thread"},
}

func maskText(mask byte) string {
	var names []string
	for _, m := range masks {
		if mask&m.bit != 0 {
			names = append(names, m.name)
		}
	}
	return strings.Join(names, ", ")
}

// checkpoint explains a checkpoint with all its constants.
func (a *annotator) checkpoint() {
	n := a.checkpointHead()
	classes := a.classes()
	for i := range n {
		if !a.live() {
			break
		}
		a.pool(fmt.Sprintf("pools[%d]", i), classes)
	}
	a.rest("behind the last pool")
}

// pool explains a pool (FORMAT.md, section 6.2).
func (a *annotator) pool(path string, classes map[int64]mmapjfr.Type) {
	a.depth++
	defer func() { a.depth-- }()
	var class mmapjfr.Type
	id := a.long(path+".class", "class", func(id int64) string {
		class = classes[id]
		if class.IsZero() {
			return "not described"
		}
		return class.Name()
	})
	n := a.count(path + ".constants")
	if class.IsZero() || !a.laidOut(id) {
		a.fail("constants of a class that is not described cannot be read, nor what follows them")
		return
	}
	a.depth++
	defer func() { a.depth-- }()
	for i := range n {
		if !a.live() {
			return
		}
		a.constant(fmt.Sprintf("%s[%d]", path, i), class)
	}
}

// constant explains the key of a constant and its value.
func (a *annotator) constant(path string, class mmapjfr.Type) {
	a.long(path+".key", "long", nil)
	switch {
	case !a.live():
	case class.Name() == jdktypes.String:
		a.text(path, class)
	case class.IsPrimitive():
		a.primitive(path, class.Name(), sense{})
	case class.CurrentName() == jdktypes.ChunkHeader && a.headerCopy(path):
	default:
		a.fields(path+".", class)
	}
}

// headerCopy explains a copy of a chunk's header. It is false, and has explained
// nothing, if it is something else.
func (a *annotator) headerCopy(path string) bool {
	n, size := a.form().Count(a.left())
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

// classes returns all types of the chunk by their numbers, those that only older
// metadata describes among them.
func (a *annotator) classes() map[int64]mmapjfr.Type {
	if _, err := a.chunk.Index().AllTypes(); err != nil {
		return nil
	}
	types, err := a.chunk.Types()
	if err != nil {
		return nil
	}
	byID := make(map[int64]mmapjfr.Type, len(types))
	for _, t := range types {
		byID[t.ID()] = t
	}
	return byID
}

// laidOut tells whether it is known how values of the class lie in the file: that
// no class contains itself, and that all classes inside it are described.
func (a *annotator) laidOut(id int64) bool {
	types, err := a.chunk.Index().Types()
	if err != nil {
		return false
	}
	class := types.ByID(schema.TypeID(id))
	if class == nil {
		return false
	}
	_, err = class.Plan()
	return err == nil
}
