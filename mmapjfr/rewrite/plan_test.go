package rewrite_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// line is what a naive selection knows of an event: what is printed.
type line struct {
	text   string
	Type   string  `json:"@type"`
	Start  *string `json:"startTime"`
	Thread *struct {
		Name string `json:"name"`
	} `json:"eventThread"`
}

// begin returns when the event began, the zero time if it does not say.
func (l *line) begin(t testing.TB) (at time.Time) {
	if l.Start != nil {
		var err error
		at, err = time.Parse(time.RFC3339Nano, *l.Start)
		require.NoError(t, err)
	}
	return at
}

func linesOf(t testing.TB, recs ...*mmapjfr.Recording) (list []line) {
	for text := range strings.Lines(ndjson(t, print.Options{}, recs...)) {
		l := line{text: text}
		require.NoError(t, json.Unmarshal([]byte(text), &l))
		list = append(list, l)
	}
	return list
}

func textOf(list []line, keep func(l *line) bool) string {
	var text strings.Builder
	for i := range list {
		if keep(&list[i]) {
			text.WriteString(list[i].text)
		}
	}
	return text.String()
}

// distant is the end of a time that is years away from the others: if a chunk begins later, it can become one of a few
// nanoseconds before, as times are computed with floating-point numbers.
var distant = regexp.MustCompile(`"ticks":"[^"]*"`)

// same fails unless the copy of a recording has exactly these events, and nothing is wrong in it that was not before:
// chunks are copied with what is wrong in them.
func same(t testing.TB, rec *mmapjfr.Recording, want string, data []byte) {
	t.Helper()
	if want == "" && len(data) == 0 {
		return
	}
	made := open(t, data)
	require.NotNil(t, made)
	noWorse(t, rec, made)
	have := ndjson(t, print.Options{}, made)
	if want, have = distant.ReplaceAllString(want, ""), distant.ReplaceAllString(have, ""); want == have {
		return
	}
	a, b := strings.Split(want, "\n"), strings.Split(have, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("event %d of %d and %d\n%.2000s\n%.2000s", i, len(a), len(b), a[i], b[i])
		}
	}
	t.Fatalf("%d events, %d are there", len(a), len(b))
}

// named opens a recording of testdata.
func named(t testing.TB, name string) *mmapjfr.Recording {
	t.Helper()
	rec := open(t, longtest.Read(t, filepath.Join(longtest.Root(t), "testdata", name)))
	require.NotNil(t, rec)
	return rec
}

// selections are recordings that selections are tried on; the others differ from these in nothing that matters here, or
// take long to print.
func selections(t testing.TB) map[string][]byte {
	all := recordings(t)
	maps.DeleteFunc(all, func(_ string, data []byte) bool { return len(data) > 2<<20 })
	if !longtest.Enabled() {
		maps.DeleteFunc(all, func(name string, data []byte) bool {
			return !slices.Contains([]string{"jdk17-chunks.jfr", "jdk25-killed.jfr", "jdk17-kinds.jfr", "concat-jdk17-jdk25.jfr"}, name)
		})
	}
	return all
}

// TestSelections compares parts of recordings with those lines of `print --ndjson` that a naive filter keeps.
func TestSelections(t *testing.T) {
	for name, data := range selections(t) {
		t.Run(name, func(t *testing.T) {
			rec := open(t, data)
			if rec == nil {
				t.Skip("mmapjfr does not read it")
			}
			all := linesOf(t, rec)
			r := rand.New(rand.NewPCG(uint64(len(data)), 21))
			moment := func() time.Time {
				if len(all) == 0 || r.IntN(4) == 0 {
					return time.Time{}
				}
				at := all[r.IntN(len(all))].begin(t)
				if at.IsZero() {
					return at
				}
				return at.Add(time.Duration(r.IntN(3) - 1))
			}
			for n := range longtest.Cases(2, max(2, min(40, 2<<20/len(data)))) {
				plan := rewrite.Plan{From: moment(), To: moment(), Workers: 1 + n%2, ChunkSize: []int{0, 20_000}[r.IntN(2)]}
				if !plan.To.IsZero() && plan.To.Before(plan.From) {
					plan.From, plan.To = plan.To, plan.From
				}
				chosen := func(string) bool { return true }
				if len(all) > 0 && r.IntN(2) == 0 {
					some := []string{all[r.IntN(len(all))].Type, all[r.IntN(len(all))].Type}
					chosen = func(name string) bool { return slices.Contains(some, name) }
					if r.IntN(2) == 0 {
						plan.Filters = []mmapjfr.Filter{mmapjfr.TypesFunc(func(t mmapjfr.Type) bool { return chosen(t.Name()) })}
					} else {
						plan.Keep = func(ev mmapjfr.Event) bool { return chosen(ev.Type().Name()) }
					}
				}
				want := textOf(all, func(l *line) bool {
					at := l.begin(t)
					timely := plan.From.IsZero() && plan.To.IsZero() ||
						!at.IsZero() && !at.Before(plan.From) && (plan.To.IsZero() || at.Before(plan.To))
					return timely && chosen(l.Type)
				})
				got, _ := rewritten(t, &plan, rec)
				same(t, rec, want, got)
			}
		})
	}
}

// TestEventsAfterTheEndOfAChunk has a recording whose chunks end, by their headers, long before their last events.
func TestEventsAfterTheEndOfAChunk(t *testing.T) {
	for _, path := range longtest.Others(t) {
		if filepath.Base(path) != "event-with-type-zero.jfr.gz" {
			continue
		}
		rec := open(t, longtest.Read(t, path))
		types := mmapjfr.TypesFunc(func(t mmapjfr.Type) bool { return strings.HasPrefix(t.Name(), "jdk.Object") })
		late := 0
		for _, c := range rec.Chunks() {
			from := c.End().Add(1500 * time.Millisecond)
			count := func(rec *mmapjfr.Recording) (n int) {
				for _, err := range rec.Select(types, mmapjfr.Between(from, time.Time{})).Events() {
					require.NoError(t, err)
					n++
				}
				return n
			}
			want := count(rec)
			data, _ := rewritten(t, &rewrite.Plan{From: from, Filters: []mmapjfr.Filter{types}}, rec)
			if late += want; want > 0 {
				assert.Equal(t, want, count(open(t, data)))
			}
		}
		assert.Positive(t, late)
	}
}

// TestDroppedTypesAreGone looks for the names, fields and settings of a type that goes in the bytes of the copy.
func TestDroppedTypesAreGone(t *testing.T) {
	data := longtest.Read(t, filepath.Join(longtest.Root(t), "testdata", "jdk25-kinds.jfr"))
	rec := open(t, data)
	all := linesOf(t, rec)
	types, err := mmapjfr.EventTypes([]*mmapjfr.Recording{rec})
	require.NoError(t, err)
	dropped := func(name string) bool { return !strings.HasPrefix(name, "jdk.") }
	var words []string
	numbers := make(map[int64]bool)
	for _, typ := range types {
		if dropped(typ.Name()) {
			numbers[typ.ID()] = true
			if strings.IndexFunc(typ.Name(), func(r rune) bool { return r >= 0x80 }) < 0 { // as a JVM writes it
				words = append(words, typ.Name())
			}
		}
	}
	require.NotEmpty(t, words)
	for _, word := range words {
		require.True(t, bytes.Contains(data, []byte(word)), word)
	}
	got, _ := rewritten(t, &rewrite.Plan{Drop: func(t mmapjfr.Type) bool { return dropped(t.Name()) }}, rec)
	for _, word := range words {
		assert.False(t, bytes.Contains(got, []byte(word)), word)
	}
	for _, l := range all {
		if !dropped(l.Type) {
			continue
		}
		for _, word := range strings.FieldsFunc(l.text, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz.ABCDEFGHIJKLMNOPQRSTUVWXYZ", r)
		}) {
			if strings.HasPrefix(word, "gen.") {
				assert.False(t, bytes.Contains(got, []byte(word)), word)
			}
		}
	}
	var settings []int64 // the types that they are of
	for ev, err := range rec.Select(mmapjfr.Types("jdk.ActiveSetting")).Events() {
		require.NoError(t, err)
		settings = append(settings, ev.Int(mmapjfr.Path("id")))
	}
	same(t, rec, textOf(all, func(l *line) bool {
		if l.Type != "jdk.ActiveSetting" {
			return !dropped(l.Type)
		}
		id := settings[0]
		settings = settings[1:]
		return !numbers[id]
	}), got)
}

// TestConvert writes integers in each width; all events stay as they are.
func TestConvert(t *testing.T) {
	all := selections(t)
	for name, data := range all {
		t.Run(name, func(t *testing.T) {
			rec := open(t, data)
			if rec == nil {
				t.Skip("mmapjfr does not read it")
			}
			want := ndjson(t, print.Options{}, rec)
			for _, wide := range []bool{true, false} {
				got, _ := rewritten(t, &rewrite.Plan{Convert: true, Wide: wide}, rec)
				if len(got) == 0 {
					require.Empty(t, want)
					continue
				}
				same(t, rec, want, got)
				made := open(t, got)
				for _, c := range made.Chunks() {
					major, minor := c.Version()
					assert.Equal(t, []int{2, 1}, []int{major, minor})
					assert.Equal(t, !wide, engine.ChunkHasVarints(c))
				}
				again, _ := rewritten(t, &rewrite.Plan{Convert: true}, made)
				same(t, rec, want, again)
			}
		})
	}
}

// TestMerge makes one recording of several: events of all, each once, with the times that they had, and the names of
// threads told apart.
func TestMerge(t *testing.T) {
	one, two, again := named(t, "jdk17-profile.jfr"), named(t, "jdk25-profile.jfr"), named(t, "jdk17-profile.jfr")
	recs := []*mmapjfr.Recording{two, one, again}
	var plan rewrite.Plan
	merged, err := plan.Merge(t.Context(), recs, func(m *rewrite.Machine) string { return fmt.Sprintf("[%d] ", m.PID) })
	require.NoError(t, err)
	require.Len(t, merged.Machines, 2)
	assert.Equal(t, len(one.Chunks()), merged.Duplicates)
	data, report := rewritten(t, &plan, recs...)
	assert.Equal(t, len(one.Chunks()), report.Left)
	made := open(t, data)
	clean(t, made)

	first, second := one, two
	if two.Chunks()[0].Start().Before(one.Chunks()[0].Start()) {
		first, second = two, one
	}
	want := linesOf(t, first, second)
	have := linesOf(t, made)
	require.Len(t, have, len(want))
	prefixed, ofFirst := 0, len(linesOf(t, first))
	for i, w := range want {
		h := have[i]
		require.Equal(t, w.Type, h.Type)
		require.Equal(t, w.Start, h.Start, w.text)
		if w.Thread != nil && h.Thread != nil && w.Thread.Name != "" {
			pid := merged.Machines[0].PID
			if i >= ofFirst {
				pid = merged.Machines[1].PID
			}
			require.Equal(t, fmt.Sprintf("[%d] %s", pid, w.Thread.Name), h.Thread.Name)
			prefixed++
		}
	}
	assert.Positive(t, prefixed)
	header := made.Chunks()[0]
	for _, c := range made.Chunks() {
		assert.EqualValues(t, 1e9, engine.ChunkTicksPerSecond(c))
		assert.True(t, engine.ChunkSameJVM(header, c), "one clock")
	}
}

// TestMergeOfDumps has the dumps of a running virtual machine: the later one has the chunks of the earlier, and what
// was a chunk's begin then. Nothing is made anew.
func TestMergeOfDumps(t *testing.T) {
	whole := longtest.Read(t, filepath.Join(longtest.Root(t), "testdata", "jdk25-chunks.jfr"))
	rec := open(t, whole)
	second := rec.Chunks()[1]
	earlier := open(t, whole[:second.Offset()])
	recs := []*mmapjfr.Recording{rec, earlier}
	var plan rewrite.Plan
	merged, err := plan.Merge(t.Context(), recs, func(*rewrite.Machine) string { return "never" })
	require.NoError(t, err)
	assert.Len(t, merged.Machines, 1)
	assert.Equal(t, 1, merged.Duplicates)
	data, report := rewritten(t, &plan, recs...)
	assert.True(t, bytes.Equal(whole, data))
	assert.Equal(t, len(rec.Chunks()), report.Copied)

	begin, end := named(t, "jdk25-live-1.jfr"), named(t, "jdk25-live-2.jfr")
	plan = rewrite.Plan{}
	merged, err = plan.Merge(t.Context(), []*mmapjfr.Recording{begin, end}, nil)
	require.NoError(t, err)
	assert.Equal(t, 1, merged.Duplicates, "the file was copied twice while it grew")
	data, _ = rewritten(t, &plan, begin, end)
	same(t, end, ndjson(t, print.Options{}, end), data)
}

// TestJoin makes one chunk of several.
func TestJoin(t *testing.T) {
	for name, data := range selections(t) {
		rec := open(t, data)
		if rec == nil {
			continue
		}
		got, report := rewritten(t, &rewrite.Plan{Join: true}, rec)
		if want := ndjson(t, print.Options{}, rec); want != "" {
			same(t, rec, want, got)
		}
		if name == "jdk17-chunks.jfr" {
			assert.Equal(t, 2, report.Chunks, "types differ in %s", name)
		}
	}
}

// generated returns a recording that random bytes describe, which may be one that nobody would write.
func generated(seed uint64, faulty bool) []byte {
	program := make([]byte, 512)
	r := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), 21})
	_, _ = r.Read(program)
	if faulty {
		return jfrtest.GenerateFaulty(program)
	}
	return jfrtest.Generate(program)
}

// FuzzWrite copies any recording in several ways: the copy is no worse, and has the events.
func FuzzWrite(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(generated(seed, seed%2 == 1), uint8(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte, how uint8) { tryAny(t, data, how) })
}

// TestDescriptorsAreMended: what is made anew has no text that the JDK's jfr fails at.
func TestDescriptorsAreMended(t *testing.T) {
	for name, want := range map[string]string{
		"(JXV": "(JXV)V", "": "()V", "J": "(J)V", "(I)V": "(I)V", "([": "()V", "(Ljava/lang/String": "()V", "(Q)V": "(Q)V",
	} {
		b := jfrtest.NewChunk()
		b.Constant("jdk.types.Symbol", 1, name)
		b.Constant("jdk.types.Symbol", 2, "[[")
		b.Constant("jdk.types.Symbol", 3, "run")
		b.Constant("java.lang.Class", 1, 0, 2, 0, 1, false)
		b.Constant("jdk.types.Method", 1, 1, 3, 1, 1, false)
		b.Constant("jdk.types.StackTrace", 1, false, []any{jfrtest.Inline{1, 1, 1, 0}})
		b.Emit(b.Event("test.Event", jfrtest.StackTrace()), b.Header.StartTicks, 1)
		for _, plan := range []rewrite.Plan{{Convert: true}, {Anew: true}, {Join: true}, {Convert: true, Wide: true}} {
			made, _ := rewritten(t, &plan, open(t, b.Bytes()))
			rec := open(t, made)
			checked, err := verify.Check(t.Context(), rec)
			require.NoError(t, err)
			assert.True(t, checked.OK(verify.Error), "%q: %v", name, checked.Findings)
			for ev, err := range rec.Events() {
				require.NoError(t, err)
				method := ev.StackTrace().Frame(0).Method()
				assert.Equal(t, want, engine.MethodDescriptor(method))
				assert.Equal(t, "run", method.Name())
				assert.Empty(t, method.Class().Name())
			}
		}
	}
}

// TestUnitsAreMended: copies lose annotations with units that the JDK's jfr fails at, which say nothing to anybody.
func TestUnitsAreMended(t *testing.T) {
	b := jfrtest.NewChunk()
	event := b.Event("test.Event", jfrtest.Of("at", "long").With(jfrtest.Note("jdk.jfr.Timestamp", "SECONDS_SINCE_EPOCH")),
		jfrtest.Of("lasts", "long").With(jfrtest.Note("jdk.jfr.Timespan", "HOURS"), jfrtest.Note("jdk.jfr.Label", "Lasts")))
	b.Emit(event, b.Header.StartTicks, 7, 8)
	rec := open(t, b.Bytes())
	for name, plan := range map[string]rewrite.Plan{"convert": {Convert: true}, "slice": {Readable: true}} {
		data, _ := rewritten(t, &plan, rec)
		made := open(t, data)
		assert.Equal(t, said(t, rec), said(t, made), name)
		checked, err := verify.Check(t.Context(), made)
		require.NoError(t, err)
		assert.True(t, checked.OK(verify.Error), "%s: %v", name, checked.Findings)
		for ev, err := range made.Events() {
			require.NoError(t, err)
			field, _ := ev.Type().Field("lasts")
			assert.Equal(t, "Lasts", field.Label(), name)
		}
	}
}

func TestGenerated(t *testing.T) {
	for seed := range uint64(longtest.Cases(30, 3000)) {
		tryAny(t, generated(seed, seed%2 == 1), uint8(seed/2))
	}
}

// tryAny copies a recording.
func tryAny(t testing.TB, data []byte, how uint8) {
	t.Helper()
	rec := open(t, data)
	if rec == nil {
		return
	}
	plan := rewrite.Plan{Anew: true, Convert: how&1 != 0, Wide: how&2 != 0, Join: how&4 != 0}
	if how&8 != 0 { // chunks without damage are copied
		plan = rewrite.Plan{Readable: how&1 != 0, Remake: damaged(t, rec)}
	}
	var out bytes.Buffer
	report, err := rewrite.Write(t.Context(), &out, []*mmapjfr.Recording{rec}, &plan)
	require.NoError(t, err)
	if out.Len() == 0 {
		return
	}
	made := open(t, out.Bytes())
	require.NotNil(t, made, "%x", data)
	checked, err := verify.Check(t.Context(), made)
	require.NoError(t, err)
	for _, f := range checked.Findings { // warnings are about names, and such things, that the recording has
		if f.Kind.String() == "bad-descriptor" && plan.Remake != nil {
			continue // a chunk that is copied has the texts that it had
		}
		if f.Kind.String() == "refused-metadata" && strings.Contains(f.Text, "simple type") {
			// The numbers of types decide whether the JDK reads a simple type in place. A copy has other types, so the
			// JDK can refuse it though it reads the recording: one of 3000 here, and none that a recorder writes.
			continue
		}
		assert.Less(t, f.Kind.Severity(), verify.Error, "%v", f)
	}
	// Nothing is lost but what is reported. Fields can be described in another way, if the JDK cannot read the first.
	begins := func(rec *mmapjfr.Recording) (names []string) {
		for _, found := range begin.FindAllStringSubmatch(ndjson(t, print.Options{}, rec), -1) {
			var name string
			require.NoError(t, json.Unmarshal([]byte(found[1]), &name))
			names = append(names, describe.JavaName(name))
		}
		return names
	}
	all, have := begins(rec), begins(made)
	want := all
	for _, text := range have {
		i := slices.Index(want, text)
		if i < 0 {
			t.Fatalf("of what event is this a copy? %.2000s", text)
		}
		want = want[i+1:]
	}
	if lost := len(all) - len(have); uint64(lost) > report.Unreadable {
		t.Fatalf("%d events are lost, %d are reported", lost, report.Unreadable)
	}
}

// damaged selects the chunks of a recording in which verify finds errors.
func damaged(t testing.TB, rec *mmapjfr.Recording) func(mmapjfr.Chunk) bool {
	found, err := verify.Check(t.Context(), rec, verify.MaxFindings(0))
	require.NoError(t, err)
	bad := make(map[uint64]bool)
	for _, g := range found.Groups {
		if g.Kind.Severity() == verify.Error && g.Chunk < len(rec.Chunks()) {
			bad[rec.Chunks()[g.Chunk].Offset()] = true
		}
	}
	return func(c mmapjfr.Chunk) bool { return bad[c.Offset()] }
}

// TestReadable copies recordings that the JDK's reader refuses, or mixes up, and others, whose bytes stay.
func TestReadable(t *testing.T) {
	for name, data := range recordings(t) {
		rec := open(t, data)
		if rec == nil {
			continue
		}
		got, report := rewritten(t, &rewrite.Plan{Readable: true}, rec)
		made := open(t, got)
		require.NotNil(t, made, name)
		noWorse(t, rec, made)
		have := kinds(t, made)
		for _, refused := range []string{"empty-pool", "bytes-between-chunks", "unfinished-chunk", "checkpoint-rest"} {
			assert.False(t, have[refused], "%s: %v", name, refused)
		}
		for _, c := range made.Chunks() {
			assert.True(t, c.Finished() && engine.ChunkSameJVM(made.Chunks()[0], c), name)
		}
		switch name {
		case "jdk25-chunks.jfr", "jdk17-profile.jfr":
			assert.Equal(t, data, got, name)
		case "concat-jdk17-jdk25.jfr":
			assert.Equal(t, len(rec.Chunks()), report.Made, name)
		case "event-with-type-zero.jfr.gz":
			assert.Positive(t, report.Made, name)
		}
	}
}

// begin finds the type of a printed event.
var begin = regexp.MustCompile(`(?m)^\{"@type":("(?:[^"\\]|\\.)*")`)

// noWorse fails if verify finds something of another kind in a copy.
func noWorse(t testing.TB, rec, made *mmapjfr.Recording) {
	t.Helper()
	worse := kinds(t, made)
	for kind := range kinds(t, rec) {
		delete(worse, kind)
	}
	assert.Empty(t, worse)
}

// kinds returns the kinds of findings in a recording that are worse than notes.
func kinds(t testing.TB, rec *mmapjfr.Recording) map[string]bool {
	report, err := verify.Check(t.Context(), rec)
	require.NoError(t, err)
	found := make(map[string]bool)
	for _, f := range report.Findings {
		if f.Kind.Severity() > verify.Note {
			found[f.Kind.String()] = true
		}
	}
	return found
}

// TestKeysThatReadersKnow looks at the constants of types whose keys say what they are: all are there, under their keys.
func TestKeysThatReadersKnow(t *testing.T) {
	constants := func(rec *mmapjfr.Recording, typeName string) (list []string) {
		for _, c := range rec.Chunks() {
			types, err := c.Types()
			require.NoError(t, err)
			for _, typ := range types {
				if typ.Name() == typeName {
					for key, v := range engine.ChunkConstants(c, typ) {
						list = append(list, fmt.Sprint(key, " ", v))
					}
				}
			}
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	for _, name := range []string{"jdk25-profile.jfr", "jdk17-profile.jfr"} {
		rec := named(t, name)
		data, _ := rewritten(t, &rewrite.Plan{Anew: true}, rec)
		for _, typ := range []string{"jdk.types.FrameType", "jdk.types.ThreadState"} {
			want := constants(rec, typ)
			require.NotEmpty(t, want)
			assert.Equal(t, want, constants(open(t, data), typ))
		}
	}
}
