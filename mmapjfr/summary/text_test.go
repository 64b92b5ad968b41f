package summary_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/internal/oracle/said"
)

func TestTextIsThatOfTheJDK(t *testing.T) {
	each(t, func(t *testing.T, name string, data []byte) {
		answer := said.Of(t, name, "summary")
		got := text(t, collect(t, data))
		switch {
		case strings.HasPrefix(name, "concat-"):
			// See TestMachinesAreAddedUpByName.
			assert.NotEqual(t, string(answer.Out), string(got))
		case answer.Refusal != "":
			// Of a recording that has been flushed it would print this if it were
			// finished.
			account, err := oracle.Load("../../testdata/" + name)
			require.NoError(t, err)
			want := account.Truth().Summary
			s, err := oracle.ParseSummary(strings.NewReader(string(got)))
			require.NoError(t, err)
			assert.Equal(t, want, s)
		default:
			said.Same(t, answer.Out, got)
		}
	})
}

// TestChunksInFilesOfTheirOwn is about recordings of one virtual machine whose chunks
// lie in several files, as in its repository.
func TestChunksInFilesOfTheirOwn(t *testing.T) {
	for _, name := range []string{"jdk17-chunks.jfr", "jdk25-chunks.jfr"} {
		files := split(t, read(t, name))
		require.Len(t, files, 3)
		said.Same(t, said.Of(t, name, "summary").Out, text(t, collect(t, files...)))
	}
}

// TestMachinesAreAddedUpByName compares with a reader that decodes everything, chunk
// by chunk. The JDK has a row for each number, and adds up what one number stands for,
// although that is something else for another machine.
func TestMachinesAreAddedUpByName(t *testing.T) {
	for _, name := range []string{"concat-jdk17-jdk25.jfr", "concat-jdk25-jdk25.jfr"} {
		data := read(t, name)
		rec, err := jfrtest.Decode(data)
		require.NoError(t, err)
		want := make(map[string]index.EventCount)
		for _, c := range rec.Chunks {
			add := func(name string, n index.EventCount) {
				n.Add(want[name])
				want[name] = n
			}
			for _, class := range c.Classes {
				if class.IsEvent() {
					add(class.Name, index.EventCount{})
				}
			}
			for _, ev := range c.Events {
				add(ev.TypeName, index.EventCount{Events: 1, Bytes: uint64(ev.Size)})
			}
			for _, m := range c.Metadata {
				add("jdk.Metadata", index.EventCount{Events: 1, Bytes: uint64(m.Size)})
			}
			for _, cp := range c.Checkpoints {
				add("jdk.Checkpoint", index.EventCount{Events: 1, Bytes: uint64(cp.Size)})
			}
		}
		for _, s := range []struct {
			how   string
			files [][]byte
		}{{"joined", [][]byte{data}}, {"split", split(t, data)}} {
			got := collect(t, s.files...)
			assert.Equal(t, want, counts(got), "%s %s", name, s.how)
			assert.Len(t, got.Types, len(want), "%s %s: one row for each", name, s.how)
		}
	}
}

// TestTextOfBuiltRecordings compares with what the JDK has said, and says where there
// is one.
func TestTextOfBuiltRecordings(t *testing.T) {
	unknown := built(kind{200, "test.Known", 1})
	unknown.EmitRaw(jfrtest.EventOptions{}, 1234567890123, []byte{1})
	unknown.EmitRaw(jfrtest.EventOptions{}, -1, []byte{1})
	long := built()
	long.Header.DurationNanos = 3_499_999_999
	longer := built()
	longer.Header.DurationNanos, longer.Header.StartNanos = 1, 1_700_000_003_499_999_999
	for name, c := range map[string]struct {
		data []byte
		head string
		rows string
	}{
		"short names": {built(kind{200, "a", 2}).Bytes(), oneChunk, `
 Event Type      Count  Size (bytes) 
=====================================
 a                   2             8
 jdk.Checkpoint         1             9
 jdk.Metadata         1          2747
`},
		// U+FF41 comes after the two halves of U+1D400, as which Java compares.
		"names beyond ASCII": {built(kind{200, "\uff41", 0}, kind{201, "\U0001d400b", 0}, kind{202, "Größe.of.a.Thing", 0}).Bytes(), oneChunk, `
 Event Type           Count  Size (bytes) 
==========================================
 jdk.Checkpoint           1             9
 jdk.Metadata             1          2828
 Größe.of.a.Thing         0             0
` + " \U0001d400b                      0             0\n \uff41                        0             0\n"},
		// Java's map has them in the order of the last bits of their numbers.
		"equal names": {built(kind{1100, "test.E", 2}, kind{1 << 40, "test.E", 2}, kind{90, "test.E", 2}, kind{1090, "test.E", 3}).Bytes(), oneChunk, `
 Event Type      Count  Size (bytes) 
=====================================
 test.E              3            12
 test.E              2            16
 test.E              2             6
 test.E              2             8
 jdk.Checkpoint         1             9
 jdk.Metadata         1          2838
`},
		"unknown numbers": {unknown.Bytes(), oneChunk, `
 Event Type      Count  Size (bytes) 
=====================================
 -1 (missing event metadata)         1            11
 1234567890123 (missing event metadata)         1             8
 jdk.Checkpoint         1             9
 jdk.Metadata         1          2756
 test.Known          1             4
`},
		"half seconds": {joined(long, longer), strings.NewReplacer("Chunks: 1", "Chunks: 2", "1 s", "4 s").Replace(oneChunk), `
 Event Type      Count  Size (bytes) 
=====================================
 jdk.Checkpoint         2            18
 jdk.Metadata         2          5386
`},
	} {
		t.Run(name, func(t *testing.T) {
			got := text(t, collect(t, c.data))
			said.Same(t, []byte(c.head+c.rows), got)
			said.Same(t, []byte(said.Now(t, c.data, "summary")), got)
		})
	}
}

// sameNames builds a chunk of two types of one name whose numbers lie in one order
// among 16 places, and in the other among 32. With the format's two, and those of no
// events, there are that many types.
func sameNames(types int) *jfrtest.Builder {
	list := []kind{{21, "test.E", 1}, {1034, "test.E", 1}}
	for i := range types - 4 {
		list = append(list, kind{int64(300 + i), fmt.Sprintf("test.U%02d", i), 0})
	}
	return built(list...)
}

// oneChunk is the head of the summary of a built chunk.
const oneChunk = "\n Version: 2.1\n Chunks: 1\n Start: 2023-11-14 22:13:20 (UTC)\n Duration: 1 s\n"

// TestOrderOfJavasMap is about types of one name and of equally many events. They come
// in the order in which a HashMap has them, which has 16 places for 13 entries, but 32
// for 14, and also 32 as soon as it is asked for one of the 13 again.
func TestOrderOfJavasMap(t *testing.T) {
	unknown := sameNames(12)
	unknown.EmitRaw(jfrtest.EventOptions{}, 5000, []byte{1})
	again := sameNames(13)
	again.Header.StartNanos++ // equal chunks would count once
	const low, high = 21, 1034
	for name, c := range map[string]struct {
		data []byte
		want []int64
	}{
		"12 entries":                       {sameNames(12).Bytes(), []int64{low, high}},
		"13 entries":                       {sameNames(13).Bytes(), []int64{low, high}},
		"14 entries":                       {sameNames(14).Bytes(), []int64{high, low}},
		"13 entries in two chunks":         {joined(sameNames(13), again), []int64{high, low}},
		"13 entries that differ by chunks": {joined(sameNames(12), sameNames(13)), []int64{low, high}},
		"13 entries, one undescribed":      {unknown.Bytes(), []int64{high, low}},
	} {
		t.Run(name, func(t *testing.T) {
			s := collect(t, c.data)
			var got []int64
			for _, typ := range s.Types {
				if typ.Name == "test.E" {
					got = append(got, typ.ID)
				}
			}
			assert.Equal(t, c.want, got)
			said.Same(t, []byte(said.Now(t, c.data, "summary")), text(t, s))
		})
	}
}
