package repair

import (
	"errors"
	"fmt"

	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/metatree"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// chunk is a chunk that is being repaired.
type chunk struct {
	in     *index.Chunk
	data   []byte
	form   wire.IntEncoding
	header wire.Header
	report *Chunk

	jvms       *describe.JVMs
	jvm        *describe.JVM
	types      *schema.TypeSet
	described  *describe.Description
	order      [][]describe.Stretch // by ordinal: of event types whose fields are put in another order
	constants  *index.Constants
	references *references

	checkpoints []checkpoint   // oldest first
	at          map[uint64]int // the index of the checkpoint at an offset
	// metadata is the metadata event of the new chunk; nil if the chunk's own metadata events stay
	// where they are.
	metadata []byte
	// needsOlder says that an event or a pool is kept whose type the newest metadata does not
	// describe.
	needsOlder bool
	inNewest   []bool           // by ordinal
	verdicts   map[uint64]error // on metadata events, by where they lie
	// newest is the offset of the newest metadata event in the new chunk. lastTick is the last tick
	// at which an event began or ended.
	newest   uint64
	lastTick int64
	// size is the size of the new chunk.
	size uint64
	out  *output
	buf  []byte
}

// errNoContent says that a chunk has nothing but a header.
var errNoContent = errors.New("the chunk has only just been begun")

// open reads the types and constants of a chunk. It returns false if nothing can be kept.
func (c *chunk) open() bool {
	in := c.in
	c.data, c.form, c.header = in.Data(), in.IntEncoding(), in.Header()
	c.report.Number, c.report.Offset, c.report.Err = in.Number(), in.Offset(), in.TrailingErr()
	drop := func(err error) bool {
		c.report.Action, c.report.Metadata, c.report.Err = Dropped, MetadataNone, err
		c.report.Lost.add(in.Offset()+wire.HeaderLen, in.Offset()+uint64(len(c.data)))
		return false
	}
	if len(c.data) == wire.HeaderLen {
		return drop(errNoContent)
	}
	var err error
	if c.types, err = in.AllTypes(); err != nil {
		return drop(err)
	}
	if c.constants, err = in.Constants(); err != nil {
		return drop(err)
	}
	c.setClock()
	c.jvm = c.jvms.Of(c.header, c.types, describe.Process{})
	c.described = describe.New(c.types, c.jvm, true)
	c.order = make([][]describe.Stretch, len(c.types.Types))
	for i, typ := range c.types.Types {
		c.order[i] = c.described.Order(typ)
	}
	c.at, c.verdicts = make(map[uint64]int), make(map[uint64]error)
	c.references = newReferences(in, c.constants, c.described)
	c.visitConstants()
	c.readCheckpoints()
	c.report.fail(c.constants.Err())
	if s := in.Salvaged(); s != nil {
		c.report.AfterFlush = s.AfterFlush
		for _, err := range s.Errors() {
			c.report.fail(err)
		}
	}
	return true
}

// setClock gives the chunk a clock if its own is lost. The JDK's jfr cannot print times without a
// rate.
func (c *chunk) setClock() {
	if s := c.in.Salvaged(); s == nil || !s.RateLost {
		return
	}
	c.header.TicksPerSecond = wire.UsualRate
	c.report.ClockAssumed = true
}

// fail notes the first error.
func (r *Chunk) fail(err error) {
	if r.Err == nil {
		r.Err = err
	}
}

// pickMetadata decides which metadata the new chunk gets: the chunk's own, if the JDK can read
// it, or one that is made of what it describes.
func (c *chunk) pickMetadata(id int64, last *lastMetadata) {
	if !c.needsOlder && !c.jvm.Renumbers() && c.ownMetadata(last) {
		c.report.Metadata = MetadataOwn
		return
	}
	c.report.Metadata = MetadataRenewed
	if s := c.in.Salvaged(); s != nil && s.MetadataFrom != c.in.Number() {
		c.report.Metadata = MetadataBorrowed
	}
	c.metadata = c.newMetadata(id)
	*last = lastMetadata{}
}

// lastMetadata is the metadata of the previous chunk. The JDK takes metadata with the same id for
// the same metadata.
type lastMetadata struct {
	id   int64
	tree string
}

// ownMetadata reports whether the metadata event that the header names can stay as it is.
func (c *chunk) ownMetadata(last *lastMetadata) bool {
	ev, ok := c.headerAt(c.header.Metadata)
	if !ok || ev.Type != schema.MetadataID {
		return false
	}
	cur := wire.NewCursor(c.data[:ev.End()], int(ev.Body()), c.form)
	cur.Long() // start
	cur.Long() // duration
	id := cur.Long()
	own := readMetadata(cur)
	types, err := c.in.NewestTypes()
	if own == nil || err != nil || !metatree.Same(own, c.described.Tree(types)) {
		return false
	}
	tree := string(c.data[cur.Pos():ev.End()])
	if last.id == id && last.tree != "" && last.tree != tree {
		return false
	}
	*last = lastMetadata{id, tree}
	c.inNewest = make([]bool, len(c.types.Types))
	for _, typ := range types {
		c.inNewest[typ.Ordinal()] = true
	}
	c.needsOlder = !c.isNewestEnough(types)
	return !c.needsOlder
}

// isNewestEnough reports whether the newest metadata, which describes these types,
// describes all that they refer to, and the types of all pools.
func (c *chunk) isNewestEnough(types []*schema.Type) bool {
	for _, typ := range types {
		for _, f := range describe.Written(typ) {
			if c.described.Has(typ) && !c.inNewest[f.Type.Ordinal()] {
				return false
			}
		}
	}
	for i := range c.checkpoints {
		for _, p := range c.checkpoints[i].pools {
			if !c.inNewest[c.constants.Type(p.Type).Ordinal()] {
				return false
			}
		}
	}
	return true
}

// verdict caches the result of checkMetadata, which every walk needs.
func (c *chunk) verdict(ev *index.EventHeader) error {
	err, ok := c.verdicts[ev.Offset]
	if !ok {
		err = c.checkMetadata(ev)
		c.verdicts[ev.Offset] = err
	}
	return err
}

// checkMetadata returns why a metadata event cannot stay: it cannot be read, or a type would be
// written otherwise than it describes the type.
func (c *chunk) checkMetadata(ev *index.EventHeader) error {
	cur := wire.NewCursor(c.data[:ev.End()], int(ev.Body()), c.form)
	cur.Long() // start
	cur.Long() // duration
	cur.Long() // id
	root := readMetadata(cur)
	if root == nil {
		return fmt.Errorf("%w: the metadata event cannot be read", mmapjfr.ErrCorrupt)
	}
	if typ, ok := c.described.Agrees(root); !ok {
		return fmt.Errorf("%w: the metadata event describes %s in another way than the newest", mmapjfr.ErrCorrupt, typ)
	}
	return nil
}

// newMetadata returns a metadata event that describes all types.
func (c *chunk) newMetadata(id int64) []byte {
	a := wire.Appender{Encoding: c.form}
	metatree.AppendEvent(&a, c.header.StartTicks, id, c.described.Tree(c.types.Types))
	return a.Bytes
}

// headerAt reads the event header at an offset.
func (c *chunk) headerAt(offset uint64) (index.EventHeader, bool) {
	var one [1]index.EventHeader
	n, _, _ := c.in.ReadHeaders(offset, offset+1, one[:])
	return one[0], n == 1 && one[0].Offset == offset
}

// readMetadata reads the string table where the cursor stands, and the tree after it.
// It returns nil if they do not fit, or if a text is null or a constant: the JDK cannot read that.
func readMetadata(cur wire.Cursor) *metatree.Element {
	refused := false
	root, wrong := metatree.Read(&cur, func(_, _ int, t wire.Text) {
		refused = refused || t.Encoding == wire.Null || t.Encoding == wire.Constant
	})
	if wrong != "" || refused {
		return nil
	}
	for region := range root.Named("region") {
		if _, ok := region.Get("dst"); !ok { // as older virtual machines write it
			region.Set("dst", "0")
		}
	}
	return root
}
