package mmapjfr_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// cutInPool returns a chunk whose every event refers to a constant, and where the file is
// to be cut: near the end of its one pool, after all events.
func cutInPool() (data []byte, size int64) {
	b := jfrtest.NewChunk()
	b.MetadataFirst = true
	thread := b.Lookup("java.lang.Thread")
	text := b.Class("test.Text", jfrtest.Of("text", jfrtest.StringClass))
	ty := b.Event("test.Event", jfrtest.Const("eventThread", thread.Name), jfrtest.Const("text", text.Name))
	const events, pool = 3000, 3000
	for i := range events {
		b.Emit(ty, start+i, 1, i%pool)
	}
	b.Constants().Add(thread.Name, int64(1), "os", 1, "java", 1, 0, false)
	for i := range pool {
		b.Constants().Add(text.Name, int64(i), "the text of a constant")
	}
	data, layout := b.Build()
	last := layout.Events[len(layout.Events)-1]
	return data, max(last.End()+8192, int64(len(data))-8192) &^ 4095
}

// readsConstants are the ways to read all constants that the events refer to.
var readsConstants = []struct {
	name string
	read func(rec *mmapjfr.Recording) error
}{
	{"values", func(rec *mmapjfr.Recording) (err error) {
		text := mmapjfr.Path("text.text")
		for ev, e := range rec.Events() {
			if e != nil {
				err = e
				continue
			}
			_ = ev.Str(text)
		}
		return err
	}},
	{"Batches", func(rec *mmapjfr.Recording) error {
		text := mmapjfr.Path("text.text")
		return engine.SelectionBatches(rec.Select(), context.Background(), func(_ int, b *mmapjfr.Batch) error {
			_ = engine.BatchStrings(b, text)
			return nil
		})
	}},
	{"Threads", func(rec *mmapjfr.Recording) (err error) {
		for range 1000 {
			wanted := mmapjfr.ThreadsFunc(func(mmapjfr.Thread) bool { return true })
			for _, e := range rec.Select(wanted).Events() {
				err = e
			}
		}
		return err
	}},
	{"EventAtOffset", func(rec *mmapjfr.Recording) (err error) {
		for range 1000 {
			_, err = rec.EventAtOffset(68)
		}
		return err
	}},
	{"Constant", func(rec *mmapjfr.Recording) (err error) {
		c := rec.Chunks()[0]
		types, err := c.Types()
		for _, ty := range types {
			for key := range int64(100) {
				_ = engine.ChunkConstant(c, ty, key)
			}
			for range engine.ChunkConstants(c, ty) {
				continue
			}
			err = c.ConstantsErr()
		}
		return err
	}},
	{"where", func(rec *mmapjfr.Recording) (err error) {
		types, err := rec.Types()
		if err != nil {
			return err
		}
		condition, err := where.Parse("text.text ~ other")
		if err != nil {
			return err
		}
		filter, err := condition.Filter(types)
		if err != nil {
			return err
		}
		for ev, e := range rec.Select(filter).Events() {
			if e != nil {
				err = e
				continue
			}
			_ = condition.Matches(ev)
		}
		return err
	}},
}

// TestWorkOnACutFileIsBounded: finding the constants of a chunk fails where the file has
// been cut, and it fails once, not for each value that refers to one.
func TestWorkOnACutFileIsBounded(t *testing.T) {
	if !wire.Debug {
		t.Skip("steps are counted with -tags jfrdebug")
	}
	for _, r := range readsConstants {
		t.Run(r.name, func(t *testing.T) {
			crash(t, func(t *testing.T) {
				data, size := cutInPool()
				rec, cut := cuttable(t, data)
				_, err := rec.Types()
				require.NoError(t, err)
				cut(size)
				before := wire.Steps()
				err = r.read(rec)
				assert.LessOrEqual(t, wire.Steps()-before, uint64(stepsPerByte*len(data)), "steps for %d bytes", len(data))
				assert.ErrorIs(t, err, mmapjfr.ErrTruncated)
			})
		})
	}
}
