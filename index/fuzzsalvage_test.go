package index_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
)

// FuzzSalvage salvages any bytes: the result must hold together as what New makes does,
// and have no fewer events.
func FuzzSalvage(f *testing.F) {
	whole := tiny(false).Bytes()
	f.Add(whole)
	f.Add(tiny(true).Bytes())
	f.Add(whole[20:])
	f.Add(setState(whole, 3))
	f.Add(put(put(whole, sizeAt, 1<<30), metadataAt, 0))
	f.Add(join([]byte("before"), small(3).Bytes()[:200], whole, small(1).Uncompressed().Bytes()[:150], whole))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 16<<10 {
			return
		}
		x, err := index.Salvage(data)
		wantSentinel(t, err)
		strict, strictErr := index.New(data)
		if err != nil {
			if strictErr == nil { // what looks like a header may be all there is
				require.Zero(t, eventsIn(strict, nil))
			}
			return
		}
		end := uint64(0)
		for _, c := range x.Chunks() {
			require.GreaterOrEqual(t, c.Offset(), end)
			end = c.Offset() + uint64(len(c.Data()))
			require.LessOrEqual(t, end, uint64(len(data)))
			for _, err := range c.Salvaged().Errors() {
				wantSentinel(t, err)
			}
			driveChunk(t, c)
		}
		if strictErr == nil {
			require.GreaterOrEqual(t, eventsIn(x, nil), eventsIn(strict, x))
		}
	})
}

// eventsIn counts the events whose fields fit them. With other they must also have begun
// while the chunk was written that other has in their place: in damage there is much that
// can be read and means nothing.
func eventsIn(x, other *index.Index) (n int) {
	for _, c := range x.Chunks() {
		types, err := c.AllTypes()
		if err != nil {
			continue
		}
		all, _, _ := walk(c)
		for _, rec := range all {
			class := types.ByID(rec.Type)
			if class == nil || !rec.IsEvent() {
				continue
			}
			plan, err := class.Plan()
			if err != nil {
				continue
			}
			if _, ok := plan.Skip(c.Data()[:rec.End()], int(rec.Body())); ok && (other == nil || begun(types, class, plan, c, rec, other)) {
				n++
			}
		}
	}
	return n
}

// begun reports whether an event began while the chunk was written that other has there.
func begun(types *schema.TypeSet, class *schema.Type, plan *schema.Plan, c *index.Chunk, rec index.EventHeader, other *index.Index) bool {
	slot, _ := types.TimeAndThreadSlots(class)
	if slot < 0 {
		return false
	}
	pos, ok := plan.SlotOffset(c.Data()[:rec.End()], int(rec.Body()), slot)
	if !ok {
		return false
	}
	ticks, _ := c.IntEncoding().Long(c.Data()[pos:rec.End()])
	at := c.Offset() + rec.Offset
	for _, o := range other.Chunks() {
		if at >= o.Offset() && at < o.Offset()+uint64(len(o.Data())) {
			h := o.Header()
			return ticks >= h.StartTicks && float64(ticks-h.StartTicks) <= float64(h.DurationNanos)*float64(h.TicksPerSecond)/1e9
		}
	}
	return false
}
