package profile_test

import (
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/corrupt"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// TestHostile does with profiles that nobody would make all that one can.
func TestHostile(t *testing.T) {
	profiletest.Profiles(t, func(t *testing.T, p *profile.Profile) {
		data, err := p.MarshalBinary()
		require.NoError(t, err)
		q := profile.New()
		require.NoError(t, q.UnmarshalBinary(data))
		again, err := q.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, data, again)
		chosen := p.Choose(profile.Choice{JavaOnly: true, States: []string{""}})
		chosen.Merge(p)
		for _, c := range p.Columns() {
			for _, by := range profile.AllBy {
				for _, r := range p.Top(c, by, profile.Names{Dots: true, Simple: true, Lines: true, Parameters: true, Normalize: true}) {
					require.NotEmpty(t, r.Name)
				}
			}
			tree := p.Tree(profile.TreeOptions{Columns: []profile.Column{c}, Classes: true})
			for _, n := range tree.Nodes[1:] {
				require.NotEmpty(t, n.Name)
			}
		}
	})
}

// TestSumsStop adds up more than a number can be.
func TestSumsStop(t *testing.T) {
	p := profile.New()
	p.AddKind(profile.Kind{Name: "k", Values: []profile.ValueType{{Name: "n"}}})
	s := p.Push(0, p.AddText("a"))
	for _, n := range []int64{math.MaxInt64, 5, math.MaxInt64} {
		p.Add("k", p.Push(s, p.AddText("b")), p.AddLabels(profile.Labels{}), n)
		p.Add("k", s, p.AddLabels(profile.Labels{Thread: "t"}), n)
	}
	for s := range p.Samples() {
		require.Equal(t, int64(math.MaxInt64), s.Values[0])
	}
	for _, r := range p.Top(p.Columns()[0], profile.ByMethod, profile.Names{}) {
		require.Equal(t, int64(math.MaxInt64), r.Total)
	}
	require.Equal(t, int64(math.MaxInt64), p.Tree(profile.TreeOptions{}).Nodes[0].Total[0])
}

// TestHostileRecordings reads recordings that nobody would make, with one worker and with several.
// Whatever is in them: no sum is negative, and with and without times they are the same.
func TestHostileRecordings(t *testing.T) {
	profiletest.Recordings(t, func(t *testing.T, data []byte) {
		var first []byte
		for _, workers := range []int{1, 3} {
			for _, times := range []time.Duration{0, 1, 20 * time.Millisecond}[:longtest.Cases(workers, 3)] {
				rec, err := mmapjfr.OpenBytes(data, mmapjfr.Workers(workers))
				require.NoError(t, err)
				p, _ := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Times: times}) // errors are no matter
				require.NotNil(t, p)
				for s := range p.Samples() {
					for _, n := range s.Values {
						require.GreaterOrEqual(t, n, int64(0))
					}
				}
				if times == 0 {
					bytes, err := p.MarshalBinary()
					require.NoError(t, err)
					if first == nil {
						first = bytes
					}
					require.Equal(t, first, bytes)
				}
				require.NoError(t, rec.Close())
			}
		}
	})
}

// TestMissingConstants counts all events whose keys lead nowhere, or to a constant of another type.
func TestMissingConstants(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Constant("java.lang.Thread", 5, "os", 1, "main", 1, 0, false)
	thread, text := b.Event("test.Thread", jfrtest.Const("stackTrace", "java.lang.Thread")), b.Event("test.Text", jfrtest.Of("stackTrace", jfrtest.StringClass))
	stack := b.Event("test.Stack", jfrtest.StackTrace())
	for i := range 10 {
		b.Emit(thread, 1_000_000+i, 5+i)
		b.Emit(text, 1_000_000+i, strconv.Itoa(i))
		b.Emit(stack, 1_000_000+i, 99+i)
	}
	rec, err := mmapjfr.OpenBytes(b.Bytes())
	require.NoError(t, err)
	defer rec.Close()
	for _, name := range []string{"test.Thread", "test.Text", "test.Stack"} {
		p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Events: []profile.EventKind{{Type: name}}})
		require.NoError(t, err)
		n := int64(0)
		for s := range p.Samples() {
			n += s.Values[0]
		}
		require.Equal(t, int64(10), n, name)
	}
}

// TestDamage reads recordings that are damaged.
func TestDamage(t *testing.T) {
	var sets []corrupt.Set
	for _, a := range corrupt.Files(t, "../../testdata/jdk25-kinds.jfr", "../../testdata/jdk17-oldobjects.jfr") {
		sets = append(sets, a.Prefixes(), a.Bits(), a.Random(), a.Zeroes(), a.Ones(), a.Doubled(), a.Removed(), a.Swapped(), a.Numbers(), a.Mixed())
	}
	corrupt.Run(t, longtest.Cases(6, 300), sets, func(t testing.TB, c corrupt.Case) {
		rec, err := mmapjfr.OpenBytes(c.Data, mmapjfr.Workers(1))
		if err != nil {
			return
		}
		defer rec.Close()
		p, _ := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Times: time.Second}) // errors are no matter
		_, err = p.MarshalBinary()
		require.NoError(t, err)
	})
}

// TestManySettings reads a recording whose chunks have settings that no other has.
func TestManySettings(t *testing.T) {
	var data []byte
	chunks := longtest.Cases(100, 1000)
	for i := range chunks {
		b := jfrtest.NewChunk()
		setting := b.Event("jdk.ActiveSetting", jfrtest.Of("id", "long"), jfrtest.Of("name", "java.lang.String"), jfrtest.Of("value", "java.lang.String"))
		for j := range 100 {
			b.Emit(setting, 1_000_000, int64(100*i+j), "period", "20 ms")
		}
		data = append(data, b.Bytes()...)
	}
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	defer rec.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{})
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	require.Less(t, (after.TotalAlloc-before.TotalAlloc)/uint64(chunks), uint64(200_000), "bytes for each chunk")
}

// TestNotesOfSums says that sums have ended, in one sample or in all together, and that numbers are
// negative.
func TestNotesOfSums(t *testing.T) {
	const tooGreat, negative = "samples: sums are greater than", "samples: some numbers are negative"
	for want, values := range map[string][]int64{
		"": {math.MaxInt64 - 1, 0}, tooGreat: {math.MaxInt64 - 1, 2}, negative: {-1, 5},
	} {
		p := profile.New()
		p.AddKind(untyped)
		for i, v := range values {
			p.Add("samples", p.Push(0, p.AddText(strconv.Itoa(i))), p.AddLabels(profile.Labels{}), v)
		}
		notes := p.Notes()
		if want == "" {
			assert.Empty(t, notes)
			continue
		}
		require.Len(t, notes, 1)
		assert.Contains(t, notes[0], want)
		assert.Equal(t, notes, p.Warnings())
		p.AddNote(notes[0]) // as of a file that has it as a comment
		assert.Equal(t, notes, p.Notes())
	}
}

// TestLongSettings has a long text that many settings name. It is read once, and cut.
func TestLongSettings(t *testing.T) {
	const length = 100_000
	b := jfrtest.NewChunk()
	text := b.Constant("java.lang.String", 7, strings.Repeat("x", length))
	setting := b.Event("jdk.ActiveSetting", jfrtest.Of("id", "long"), jfrtest.Of("name", "java.lang.String"), jfrtest.Const("value", "java.lang.String"))
	sample := b.Event("jdk.ExecutionSample", jfrtest.StackTrace())
	for i := range 1000 {
		b.Emit(setting, 1_000_000, int64(i), "period", text)
	}
	b.Emit(sample, 1_000_000, 0)
	rec, err := mmapjfr.OpenBytes(b.Bytes(), mmapjfr.Workers(1))
	require.NoError(t, err)
	defer rec.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{})
	require.NoError(t, err)
	data := bytesOf(t, p)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(60*length), "bytes for 1000 settings")
	assert.Less(t, len(data), length/2)
	require.NoError(t, profile.New().UnmarshalBinary(data))
}

// untyped is a kind of samples alone.
var untyped = profile.Kind{Name: "samples", Title: "Samples", Values: []profile.ValueType{{Name: "samples", Unit: profile.Count}}}
