package verify

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// checkpoint is how a checkpoint is linked with others.
type checkpoint struct {
	delta int64
	bad   bool // the head cannot be read
}

// knownMask has the bits of a checkpoint's mask that have a meaning.
const knownMask = index.CheckpointFlush | index.CheckpointHeader | index.CheckpointStatics | index.CheckpointThread

// checkpoint checks a checkpoint and all that it holds (FORMAT.md, section 6).
func (w *walker) checkpoint(ev *index.EventHeader) {
	cur := wire.NewCursor(w.data[:ev.End()], int(ev.Body()), w.form)
	head := wire.ReadCheckpointHead(&cur)
	cp := checkpoint{delta: head.Delta, bad: !cur.OK()}
	w.s.mu.Lock()
	w.s.checkpoints[ev.Offset] = cp
	w.s.mu.Unlock()
	if cp.bad {
		w.report(badCheckpoint, ev.Offset, "", "its head does not fit into its %d bytes", ev.Size)
		return
	}
	if rest := head.Mask &^ knownMask; rest != 0 {
		w.report(checkpointMask, ev.Offset, "", "mask %#02x has bits without a meaning", head.Mask)
	}
	if w.types == nil {
		return
	}
	for i := range head.Pools {
		if !w.pool(&cur, i, head.Pools) {
			return
		}
	}
	if rest := cur.Len(); rest > 0 {
		w.report(checkpointTrailingBytes, ev.Offset, "", "%s", plural("%d bytes are left after the last pool", rest))
	}
}

// pool checks a pool. It returns false if the next pool cannot be found.
func (w *walker) pool(cur *wire.Cursor, i, pools int) bool {
	at := uint64(cur.Pos())
	id := schema.TypeID(cur.Long())
	count, size := w.form.Count(w.data[cur.Pos() : cur.Pos()+cur.Len()])
	if !cur.OK() || size == 0 {
		w.report(poolCount, at, "", "the checkpoint ends before pool %d of %d", i+1, pools)
		return false
	}
	typ := w.describe(id)
	if typ == nil {
		w.report(poolType, at, "", "type %d of pool %d of %d is not described", id, i+1, pools)
		return false
	}
	cur.Seek(cur.Pos() + size)
	if count > uint64(cur.Len()) {
		w.report(poolCount, at, typ.Name, "the pool has %d constants, more than the %d bytes that are left", count, cur.Len())
		return false
	}
	if count == 0 {
		w.report(emptyPool, at, typ.Name, "the pool has no constants")
		return true
	}
	p := w.program(typ)
	if p.unreadable != "" {
		w.report(poolType, at, typ.Name, "%s", p.unreadable)
		return false
	}
	end, ok := w.constantsOf(typ, p, cur.Pos(), cur.Pos()+cur.Len(), int(count))
	cur.Seek(end)
	return ok
}

// constantsOf checks the constants of a pool.
func (w *walker) constantsOf(typ *schema.Type, p *valueProgram, pos, end, count int) (next int, ok bool) {
	w.typeName = typ.Name
	for i := range count {
		w.begin = uint64(pos)
		key, at := w.long(w.data[:end], pos)
		if at == 0 {
			w.fault = fault{text: plural("its key does not fit into the %d bytes that are left", end-pos)}
		} else {
			next, ok = w.value(p, at, end)
		}
		if at == 0 || !ok {
			w.arrays = w.arrays[:0]
			w.report(badConstant, w.begin, typ.Name, "constant %d of %d: %s", i+1, count, w.fault.text)
			return pos, false
		}
		w.constants++
		w.duplicateKey(typ, key, at, next)
		pos = next
	}
	return pos, true
}

// duplicateKey reports a constant if another one has the same key and a different value.
func (w *walker) duplicateKey(typ *schema.Type, key int64, at, end int) {
	if w.found == nil || typ.CurrentName() == jdktypes.ChunkHeader { // all copies have the same key, and nothing refers to them
		return
	}
	used, ok := w.found.Lookup(typ, key)
	if !ok || used == uint64(at) || bytes.HasPrefix(w.data[used:], w.data[at:end]) {
		return
	}
	w.report(duplicateKey, w.begin, typ.Name, "key %d stands for another constant, the one at %#x", key, w.base+used)
}

// chain checks that the chain leads to all checkpoints, and ends.
func (s *chunkCheck) chain() {
	h := s.c.Header()
	at, from := h.Checkpoint, uint64(checkpointAt)
	seen := make(map[uint64]bool)
	whole := false
	for at != 0 {
		if seen[at] {
			s.report(chainLoop, from, "", "the chain of checkpoints comes back to the one at %#x", s.base+at)
			break
		}
		cp, ok := s.checkpoints[at]
		if !ok {
			s.brokenChain(from, at)
			break
		}
		seen[at] = true
		if cp.bad {
			break
		}
		if cp.delta == 0 {
			whole = true
			break
		}
		if cp.delta > 0 {
			s.report(forwardChain, at, "", "the next older checkpoint lies %d bytes after it", cp.delta)
		}
		at, from = at+uint64(cp.delta), at
	}
	// Where the chain breaks off, older checkpoints are lost. That has been reported.
	for _, offset := range slices.SortedFunc(maps.Keys(s.checkpoints), cmp.Compare) {
		if !seen[offset] && !s.checkpoints[offset].bad && (whole || h.Checkpoint == 0 || offset > at) {
			s.report(unchainedCheckpoint, offset, "", "the chain of checkpoints does not lead to it")
		}
	}
}

// brokenChain reports that no checkpoint begins where the chain leads to.
func (s *chunkCheck) brokenChain(from, at uint64) {
	if s.endMissing() && from == checkpointAt && at >= uint64(len(s.c.Data())) {
		return // the end of the chunk is missing, and has been reported
	}
	f := s.find(brokenChain, from)
	switch {
	case f == nil:
	case at < s.c.FirstEvent() || at >= uint64(len(s.c.Data())):
		f.Text = fmt.Sprintf("the chain of checkpoints leads out of the chunk, by %d bytes from its beginning", int64(at))
	default:
		f.Text = fmt.Sprintf("the chain of checkpoints leads to %#x, where none begins", s.base+at)
	}
}
