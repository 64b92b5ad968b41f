package summary_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
)

func TestNastyNamesAreThoseOfTheJDK(t *testing.T) {
	data := jfrtest.NastyNames(1, 60, false).Bytes()
	want := said.OfBytes(t, "nasty-names.jfr", data, "summary")
	require.Empty(t, want.Refusal)
	said.Same(t, want.Out, text(t, collect(t, data)))
}

// TestNastyNamesAreThoseOfANaiveWriter has names that the JDK refuses, too. Its table is
// sorted and aligned by code units of UTF-16.
func TestNastyNamesAreThoseOfANaiveWriter(t *testing.T) {
	for seed := range uint64(3) {
		data := jfrtest.NastyNames(seed, 60, true).Bytes()
		rec, err := jfrtest.Decode(data)
		require.NoError(t, err)
		c := rec.Chunks[0]
		type line struct {
			name         []uint16
			count, bytes int64
		}
		lines := map[int64]*line{0: {name: utf16.Encode([]rune("jdk.Metadata"))}, 1: {name: utf16.Encode([]rune("jdk.Checkpoint"))}}
		width := len(" Event Type")
		for id, class := range c.Classes {
			if class.IsEvent() {
				lines[id] = &line{name: utf16.Encode([]rune(class.Name))}
				width = max(width, len(lines[id].name))
			}
		}
		count := func(id, size int64) { lines[id].count++; lines[id].bytes += size }
		for _, ev := range c.Events {
			count(ev.TypeID, ev.Size)
		}
		count(0, c.Metadata[0].Size)
		count(1, c.Checkpoints[0].Size)
		var table []*line
		for _, l := range lines {
			table = append(table, l)
		}
		slices.SortFunc(table, func(x, y *line) int {
			if x.count != y.count {
				return int(y.count - x.count)
			}
			return slices.Compare(x.name, y.name)
		})
		var want strings.Builder
		for _, l := range table {
			pad := strings.Repeat(" ", max(width-len(l.name), 0))
			fmt.Fprintf(&want, " %s%s%10d  %12d\n", string(utf16.Decode(l.name)), pad, l.count, l.bytes)
		}
		_, got, _ := strings.Cut(string(text(t, collect(t, data))), "=\n")
		said.Same(t, []byte(want.String()), []byte(got))
	}
}
