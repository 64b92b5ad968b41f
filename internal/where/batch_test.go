package where_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// compareBatches compares what MatchBatch and Matches say of all events that can be read. It leaves
// out events at random, those whose numbers have no bit in common with mask.
func compareBatches(t *testing.T, rec *mmapjfr.Recording, conditions []*where.Condition, mask int) (matching []int) {
	t.Helper()
	matching = make([]int, len(conditions))
	_ = engine.SelectionBatches(engine.SelectionWithWorkers(rec.Select(), 1), context.Background(), func(_ int, b *mmapjfr.Batch) error {
		var all, want []int
		for i := range engine.BatchLen(b) {
			if i&mask != 0 || mask == 255 {
				all = append(all, i)
			}
		}
		for n, c := range conditions {
			want = want[:0]
			for _, i := range all {
				if c.Matches(engine.BatchEvent(b, i)) {
					want = append(want, i)
				}
			}
			matching[n] += len(want)
			if got := c.MatchBatch(b, slices.Clone(all)); !slices.Equal(want, got) {
				t.Fatalf("%s of %s: %v, Matches: %v", c, engine.BatchType(b).Name(), got, want)
			}
		}
		return nil
	})
	return matching
}

// TestMatchBatch compares random conditions on all fields.
func TestMatchBatch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"jdk25-profile.jfr", "jdk25-kinds.jfr", "jdk25-strings.jfr", "jdk17-oldobjects.jfr", "concat-jdk17-jdk25.jfr"} {
		t.Run(name, func(t *testing.T) {
			rec := open(t, name)
			comparisons := comparisonsOf(t, rec, random)
			var conditions []*where.Condition
			for range 150 {
				text := comparisons[random.IntN(len(comparisons))]
				for range random.IntN(3) {
					text = fmt.Sprintf("%s(%s) %s %s", []string{"", "not "}[random.IntN(2)], text, []string{"and", "or"}[random.IntN(2)], comparisons[random.IntN(len(comparisons))])
				}
				c, err := where.Parse(text)
				require.NoError(t, err, text)
				conditions = append(conditions, c)
			}
			matching := compareBatches(t, rec, conditions, []int{255, 3, 129}[random.IntN(3)])
			require.Less(t, len(slices.DeleteFunc(matching, func(n int) bool { return n > 0 })), 110, "conditions that nothing matches")
		})
	}
}

// comparisonsOf returns comparisons of all fields with their own values and with others.
func comparisonsOf(t *testing.T, rec *mmapjfr.Recording, random *rand.Rand) (list []string) {
	t.Helper()
	fields := []string{
		"@type", "@start", "@end", "@duration", "@thread", "@thread.name", "@stack", "@top", "@top.line", "@class", "@size", "@chunk", "thread",
		"stackTrace.frames[0].method.name", "stackTrace.truncated", "eventThread.javaId", "objectClass.@raw", "object.type", "heapSpace.committedSize",
	}
	seen := make(map[string]bool)
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		names := fields
		for f := range ev.Fields() {
			names = append(names, f.Name())
		}
		name := names[random.IntN(len(names))]
		path, err := mmapjfr.ParsePath(name)
		if err != nil || !ev.Has(path) || seen[ev.Type().Name()+name] && random.IntN(50) > 0 {
			continue
		}
		seen[ev.Type().Name()+name] = true
		field, _, err := ev.Type().Resolve(path)
		require.NoError(t, err)
		operators := []string{"=", "!=", "~", "!~", "<", "<=", ">", ">=", "IN", "LIKE", "BETWEEN", "IS"}
		values := []string{"null", "0", "1", "a", "10ms", "true", "1.5", "-1", "50%", "2026-11-20", "''", "~"}
		if v := ev.Get(path); v.Kind() == mmapjfr.KindStruct || v.Kind() == mmapjfr.KindString {
			values = append(values[:1], "'"+strings.NewReplacer("'", `\'`, `\`, `\\`).Replace(v.Str())+"'", "'a'", "''", "java")
		} else if field.Unit().IsTimespan() {
			values = []string{"null", fmt.Sprintf("%dns", v.Duration()), "0", "1ms"}
		} else if field.Unit().IsTimestamp() {
			values = []string{"null", v.Time().Format("2006-01-02T15:04:05.999999999Z"), "2026-11-20"}
		} else if v.Kind() != mmapjfr.KindArray {
			values = []string{fmt.Sprint(v.Float()), fmt.Sprint(v.Int()), fmt.Sprint(v.Uint()), "0", "1.5", "null", fmt.Sprint(v.Bool())}
		}
		value := func() string { return values[random.IntN(len(values))] }
		text := "`" + name + "` " + operators[random.IntN(len(operators))] + " "
		switch word := text[strings.LastIndexByte(text[:len(text)-1], ' ')+1:]; word {
		case "IN ":
			text += "(" + value() + ", " + value() + ")"
		case "BETWEEN ":
			text += value() + " AND " + value()
		case "IS ":
			text += []string{"NULL", "NOT NULL"}[random.IntN(2)]
		default:
			text += value()
		}
		if _, err := where.Parse(text); err == nil {
			list = append(list, text)
		}
	}
	return list
}

func TestMatchBatchAllocatesNothing(t *testing.T) {
	if raceDetector || wire.Debug {
		t.Skip("pools lose what they hold, and views of strings are copied")
	}
	rec := open(t, "jdk25-profile.jfr")
	for _, text := range []string{
		"duration BETWEEN 1us AND 1ms", "startTime>2026-01-01 AND NOT gcId IN (1, 2)", "thread~^pool || eventThread!=main", "stackTrace LIKE '%HashMap%'",
		"objectClass=byte[]", "path~txt$", "machineTotal>10% || gcId=1", "@type ~ Park", "@top.line > 10", "heapSpace.committedSize > 1",
	} {
		c, err := where.Parse(text)
		require.NoError(t, err)
		keep, once := make([]int, 0, mmapjfr.BatchLen), false
		require.NoError(t, engine.SelectionBatches(engine.SelectionWithWorkers(rec.Select(mmapjfr.TypesFunc(c.CanMatch)), 1), t.Context(), func(_ int, b *mmapjfr.Batch) error {
			match := func() {
				keep = keep[:0]
				for i := range engine.BatchLen(b) {
					keep = append(keep, i)
				}
				c.MatchBatch(b, keep)
			}
			match()
			once = true
			require.Zero(t, testing.AllocsPerRun(2, match), text)
			return nil
		}))
		require.True(t, once, text)
	}
}

func BenchmarkMatch(b *testing.B) {
	rec := open(b, "jdk25-profile.jfr")
	for _, text := range []string{"duration > 1ms", "startTime > 2026-01-01", "gcId IN (1, 2, 3)", "eventThread = main", "stackTrace ~ HashMap", "machineTotal > 10%", "path ~ txt$"} {
		c, err := where.Parse(text)
		require.NoError(b, err)
		sel := engine.SelectionWithWorkers(rec.Select(mmapjfr.TypesFunc(c.CanMatch)), 1)
		for way, match := range map[string]func(batch *mmapjfr.Batch, keep []int){
			"batch": func(batch *mmapjfr.Batch, keep []int) { c.MatchBatch(batch, keep) },
			"single": func(batch *mmapjfr.Batch, keep []int) {
				for _, i := range keep {
					c.Matches(engine.BatchEvent(batch, i))
				}
			},
		} {
			b.Run(text+"/"+way, func(b *testing.B) {
				var keep []int
				n := 0
				b.ReportAllocs()
				b.StopTimer()
				require.NoError(b, engine.SelectionBatches(sel, b.Context(), func(_ int, batch *mmapjfr.Batch) error {
					keep = keep[:0]
					for i := range engine.BatchLen(batch) {
						keep = append(keep, i)
					}
					if len(keep) < 32 {
						return nil
					}
					match(batch, keep)
					b.StartTimer()
					for range b.N {
						match(batch, keep)
					}
					b.StopTimer()
					n += len(keep)
					return nil
				}))
				if n > 0 {
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/event")
				}
			})
		}
	}
}

// TestMatchBatchOfTicks compares lengths of time without an end, by a clock of another rate.
func TestMatchBatchOfTicks(t *testing.T) {
	rec := open(t, "jdk25-ticks.jfr")
	var conditions []*where.Condition
	for _, text := range []string{"ticks > 106751d", "ticks <= 1000d", "ticks = null", "NOT ticks IN (0, 9223372036854775807)", "startTime > 2026-01-01"} {
		c, err := where.Parse(text)
		require.NoError(t, err)
		conditions = append(conditions, c)
	}
	matching := compareBatches(t, rec, conditions, 255)
	require.NotContains(t, matching, 0)
}
