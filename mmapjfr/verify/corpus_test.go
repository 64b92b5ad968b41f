package verify_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// peculiar is what there is to be said of real recordings; of all others nothing.
var peculiar = map[string]map[verify.Kind]uint64{
	"jdk17-live":    {verify.UnfinishedChunk: 1},
	"jdk25-live":    {verify.UnfinishedChunk: 1},
	"jdk25-live-1":  {verify.UnfinishedChunk: 1},
	"jdk25-live-2":  {verify.UnfinishedChunk: 1},
	"jdk25-killed":  {verify.UnfinishedChunk: 1},
	"jdk17-strings": {verify.LoneSurrogate: 38},
	"jdk25-strings": {verify.LoneSurrogate: 33},
	// A thread that two fields of an event hold, and that is in no pool.
	"jdk25-kinds": {verify.DanglingConstant: 2},
	"jdk25-ticks": {verify.DanglingConstant: 2},

	"dd-trace-java": {verify.DuplicateKey: 265, verify.EventTime: 114},
	// Its first chunk says 1.8 GHz of a clock that runs at 2.3 GHz; the last is by
	// another recorder and of the time of the second.
	"event-with-type-zero": {verify.DuplicateKey: 82, verify.EventTime: 25483, verify.EmptyPool: 2, verify.ChunkOrder: 1},
	// Two threads, and a stack trace, that are in no pool.
	"flush_incremental_metadata": {verify.DanglingConstant: 212},
	"jdk15":                      {verify.EventTime: 3},
	// The stack trace of a sample of an old object.
	"uint64-ref-id": {verify.DanglingConstant: 1, verify.DuplicateKey: 12560},
}

// TestRealRecordings takes nothing for damage that real recorders write.
func TestRealRecordings(t *testing.T) {
	for _, rec := range recordings(t) {
		t.Run(rec.name, func(t *testing.T) {
			r := check(t, rec.data, 2)
			found := kindsOf(r)
			want := peculiar[rec.name]
			if want == nil {
				want = map[verify.Kind]uint64{}
			}
			assert.Equal(t, want, found, "%+v", r.Findings)
			assert.Equal(t, found[verify.EmptyPool] == 0, r.OK(verify.Error), "the JDK refuses empty pools")
			assert.NotZero(t, r.Chunks)
			assert.NotZero(t, r.Constants)
			assert.NotZero(t, r.References)
		})
	}
}

// TestReference compares with the slow decoder which references lead nowhere, and how
// many events and constants there are.
func TestReference(t *testing.T) {
	for _, rec := range recordings(t) {
		t.Run(rec.name, func(t *testing.T) {
			data := rec.data
			if h, ok := wire.ReadHeader(data); ok && !h.Finished() {
				data = data[:h.Size] // what is after that does not count yet
			}
			ref, err := jfrtest.Decode(data)
			require.NoError(t, err)
			events, constants, checkpoints := 0, 0, 0
			dangling := map[uint64]int{}
			for _, c := range ref.Chunks {
				events += len(c.Events)
				checkpoints += len(c.Checkpoints)
				for _, cp := range c.Checkpoints {
					for _, p := range cp.Pools {
						constants += len(p.Keys)
					}
				}
				for i := range c.Events {
					for _, f := range c.Events[i].Fields {
						if n := missing(c, f.Value); n > 0 {
							dangling[uint64(c.Events[i].Offset)] += n
						}
					}
				}
			}
			r := check(t, rec.data, 2, verify.MaxFindings(1_000_000))
			assert.Equal(t, uint64(events), r.Events)
			assert.Equal(t, uint64(constants), r.Constants)
			assert.Equal(t, uint64(checkpoints), r.Checkpoints)
			found := map[uint64]int{}
			for _, f := range r.Findings {
				if f.Kind == verify.DanglingConstant {
					found[f.Offset]++
				}
			}
			assert.Equal(t, dangling, found)
		})
	}
}

// missing counts the references in a value of an event that lead nowhere.
func missing(c *jfrtest.Chunk, v any) (n int) {
	switch v := v.(type) {
	case jfrtest.Constant:
		if _, is := c.Resolve(v).(jfrtest.Missing); is {
			return 1
		}
	case *jfrtest.Struct:
		for _, f := range v.Fields {
			n += missing(c, f.Value)
		}
	case []any:
		for _, e := range v {
			n += missing(c, e)
		}
	}
	return n
}
