package query_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestSeveralJVMs answers statements that group by numbers of a virtual machine, and by classes, in recordings of two: the
// former are kept apart, and the latter are the same if their names are, in any order and by way of bytes.
func TestSeveralJVMs(t *testing.T) {
	a, b := open(t, "jdk17-profile"), open(t, "jdk25-profile")
	types, err := mmapjfr.EventTypes([]*mmapjfr.Recording{a, b})
	require.NoError(t, err)
	for text, apart := range map[string]bool{
		"select gcId, count(*), last(GarbageCollection.name), max(GCHeapSummary.heapUsed) from GarbageCollection, GCHeapSummary group by gcId":  true,
		"select safepointId, diff([SafepointBegin|SafepointEnd].startTime) from jdk.SafepointBegin, jdk.SafepointEnd group by safepointId":      true,
		"select objectClass, count(*) from ObjectAllocationInNewTLAB, ObjectAllocationOutsideTLAB, ObjectAllocationSample group by objectClass": false,
		"select thrownClass, count(*) from JavaExceptionThrow group by thrownClass":                                                             false,
	} {
		for _, o := range []query.Options{{}, {JDK: true}} {
			st, err := query.Parse(text, o)
			require.NoError(t, err, text)
			read := func(o query.Options, recs ...*mmapjfr.Recording) *query.Partial {
				p, err := st.Plan(types, o)
				require.NoError(t, err, text)
				found, err := query.Read(t.Context(), recs, []*query.Plan{p}, query.ReadOptions{})
				require.NoError(t, err, text)
				return found[0]
			}
			want := sorted(rows(t, read(o, a, b)))
			each := sorted(rows(t, read(o, a)) + rows(t, read(o, b)))
			if apart {
				assert.Equal(t, each, want, text)
			} else {
				assert.Less(t, len(want), len(each), text)
				assert.Len(t, slices.CompactFunc(slices.Clone(want), sameClass), len(want), "%s: a class is there twice", text)
			}
			assert.Equal(t, want, sorted(rows(t, read(o, b, a))), text)
			o.Incomplete = true
			whole := bytesOf(t, read(o, a, b))
			for _, list := range [][]*mmapjfr.Recording{{a, b}, {b, a}} {
				p, err := st.Plan(types, o)
				require.NoError(t, err)
				sum := p.NewPartial()
				for _, rec := range list {
					again, err := p.Unmarshal(bytesOf(t, read(o, rec)))
					require.NoError(t, err)
					sum.Merge(again)
				}
				assert.Equal(t, whole, bytesOf(t, sum), text)
				again, err := p.Unmarshal(bytesOf(t, sum))
				require.NoError(t, err)
				assert.Equal(t, want, sorted(rows(t, again)), text)
			}
		}
	}
}

func sorted(rows string) []string { return slices.Sorted(strings.Lines(rows)) }

func sameClass(a, b string) bool {
	x, _, _ := strings.Cut(a, "\t")
	y, _, _ := strings.Cut(b, "\t")
	return x == y
}
