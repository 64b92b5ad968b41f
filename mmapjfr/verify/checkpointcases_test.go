package verify_test

import (
	"testing"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

func checkpointCases(testing.TB) (all []damaged) {
	build := func(name string, kind verify.Kind, typ, text string, make func(b *jfrtest.Builder), at func(l *jfrtest.Layout) int64, also ...verify.Kind) {
		b, _ := plain()
		make(b)
		data, l := b.Build()
		all = append(all, damaged{name: name, kind: kind, data: data, offset: at(l), typ: typ, text: text, also: also})
	}
	// The constants of plain come last, so that they are found whatever happens to
	// checkpoints before.
	checkpoint := func(i int) func(l *jfrtest.Layout) int64 {
		return func(l *jfrtest.Layout) int64 { return l.Checkpoints[i].Offset }
	}
	pool := func(i int) func(l *jfrtest.Layout) int64 {
		return func(l *jfrtest.Layout) int64 { return l.Checkpoints[0].Pools[i].Offset }
	}
	build("short", verify.BadCheckpoint, "", "does not fit into its 4 bytes", func(b *jfrtest.Builder) {
		b.EmitRaw(jfrtest.EventOptions{}, jfrtest.CheckpointTypeID, []byte{0, 0})
	}, func(l *jfrtest.Layout) int64 { return l.Events[2].Offset })
	build("into the header", verify.BrokenChain, "", "out of the chunk, by 40 bytes", func(b *jfrtest.Builder) {
		b.Constants().Delta = new(int64(-1 << 20))
		_, l := b.Build()
		b.Constants().Delta = new(40 - l.Checkpoints[0].Offset)
	}, checkpoint(0))
	build("into an event", verify.BrokenChain, "", "where none begins", func(b *jfrtest.Builder) {
		b.Constants().Delta = new(int64(-3))
	}, checkpoint(0))
	build("from the header", verify.BrokenChain, "", "where none begins", func(b *jfrtest.Builder) {
		_, l := b.Build()
		b.ForceCheckpointOffset = new(l.Events[0].Offset)
	}, func(*jfrtest.Layout) int64 { return 16 }, verify.DanglingConstant, verify.UnchainedCheckpoint)
	build("of two", verify.ChainLoop, "", "comes back", func(b *jfrtest.Builder) {
		b.Checkpoint(0).Prev = b.Constants()
	}, checkpoint(0), verify.ForwardChain)
	build("to a newer one", verify.ForwardChain, "", "bytes after it", func(b *jfrtest.Builder) {
		older := b.Checkpoint(0)
		older.Prev = b.Constants()
		b.Constants().Delta = new(int64(0))
		b.ChainStart = older
	}, checkpoint(0))
	build("left out", verify.UnchainedCheckpoint, "", "does not lead to it", func(b *jfrtest.Builder) {
		b.Checkpoint(0).Unlinked = true
	}, checkpoint(0))
	build("bit", verify.CheckpointMask, "", "mask 0x41", func(b *jfrtest.Builder) {
		b.Checkpoint(0x41)
	}, checkpoint(0))
	build("not described", verify.PoolType, "", "type 999 of pool 1 of 1", func(b *jfrtest.Builder) {
		b.Checkpoint(0).PoolID(999)
	}, pool(0))
	build("without a layout", verify.PoolType, "test.Ring", "contains itself", func(b *jfrtest.Builder) {
		b.Add(&jfrtest.Class{ID: 5000, Name: "test.Ring", Fields: []jfrtest.Field{jfrtest.Of("ring", "test.Ring")}})
		c := b.Checkpoint(0)
		c.PoolID(5000).Count = new(int64(1))
		c.Trailing = []byte{1, 1}
	}, pool(0), verify.TypeLayout)
	build("of constants", verify.PoolCount, "jdk.types.Symbol", "1048576 constants", func(b *jfrtest.Builder) {
		b.Checkpoint(0).Pool("jdk.types.Symbol").Add(1, "x").Count = new(int64(1 << 20))
	}, pool(0))
	build("of pools", verify.PoolCount, "", "before pool 2 of 2", func(b *jfrtest.Builder) {
		c := b.Checkpoint(0)
		c.Add("jdk.types.Symbol", 1, "x")
		c.PoolCount = new(int64(2))
	}, func(l *jfrtest.Layout) int64 { return l.Checkpoints[0].End() })
	build("empty", verify.EmptyPool, "jdk.types.Symbol", "no constants", func(b *jfrtest.Builder) {
		b.Checkpoint(0).Pool("jdk.types.Symbol")
	}, pool(0))
	build("string", verify.BadConstant, "jdk.types.Symbol", "constant 2 of 3: string", func(b *jfrtest.Builder) {
		b.Checkpoint(0).Pool("jdk.types.Symbol").Add(1, "x").Add(2, jfrtest.UTF8("x").Claiming(1000)).Add(3, "y")
	}, func(l *jfrtest.Layout) int64 { return l.Checkpoints[0].Pools[0].Constants[1].Offset })
	build("bytes after", verify.CheckpointTrailingBytes, "", "2 bytes", func(b *jfrtest.Builder) {
		b.Checkpoint(0).Trailing = []byte{0, 0}
	}, checkpoint(0))
	build("other value", verify.DuplicateKey, "jdk.types.Symbol", "key 1 stands for another", func(b *jfrtest.Builder) {
		b.Checkpoint(0).Add("jdk.types.Symbol", 1, "x")
		b.Checkpoint(0).Add("jdk.types.Symbol", 1, "y")
	}, func(l *jfrtest.Layout) int64 { return l.Checkpoints[1].Pools[0].Constants[0].Offset })
	for _, descriptor := range []string{"(JXV", "(Lno/end)V", "([)V", ""} {
		build("descriptor "+descriptor, verify.BadDescriptor, "jdk.types.Method", "descriptor is ", func(b *jfrtest.Builder) {
			b.Class("jdk.types.Method", jfrtest.Of("descriptor", jfrtest.StringClass))
			b.Checkpoint(0).Pool("jdk.types.Method").Add(1, descriptor).Add(2, "(JX[Lp/Q;)V")
		}, func(l *jfrtest.Layout) int64 { return l.Checkpoints[0].Pools[0].Constants[0].Value.Offset })
	}
	return all
}
