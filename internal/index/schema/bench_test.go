package schema_test

import (
	"testing"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// An event as samples have it: a time, two constants and a state, and another one with texts.
func BenchmarkPlan(b *testing.B) {
	chunk := jfrtest.NewChunk()
	sample := chunk.Event("test.Sample", jfrtest.EventThread(), jfrtest.Const("stackTrace", "jdk.types.StackTrace"), jfrtest.Of("state", "int"))
	text := chunk.Event("test.Text", jfrtest.Of("name", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass), jfrtest.Of("n", "long"))
	chunk.Class("jdk.types.StackTrace", jfrtest.Of("truncated", "boolean"))
	for i := range 1000 {
		chunk.Emit(sample, 1_000_000+i, 7, 100+i, 3)
		chunk.Emit(text, 1_000_000+i, "a name", "and a value", i)
	}
	data, layout := chunk.Build()
	types := typesOf(b, onlyChunk(b, data))
	offs := make([]uint32, types.MaxSlots())
	for _, class := range []*jfrtest.Class{sample, text} {
		plan, err := types.ByID(schema.TypeID(class.ID)).Plan()
		if err != nil {
			b.Fatal(err)
		}
		var bodies, ends []int
		for _, e := range layout.Events {
			if e.Type == class.ID {
				bodies, ends = append(bodies, int(e.Body)), append(ends, int(e.End()))
			}
		}
		report := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(bodies)), "ns/event")
		}
		b.Run("Layout/"+class.Name, func(b *testing.B) {
			for b.Loop() {
				for i, at := range bodies {
					if _, ok := plan.Layout(data, at, ends[i], offs); !ok {
						b.Fatal("an event does not fit")
					}
				}
			}
			report(b)
		})
		b.Run("Skip/"+class.Name, func(b *testing.B) {
			for b.Loop() {
				for i, at := range bodies {
					if _, ok := plan.Skip(data[:ends[i]], at); !ok {
						b.Fatal("an event does not fit")
					}
				}
			}
			report(b)
		})
		columns := make([][]int64, plan.NumSlots())
		for i := range columns {
			columns[i] = make([]int64, len(bodies))
		}
		pos := make([]int, len(bodies))
		b.Run("DecodeColumns/"+class.Name, func(b *testing.B) {
			for b.Loop() {
				copy(pos, bodies)
				plan.DecodeColumns(data, pos, columns)
			}
			report(b)
		})
	}
}
